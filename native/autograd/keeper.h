#pragma once

#include <memory>
#include <span>

#include "core/export.h"
#include "core/spin_lock.h"

namespace onetape {

class Node;

/// An object of a language with a garbage collector of its own that a node needs, such as the Java object of
/// a custom function. The engine must not simply hold it: the object may reach a tensor whose graph the node
/// belongs to, and the collector could not see that cycle. So the objects of that language through which a
/// program reaches a node hold it, and the engine only where it keeps the node for somebody else ("pins" it).
class ONETAPE_API Keeper {
 public:
  virtual ~Keeper() = default;
  void pin();
  void unpin();

 protected:
  /// Called in turns, while no other thread is in either.
  virtual void hold() = 0;
  virtual void let_go() = 0;

 private:
  SpinLock lock_;
  uint32_t pins_ = 0;
};

/// Makes one keeper of several that a node needs through its edges.
using KeeperJoiner = std::shared_ptr<Keeper> (*)(std::span<const std::shared_ptr<Keeper>> keepers);
ONETAPE_API void set_keeper_joiner(KeeperJoiner joiner);

/// What a node has of a keeper.
struct Kept {
  enum class Pin : uint8_t {
    None,   ///< only objects of the language reach the node
    Fresh,  ///< as it was made: nobody has got it yet
    Firm,   ///< something else keeps it, too
  };
  std::shared_ptr<Keeper> keeper;
  Pin pin = Pin::None;
};

/// Where it stands.
struct KeptPlace {
  SpinLock lock;
  Kept kept;
};

/// The keeper of a node that has one.
ONETAPE_API std::shared_ptr<Keeper> keeper_of(Node& node);
/// Gives the node a keeper of its own; it is pinned until delivered.
ONETAPE_API void set_keeper(Node& node, std::shared_ptr<Keeper> keeper);
/// The same where an object that holds the keeper gets the result of the node at once, and nobody else does.
ONETAPE_API void set_delivered_keeper(Node& node, std::shared_ptr<Keeper> keeper);
/// Takes it away again; the node needs it no more.
ONETAPE_API void drop_keeper(Node& node);
/// An object of the language, which holds the keeper, has got the result of the node, and nobody else: ends
/// the pins of the node and of those that were made for it.
ONETAPE_API void delivered(Node& node);
/// Something that the language does not see keeps the node.
ONETAPE_API void pin_firmly(Node& node);

}  // namespace onetape

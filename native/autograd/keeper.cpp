#include "autograd/keeper.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "autograd/node.h"

namespace onetape {
namespace {

std::atomic<KeeperJoiner> g_joiner{nullptr};

void unpin(Kept& kept) {
  if (std::exchange(kept.pin, Kept::Pin::None) != Kept::Pin::None && kept.keeper) kept.keeper->unpin();
}

}  // namespace

void Keeper::pin() {
  const std::lock_guard guard(lock_);
  if (pins_++ == 0) hold();
}

void Keeper::unpin() {
  const std::lock_guard guard(lock_);
  if (--pins_ == 0) let_go();
}

void set_keeper_joiner(KeeperJoiner joiner) { g_joiner.store(joiner); }

std::shared_ptr<Keeper> keeper_of(const Node& node) {
  const NodeExtra* extra = node.extra_or_null();
  if (!extra) return nullptr;
  const std::lock_guard guard(extra->kept_lock);
  return extra->kept.keeper;
}

void set_keeper(Node& node, std::shared_ptr<Keeper> keeper) {
  keeper->pin();
  Kept old;
  {
    NodeExtra& extra = node.extra();
    const std::lock_guard guard(extra.kept_lock);
    old = std::exchange(extra.kept, {std::move(keeper), Kept::Pin::Fresh});
  }
  unpin(old);
  node.set_kept();
}

void drop_keeper(Node& node) {
  NodeExtra& extra = node.extra();
  Kept old;
  {
    const std::lock_guard guard(extra.kept_lock);
    old = std::exchange(extra.kept, {});
  }
  unpin(old);
}

void Node::inherit_keepers() {
  std::vector<std::shared_ptr<Keeper>> keepers;
  for (const Edge& edge : edges()) {
    if (!edge.node || !edge.node->is_kept()) continue;
    std::shared_ptr<Keeper> one = keeper_of(*edge.node);
    if (one && std::find(keepers.begin(), keepers.end(), one) == keepers.end())
      keepers.push_back(std::move(one));
  }
  const KeeperJoiner join = g_joiner.load();
  if (keepers.empty() || !join) return;
  set_keeper(*this, keepers.size() == 1 ? keepers.front() : join(keepers));
}

void delivered(Node& first) {
  std::vector<Node*> todo{&first};
  while (!todo.empty()) {
    Node& node = *todo.back();
    todo.pop_back();
    if (!node.is_kept()) continue;
    Kept old;
    {
      NodeExtra& extra = node.extra();
      const std::lock_guard guard(extra.kept_lock);
      if (extra.kept.pin != Kept::Pin::Fresh) continue;
      old = {extra.kept.keeper, std::exchange(extra.kept.pin, Kept::Pin::None)};
    }
    unpin(old);
    for (const Edge& edge : node.edges()) {
      if (edge.node) todo.push_back(edge.node.get());
    }
  }
}

void pin_firmly(Node& node) {
  if (!node.is_kept()) return;
  NodeExtra& extra = node.extra();
  const std::lock_guard guard(extra.kept_lock);
  if (!extra.kept.keeper) return;
  if (std::exchange(extra.kept.pin, Kept::Pin::Firm) == Kept::Pin::None) extra.kept.keeper->pin();
}

}  // namespace onetape

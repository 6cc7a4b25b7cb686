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

/// Null if the node never had a keeper.
KeptPlace* place_or_null(Node& node) {
  if (KeptPlace* own = node.own_kept()) return own;
  return node.extra_or_null() ? &node.extra().kept : nullptr;
}

KeptPlace& place(Node& node) {
  KeptPlace* own = node.own_kept();
  return own ? *own : node.extra().kept;
}

void exchange_kept(KeptPlace& place, Kept kept) {
  {
    const std::lock_guard guard(place.lock);
    std::swap(place.kept, kept);
  }
  unpin(kept);
}

/// Ends the pin of a node as it was made; false if it has no such pin.
bool end_fresh_pin(Node& node) {
  KeptPlace* const at = node.is_kept() ? place_or_null(node) : nullptr;
  if (!at) return false;
  Kept old;
  {
    const std::lock_guard guard(at->lock);
    if (at->kept.pin != Kept::Pin::Fresh) return false;
    old = {at->kept.keeper, std::exchange(at->kept.pin, Kept::Pin::None)};
  }
  unpin(old);
  return true;
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

std::shared_ptr<Keeper> keeper_of(Node& node) {
  KeptPlace* const at = place_or_null(node);
  if (!at) return nullptr;
  const std::lock_guard guard(at->lock);
  return at->kept.keeper;
}

void set_keeper(Node& node, std::shared_ptr<Keeper> keeper) {
  KeptPlace& at = place(node);
  keeper->pin();
  exchange_kept(at, {std::move(keeper), Kept::Pin::Fresh});
  node.set_kept();
}

void set_delivered_keeper(Node& node, std::shared_ptr<Keeper> keeper) {
  exchange_kept(place(node), {std::move(keeper), Kept::Pin::None});
  node.set_kept();
  for (const Edge& edge : node.edges()) {
    if (edge.node) delivered(*edge.node);
  }
}

void drop_keeper(Node& node) {
  if (KeptPlace* const at = place_or_null(node)) exchange_kept(*at, {});
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
  if (!end_fresh_pin(first)) return;
  std::vector<Node*> todo{&first};
  while (!todo.empty()) {
    const Node& node = *todo.back();
    todo.pop_back();
    for (const Edge& edge : node.edges()) {
      if (edge.node && end_fresh_pin(*edge.node)) todo.push_back(edge.node.get());
    }
  }
}

void pin_firmly(Node& node) {
  KeptPlace* const at = node.is_kept() ? place_or_null(node) : nullptr;
  if (!at) return;
  const std::lock_guard guard(at->lock);
  if (!at->kept.keeper) return;
  if (std::exchange(at->kept.pin, Kept::Pin::Firm) == Kept::Pin::None) at->kept.keeper->pin();
}

}  // namespace onetape

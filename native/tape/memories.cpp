#include "tape/memories.h"

#include <cstring>
#include <mutex>

namespace onetape::tape {
namespace {

/// A number that differs, as good as surely, where any byte does.
uint64_t content_of(const Storage& storage) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  const char* at = static_cast<const char*>(storage.data());
  size_t left = storage.nbytes();
  uint64_t lanes[4] = {left, 1, 2, 3};  // which do not wait for each other
  constexpr size_t kBytes = sizeof lanes;
  for (; left >= kBytes; left -= kBytes, at += kBytes) {
    uint64_t words[4];
    std::memcpy(words, at, kBytes);
    for (int i = 0; i < 4; ++i) {
      lanes[i] = (lanes[i] ^ words[i]) * kFactor;
      lanes[i] ^= lanes[i] >> 29;
    }
  }
  uint64_t rest[4] = {};
  std::memcpy(rest, at, left);
  uint64_t all = 0;
  for (int i = 0; i < 4; ++i) {
    all = (all ^ lanes[i]) * kFactor;
    all = (all ^ rest[i] ^ (all >> 31)) * kFactor;
  }
  return all;
}

}  // namespace

History history_of(const Tensor& t) {
  History history{nullptr, 0, t.requires_grad()};
  AutogradMeta* m = meta_or_null(t);
  if (!m) return history;
  const std::lock_guard guard(m->lock);
  history.node = m->grad_fn.get();
  history.output = m->output;
  return history;
}

const Memories::Memory* Memories::find(const Tensor& t) const {
  const auto found = all_.find(t.impl()->storage());
  return found == all_.end() ? nullptr : &found->second;
}

Memories::Memory& Memories::add(const Tensor& t, SlotNumber slot) {
  const auto number = static_cast<int32_t>(all_.size());
  const auto [place, fresh] = all_.try_emplace(t.impl()->storage(), Memory{number});
  if (fresh) look(t);
  place->second.slots.push_back(slot);
  return place->second;
}

void Memories::look(const Tensor& t) {
  const Storage& storage = *t.impl()->storage();
  Memory& memory = all_.at(&storage);
  memory.version = storage.version();
  memory.content = content_of(storage);
}

bool Memories::unchanged(const Tensor& t) const {
  const Storage& storage = *t.impl()->storage();
  const Memory& memory = all_.at(&storage);
  return memory.version == storage.version() && memory.content == content_of(storage);
}

}  // namespace onetape::tape

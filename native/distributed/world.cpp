#include "distributed/world.h"

#include <algorithm>
#include <numeric>

#include "distributed/group_error.h"

namespace onetape::distributed {
namespace {

constexpr const char* kTwice = "trying to initialize the default process group twice!";

struct Groups {
  std::mutex lock;
  GroupRef world;
  MeetingPoint meeting;
  StoreRef store;  // of the world, with its name as prefix
  std::vector<GroupRef> others;
  int64_t made = 0;
};
Groups& groups() {
  static auto* one = new Groups;  // outlives every thread
  return *one;
}

/// PyTorch's checks of a list of ranks.
void check_ranks(const std::vector<int>& ranks, int world_size) {
  check_value(
      ranks.size() <= static_cast<size_t>(world_size),
      "the new group's world size should be less or equal to the world size set by init_process_group");
  for (const int rank : ranks) {
    check_value(rank >= 0 && rank < world_size,
                "The new group's rank should be within the world_size set by init_process_group");
  }
  check_value(std::ranges::adjacent_find(ranks) == ranks.end(),
              "a rank is named twice in the new group's ranks");
  check_value(!ranks.empty(), "the new group has no ranks");
}

/// Waits until all `count` have come to a place.
void meet(Store& store, const std::string& place, int64_t count, Milliseconds timeout) {
  if (store.add(place, 1) == count) store.set(place + "/all", "");
  store.wait({place + "/all"}, timeout);
}

}  // namespace

GroupRef make_world(const MeetingPoint& meeting, const std::string& name, Milliseconds timeout) {
  Groups& all = groups();
  check_no_world();
  const auto store = std::make_shared<PrefixStore>(name, meeting.store);
  GroupPlan plan{
      .store = store, .name = name, .rank = meeting.rank, .timeout = timeout, .address = meeting.address};
  plan.ranks.resize(static_cast<size_t>(meeting.world_size));
  std::iota(plan.ranks.begin(), plan.ranks.end(), 0);
  auto group = std::make_shared<ProcessGroup>(std::move(plan));
  const std::lock_guard lock(all.lock);
  check_value(!all.world, kTwice);
  all.world = std::move(group);
  all.meeting = meeting;
  all.store = store;
  all.made = 0;
  return all.world;
}

GroupRef world_or_null() {
  const std::lock_guard lock(groups().lock);
  return groups().world;
}

void check_no_world() { check_value(!world_or_null(), kTwice); }

GroupRef world() {
  GroupRef group = world_or_null();
  check_value(group != nullptr,
              "Default process group has not been initialized, please make sure to call init_process_group.");
  return group;
}

GroupRef new_group(std::vector<int> ranks, Milliseconds timeout, bool local) {
  const GroupRef all_ranks = world();
  std::ranges::sort(ranks);
  check_ranks(ranks, all_ranks->size());
  StoreRef store;
  std::string name;
  std::string address;
  {
    Groups& all = groups();
    const std::lock_guard lock(all.lock);
    store = all.store;
    address = all.meeting.address;
    // Members alone cannot count the calls of the others, so their ranks give the name.
    name = local ? "local" : std::to_string(++all.made);
    for (const int rank : local ? ranks : std::vector<int>()) name += "_" + std::to_string(rank);
  }
  const auto own = std::ranges::find(ranks, all_ranks->rank());
  GroupRef group;
  if (own != ranks.end()) {
    if (local) name += "#" + std::to_string(store->add("made/" + name + "/" + std::to_string(*own), 1));
    group = std::make_shared<ProcessGroup>(GroupPlan{.store = std::make_shared<PrefixStore>(name, store),
                                                     .name = name,
                                                     .rank = static_cast<int>(own - ranks.begin()),
                                                     .ranks = ranks,
                                                     .timeout = timeout,
                                                     .address = address});
  }
  if (!local) meet(*store, "made/" + name, all_ranks->size(), timeout);
  if (group) {
    const std::lock_guard lock(groups().lock);
    groups().others.push_back(group);
  }
  return group;
}

void destroy_group(const GroupRef& group) {
  Groups& all = groups();
  std::vector<GroupRef> ended;
  StoreRef store;
  {
    const std::lock_guard lock(all.lock);
    if (group == all.world) {
      ended = std::move(all.others);
      all.others.clear();
      ended.push_back(std::move(all.world));
      store = std::move(all.store);
      all.meeting = {};
    } else {
      check_value(std::erase(all.others, group) > 0, "Invalid process group specified");
      ended.push_back(group);
    }
  }
  for (const GroupRef& one : ended) one->shutdown();
}

void abandon_groups() noexcept {
  Groups& all = groups();
  const std::lock_guard lock(all.lock);
  for (const GroupRef& one : all.others) one->shutdown();
  if (all.world) all.world->shutdown();
}

}  // namespace onetape::distributed

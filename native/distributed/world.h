#pragma once

#include "distributed/process_group.h"
#include "distributed/rendezvous.h"

namespace onetape::distributed {

// The groups of this process, which both languages share.

/// Makes the group of all processes, which meet at a point. ValueError if there is one.
ONETAPE_API GroupRef make_world(const MeetingPoint& meeting, const std::string& name, Milliseconds timeout);
/// ValueError in PyTorch's words if there is one.
ONETAPE_API void check_no_world();
/// Null if there is none.
ONETAPE_API GroupRef world_or_null();
/// ValueError in PyTorch's words if there is none.
ONETAPE_API GroupRef world();
/// A further group, of some ranks of the world; all of the world make the call, in the same order, and wait
/// for each other, or its members alone if `local`. Null where this process is no member.
ONETAPE_API GroupRef new_group(std::vector<int> ranks, Milliseconds timeout, bool local);
/// Ends one group; the world takes all others with it.
ONETAPE_API void destroy_group(const GroupRef& group);
/// Ends all groups when the program ends; what is on its way fails.
ONETAPE_API void abandon_groups() noexcept;

}  // namespace onetape::distributed

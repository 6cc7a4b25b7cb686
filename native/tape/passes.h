#pragma once

#include "tape/tape.h"

namespace onetape::tape {

// What makes a program smaller or safer without changing what it gives.

/// How many memories the slots show.
size_t memory_count(const Program& program);
/// Constants that the program changes, or gives away, are made anew in every run.
void renew_constants(Program& program);
/// Drops the instructions that nobody needs: no output, gradient, change of a tensor from outside or drawn
/// number depends on them.
void remove_dead(Program& program);
/// Throws if an instruction uses what none makes.
void check_complete(const Program& program);
/// Drops the slots that nothing uses.
void remove_unused_slots(Program& program);
/// Has what is computed twice computed once.
void merge_common(Program& program);

}  // namespace onetape::tape

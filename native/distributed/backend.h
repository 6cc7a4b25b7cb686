#pragma once

#include <memory>
#include <vector>

#include "distributed/reduce_op.h"
#include "distributed/store.h"

namespace onetape::distributed {

/// What one call of a collective operation needs besides its memory.
struct CallInfo {
  /// The same in all processes for calls that belong together, and differing for any others that run at a
  /// time.
  uint32_t tag = 0;
  Milliseconds timeout{0};
};

/// Bytes that are on their way to or from one other process.
class Transfer {
 public:
  virtual ~Transfer() = default;
  /// Waits for the end; the rank of the other side.
  virtual int wait(Milliseconds timeout) = 0;
};

/// Moves bytes between the processes of a group. Memory is contiguous, all ranks call the same, with the same
/// sizes and in the same order. Errors are std::exceptions, after which the group is of no more use.
class ONETAPE_API Backend {
 public:
  virtual ~Backend() = default;
  virtual void all_reduce(void* data, size_t count, size_t item, const Combine& combine,
                          const CallInfo& info) = 0;
  virtual void reduce(const void* in, void* out, size_t count, size_t item, const Combine& combine, int root,
                      const CallInfo& info) = 0;
  virtual void broadcast(void* data, size_t bytes, int root, const CallInfo& info) = 0;
  virtual void all_gather(const void* in, size_t bytes, void* out, const CallInfo& info) = 0;
  /// `out` at the root only.
  virtual void gather(const void* in, size_t bytes, void* out, int root, const CallInfo& info) = 0;
  /// `in` at the root only: one block a rank.
  virtual void scatter(const std::vector<const void*>& in, void* out, size_t bytes, int root,
                       const CallInfo& info) = 0;
  /// Bytes for each rank, one after the other, and those from each.
  virtual void all_to_all(const void* in, const std::vector<int64_t>& in_bytes, void* out,
                          const std::vector<int64_t>& out_bytes, const CallInfo& info) = 0;
  virtual void barrier(const CallInfo& info) = 0;
  virtual std::unique_ptr<Transfer> send(const void* data, size_t bytes, int to, uint64_t slot) = 0;
  /// From any rank if `from` is negative.
  virtual std::unique_ptr<Transfer> receive(void* data, size_t bytes, int from, uint64_t slot) = 0;
  /// Ends all connections: what waits fails.
  virtual void abort() noexcept = 0;
};

/// What a backend needs to find the other processes.
struct BackendPlan {
  StoreRef store;
  int rank = 0;
  int size = 1;
  Milliseconds timeout{0};
  /// The address at which others reach this process; empty for that of the host's name.
  std::string address;
  /// Or a network interface by name.
  std::string interface;
};

/// The library beside this one that contains Gloo gives its backend, to be owned, by a function of this type
/// and name.
using MakeBackend = Backend* (*)(const BackendPlan& plan);
inline constexpr const char* kMakeGloo = "onetape_make_gloo";

/// Was this library built with Gloo?
ONETAPE_API bool has_gloo();
/// RuntimeError that says how to get it if it was not.
std::unique_ptr<Backend> make_gloo(const BackendPlan& plan);

}  // namespace onetape::distributed

#include "kernels/registry.h"

#include <map>
#include <mutex>

namespace onetape {
namespace {

struct Registry {
  std::map<std::string_view, std::array<std::array<InnerLoop, kDTypes>, 4>> by_name;
  std::map<std::string_view, Kernel> chosen;
  std::mutex lock;
};

Registry& registry() {
  static auto* one = new Registry;
  return *one;
}

CpuLevel detect() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd")) {
    return CpuLevel::V4;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return CpuLevel::V3;
  return CpuLevel::V2;
#else
  return CpuLevel::Base;
#endif
}

}  // namespace

CpuLevel cpu_level() {
  static const CpuLevel level = detect();
  return level;
}

void Kernel::fail_missing(DType dtype) const {
  fail(ErrorKind::NotImplemented, "\"", name, "\" not implemented for '", scalar_type_name(dtype), "'");
}

bool register_loop(CpuLevel level, std::string_view name, DType dtype, InnerLoop loop) {
  registry().by_name[name][static_cast<size_t>(level)][static_cast<size_t>(dtype)] = loop;
  return true;
}

const Kernel& find_kernel(std::string_view name) {
  Registry& all = registry();
  const std::lock_guard guard(all.lock);
  Kernel& kernel = all.chosen[name];
  if (!kernel.name.empty()) return kernel;
  const auto found = all.by_name.find(name);
  if (found == all.by_name.end()) fail(ErrorKind::NotImplemented, "no kernel is called ", name);
  for (int level = 0; level <= static_cast<int>(cpu_level()); ++level) {
    for (int d = 0; d < kDTypes; ++d) {
      if (found->second[level][d]) kernel.loops[d] = found->second[level][d];
    }
  }
  kernel.name = found->first;
  return kernel;
}

}  // namespace onetape

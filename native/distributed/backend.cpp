#include "distributed/backend.h"

#include <filesystem>

#include <dlfcn.h>

#include "core/error.h"

namespace onetape::distributed {
namespace {

constexpr const char* kLibrary = "libonetape_gloo.so";

/// The library with Gloo, in the folder of the one that this code stands in.
std::filesystem::path gloo_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&has_gloo), &info) == 0 || !info.dli_fname) return {};
  return std::filesystem::path(info.dli_fname).parent_path() / kLibrary;
}

MakeBackend load_gloo() {
  const std::filesystem::path library = gloo_library();
  check(has_gloo(), "Distributed package doesn't have Gloo built in: there is no ", library.string(),
        ". Build onetape where Gloo is installed (Debian: apt-get install libgloo-dev)");
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) fail(ErrorKind::Runtime, "Gloo cannot be loaded: ", dlerror());
  void* function = dlsym(handle, kMakeGloo);
  if (!function) fail(ErrorKind::Runtime, "Gloo cannot be loaded: ", dlerror());
  return reinterpret_cast<MakeBackend>(function);
}

}  // namespace

bool has_gloo() {
  std::error_code error;
  return std::filesystem::exists(gloo_library(), error);
}

std::unique_ptr<Backend> make_gloo(const BackendPlan& plan) {
  static const MakeBackend make = load_gloo();  // tried again if it throws
  return std::unique_ptr<Backend>(make(plan));
}

}  // namespace onetape::distributed

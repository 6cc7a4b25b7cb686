#include "core/mapped_file.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

namespace onetape {
namespace {

/// Note [Files that shrink]
/// The system answers the use of a mapped page that lies behind the end of its file with SIGBUS, which ends
/// the process, and nothing can keep other programs from shortening a file. So there is a handler that looks
/// whether the address lies in one of our mappings, and puts a page of zeros in the place of the one that has
/// gone. Any other SIGBUS goes to the handler that was there before, such as the JVM's.

/// One mapping. Entries are never freed, so that the handler may walk along them at any time; they are used
/// again.
struct Mapping {
  std::atomic<uintptr_t> start{0};
  std::atomic<uintptr_t> end{0};  // 0: not in use
  std::atomic<bool> told{false};
  Mapping* next = nullptr;
};

std::atomic<Mapping*> g_mappings{nullptr};
std::mutex g_mutex;  // changing the list, installing the handler
struct sigaction g_before;
std::atomic<int> g_passing{0};

Mapping* mapping_at(uintptr_t address) {
  for (Mapping* m = g_mappings.load(std::memory_order_acquire); m; m = m->next) {
    if (address >= m->start.load(std::memory_order_acquire) &&
        address < m->end.load(std::memory_order_acquire))
      return m;
  }
  return nullptr;
}

/// What was there before us gets the signal; if it comes back from there, the process ends as it would have.
void pass_on(int signal, siginfo_t* info, void* context) {
  if (g_passing.fetch_add(1) == 0) {
    if ((g_before.sa_flags & SA_SIGINFO) != 0) {
      g_before.sa_sigaction(signal, info, context);
      g_passing.store(0);
      return;
    }
    if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) {
      g_before.sa_handler(signal);
      g_passing.store(0);
      return;
    }
  }
  ::signal(signal, SIG_DFL);  // the instruction runs again, and ends the process
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  Mapping* mapping = info->si_code > 0 ? mapping_at(address) : nullptr;
  const auto page = static_cast<uintptr_t>(::getpagesize());
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what a signal gives
  void* place = reinterpret_cast<void*>(address & ~(page - 1));
  const int protection = PROT_READ | PROT_WRITE;
  if (!mapping ||
      ::mmap(place, page, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    pass_on(signal, info, context);
  } else if (!mapping->told.exchange(true)) {
    constexpr char kText[] =
        "onetape: a file was shortened while tensors were mapped to it; elements that have gone read as 0\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
  }
  errno = error;
}

/// Sees to it that SIGBUS comes to us first; somebody may have taken it since the last mapping.
void install_handler() {
  struct sigaction now {};
  if (::sigaction(SIGBUS, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_bus_error) return;
  g_before = now;
  struct sigaction ours {};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ::sigfillset(&ours.sa_mask);
  ::sigaction(SIGBUS, &ours, nullptr);
}

Mapping* remember(void* data, size_t bytes) {
  const std::lock_guard guard(g_mutex);
  install_handler();
  Mapping* entry = g_mappings.load();
  while (entry && entry->end.load() != 0) entry = entry->next;
  if (!entry) {
    entry = new Mapping;
    entry->next = g_mappings.load();
    g_mappings.store(entry, std::memory_order_release);
  }
  entry->told.store(false);
  entry->start.store(reinterpret_cast<uintptr_t>(data));
  entry->end.store(reinterpret_cast<uintptr_t>(data) + bytes, std::memory_order_release);
  return entry;
}

}  // namespace

Ref<Storage> map_file(int descriptor, size_t bytes) {
  struct stat status {};
  check(::fstat(descriptor, &status) == 0, "cannot map the file: ", std::strerror(errno));
  check(S_ISREG(status.st_mode), "cannot map the file: it is no regular file");
  check(static_cast<uint64_t>(status.st_size) == bytes, "cannot map the file: its size has changed");
  if (bytes == 0) return Storage::allocate(0);
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
  check(data != MAP_FAILED, "cannot map the file: ", std::strerror(errno));
  Mapping* entry = remember(data, bytes);
  return Storage::wrap(data, bytes, [data, bytes, entry] {
    ::munmap(data, bytes);
    const std::lock_guard guard(g_mutex);
    entry->start.store(0);
    entry->end.store(0);
  });
}

Ref<Storage> part_of(const Ref<Storage>& whole, int64_t offset, int64_t bytes) {
  const auto size = static_cast<int64_t>(whole->nbytes());
  check_value(offset >= 0 && bytes >= 0 && offset <= size && bytes <= size - offset, "bytes ", offset, " to ",
              offset, " + ", bytes, " of ", size);
  return Storage::wrap(static_cast<char*>(whole->data()) + offset, static_cast<size_t>(bytes), [whole] {});
}

}  // namespace onetape

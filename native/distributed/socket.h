#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "distributed/store.h"

namespace onetape::distributed {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  void close();

 private:
  int number_ = -1;
};

/// Listens on a port of all addresses, 0 for any free one; the port it got. DistNetworkError if it is taken.
std::pair<Descriptor, int> listen_on(int port);
/// Connects, again and again until the deadline, since the other side may not have begun yet.
Descriptor connect_to(const std::string& host, int port, Milliseconds timeout);

/// What went wrong with a connection, for the caller to say whose it was.
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Both throw ConnectionLost when the connection ends, or nothing moves until the deadline.
void send_all(const Descriptor& socket, std::string_view bytes, Clock::time_point deadline);
void receive_all(const Descriptor& socket, char* bytes, size_t count, Clock::time_point deadline);

/// The local address by which this machine reaches a host, as numbers; empty if it cannot.
std::string address_towards(const std::string& host, int port);

}  // namespace onetape::distributed

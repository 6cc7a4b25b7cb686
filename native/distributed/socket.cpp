#include "distributed/socket.h"

#include <cerrno>
#include <cstring>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "distributed/group_error.h"

namespace onetape::distributed {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses addresses_of(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) found = nullptr;
  return {found, &freeaddrinfo};
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<Milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 3'600'000));
}

/// Waits until something can be read or written; throws ConnectionLost at the deadline.
void await(const Descriptor& socket, short events, Clock::time_point deadline) {
  for (;;) {
    pollfd one{socket.get(), events, 0};
    const int ready = poll(&one, 1, milliseconds_until(deadline));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) throw ConnectionLost(std::strerror(errno));
    if (ready == 0 && Clock::now() >= deadline) throw ConnectionLost("no answer in time");
  }
}

void set_option(int socket, int level, int name, int value) {
  setsockopt(socket, level, name, &value, sizeof value);
}

Descriptor listen_at(int family, int port) {
  Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return {};
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  sockaddr_storage at{};
  socklen_t length = 0;
  if (family == AF_INET6) {
    set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    auto& address = reinterpret_cast<sockaddr_in6&>(at);
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_any;
    address.sin6_port = htons(static_cast<uint16_t>(port));
    length = sizeof(sockaddr_in6);
  } else {
    auto& address = reinterpret_cast<sockaddr_in&>(at);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    address.sin_port = htons(static_cast<uint16_t>(port));
    length = sizeof(sockaddr_in);
  }
  if (bind(socket.get(), reinterpret_cast<sockaddr*>(&at), length) != 0) return {};
  if (listen(socket.get(), SOMAXCONN) != 0) return {};
  return socket;
}

/// A port that nobody listens on yet may be the one that the system chooses for this end.
bool connected_to_itself(const Descriptor& socket) {
  sockaddr_storage here{};
  sockaddr_storage there{};
  socklen_t length = sizeof here;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&here), &length) != 0) return false;
  socklen_t other = sizeof there;
  if (getpeername(socket.get(), reinterpret_cast<sockaddr*>(&there), &other) != 0) return false;
  return length == other && std::memcmp(&here, &there, length) == 0;
}

/// One attempt with one address.
Descriptor connect_once(const addrinfo& address, Clock::time_point deadline) {
  Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return {};
  if (connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return {};
    try {
      await(socket, POLLOUT, deadline);
    } catch (const ConnectionLost&) {
      return {};
    }
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) return {};
  }
  if (connected_to_itself(socket)) return {};
  set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket.get(), SOL_SOCKET, SO_KEEPALIVE, 1);
  return socket;
}

}  // namespace

void Descriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

std::pair<Descriptor, int> listen_on(int port) {
  Descriptor socket = listen_at(AF_INET6, port);
  if (!socket) socket = listen_at(AF_INET, port);
  if (!socket) {
    const int error = errno;
    fail_group(GroupError::Part::Network,
               "The server socket has failed to listen on any local network address. port: ", port,
               ", useIpv6: false, code: ", -error, ", name: ", strerrorname_np(error),
               ", message: ", strerrordesc_np(error));
  }
  sockaddr_storage at{};
  socklen_t length = sizeof at;
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&at), &length);
  const in_port_t bound = at.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(at).sin6_port
                                                   : reinterpret_cast<sockaddr_in&>(at).sin_port;
  return {std::move(socket), ntohs(bound)};
}

Descriptor connect_to(const std::string& host, int port, Milliseconds timeout) {
  const Clock::time_point deadline = deadline_after(timeout);
  Milliseconds pause(10);
  for (;;) {
    const Addresses addresses = addresses_of(host, port);
    for (const addrinfo* one = addresses.get(); one; one = one->ai_next) {
      // An address that swallows packets must not use up the time for the others.
      Descriptor socket = connect_once(*one, std::min(deadline, deadline_after(std::chrono::seconds(10))));
      if (socket) return socket;
    }
    if (Clock::now() + pause >= deadline) {
      fail_group(GroupError::Part::Network, "The client socket has timed out after ", timeout.count(),
                 "ms while trying to connect to (", host, ", ", port, ").");
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, Milliseconds(500));
  }
}

void send_all(const Descriptor& socket, std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (sent < 0 && errno == EAGAIN) {
      await(socket, POLLOUT, deadline);
    } else if (sent < 0 && errno != EINTR) {
      throw ConnectionLost(std::strerror(errno));
    }
  }
}

void receive_all(const Descriptor& socket, char* bytes, size_t count, Clock::time_point deadline) {
  while (count > 0) {
    const ssize_t got = recv(socket.get(), bytes, count, 0);
    if (got > 0) {
      bytes += got;
      count -= static_cast<size_t>(got);
    } else if (got == 0) {
      throw ConnectionLost("Connection was likely closed. Did the remote server shutdown or crash?");
    } else if (errno == EAGAIN) {
      await(socket, POLLIN, deadline);
    } else if (errno != EINTR) {
      throw ConnectionLost(std::strerror(errno));
    }
  }
}

std::string address_towards(const std::string& host, int port) {
  const Addresses addresses = addresses_of(host, port);
  for (const addrinfo* one = addresses.get(); one; one = one->ai_next) {
    // A datagram socket is connected without a packet being sent.
    const Descriptor socket(::socket(one->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket || connect(socket.get(), one->ai_addr, one->ai_addrlen) != 0) continue;
    sockaddr_storage at{};
    socklen_t length = sizeof at;
    if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&at), &length) != 0) continue;
    char text[NI_MAXHOST];
    if (getnameinfo(reinterpret_cast<sockaddr*>(&at), length, text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) == 0)
      return text;
  }
  return {};
}

}  // namespace onetape::distributed

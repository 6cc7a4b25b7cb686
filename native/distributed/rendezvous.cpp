#include "distributed/rendezvous.h"

#include <charconv>
#include <cstdlib>
#include <map>

#include <unistd.h>

#include "core/error.h"
#include "distributed/file_store.h"
#include "distributed/tcp_store.h"

namespace onetape::distributed {
namespace {

struct Url {
  std::string scheme;
  std::string host;
  std::string port;
  std::string path;
  std::map<std::string, std::string> query;
};

Url parsed(const std::string& text) {
  Url url;
  const size_t colon = text.find("://");
  check(colon != std::string::npos, "No rendezvous handler for ", text);
  url.scheme = text.substr(0, colon);
  std::string rest = text.substr(colon + 3);
  if (const size_t mark = rest.find('?'); mark != std::string::npos) {
    std::string_view query = std::string_view(rest).substr(mark + 1);
    while (!query.empty()) {
      const std::string_view one = query.substr(0, query.find('&'));
      const size_t equals = one.find('=');
      if (equals != std::string_view::npos)
        url.query[std::string(one.substr(0, equals))] = one.substr(equals + 1);
      query.remove_prefix(std::min(one.size() + 1, query.size()));
    }
    rest.resize(mark);
  }
  const size_t slash = rest.find('/');
  if (slash != std::string::npos) url.path = rest.substr(slash);
  std::string host = rest.substr(0, slash);
  const size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  const size_t port = host.find(':', bracket == std::string::npos ? 0 : bracket);
  if (port != std::string::npos) {
    url.port = host.substr(port + 1);
    host.resize(port);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  url.host = std::move(host);
  return url;
}

struct Asked {
  const char* scheme;

  template <typename... Parts>
  void need(bool condition, const Parts&... parts) const {
    check_value(condition, "Error initializing torch.distributed using ", scheme,
                ":// rendezvous: ", parts...);
  }
  int64_t number(const std::string& what, const std::string& text) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    need(error == std::errc() && end == text.data() + text.size(), what, " must be a number, but is '", text,
         "'");
    return value;
  }
  std::string variable(const char* name) const {
    const char* value = std::getenv(name);
    need(value != nullptr, "environment variable ", name, " expected, but not set");
    return value;
  }
  /// The argument, else what the URL says.
  int64_t given(const Url& url, const char* name, int64_t argument) const {
    const auto found = url.query.find(name);
    return argument < 0 && found != url.query.end() ? number(name, found->second) : argument;
  }
  void check_ranks(int64_t rank, int64_t world_size) const {
    need(rank < world_size && world_size <= INT32_MAX, "rank ", rank, " is not below the world size ",
         world_size);
  }
};

std::string own_address(const std::string& host, int port) {
  const std::string address = address_towards(host, port);
  return address.empty() ? "127.0.0.1" : address;
}

MeetingPoint by_tcp(const Asked& asked, const std::string& host, int64_t port, int64_t rank,
                    int64_t world_size, Milliseconds timeout, const std::string& token) {
  asked.check_ranks(rank, world_size);
  asked.need(port >= 0 && port <= 65535, port, " is no port");
  const TcpStoreOptions options{.port = static_cast<int>(port),
                                .is_server = rank == 0,
                                .world_size = world_size,
                                .multi_tenant = true,
                                .timeout = timeout,
                                .token = token,
                                .fresh = true};
  return {std::make_shared<TcpStore>(host, options), static_cast<int>(rank), static_cast<int>(world_size),
          own_address(host, static_cast<int>(port))};
}

MeetingPoint from_tcp(const Url& url, int64_t rank, int64_t world_size, Milliseconds timeout) {
  const Asked asked{"tcp"};
  asked.need(!url.port.empty(), "port number missing");
  rank = asked.given(url, "rank", rank);
  world_size = asked.given(url, "world_size", world_size);
  asked.need(rank >= 0, "rank parameter missing");
  asked.need(world_size > 0, "world size parameter missing");
  const auto token = url.query.find("token");
  return by_tcp(asked, url.host, asked.number("port", url.port), rank, world_size, timeout,
                token == url.query.end() ? "" : token->second);
}

MeetingPoint from_env(const Url& url, int64_t rank, int64_t world_size, Milliseconds timeout) {
  const Asked asked{"env"};
  rank = asked.given(url, "rank", rank);
  if (rank < 0) rank = asked.number("environment variable RANK", asked.variable("RANK"));
  world_size = asked.given(url, "world_size", world_size);
  if (world_size < 0)
    world_size = asked.number("environment variable WORLD_SIZE", asked.variable("WORLD_SIZE"));
  asked.need(rank >= 0 && world_size > 0, "rank ", rank, " is not below the world size ", world_size);
  const std::string host = asked.variable("MASTER_ADDR");
  int64_t port = asked.number("environment variable MASTER_PORT", asked.variable("MASTER_PORT"));
  // Then torchrun itself listens on the port, and speaks another language.
  const char* agent = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  if (agent && std::string_view(agent) == "True") ++port;
  return by_tcp(asked, host, port, rank, world_size, timeout, "");
}

MeetingPoint from_file(const Url& url, int64_t rank, int64_t world_size, Milliseconds timeout) {
  const Asked asked{"file"};
  asked.need(!url.path.empty() && url.host.empty(), "path missing");
  rank = asked.given(url, "rank", rank);
  world_size = asked.given(url, "world_size", world_size);
  asked.need(rank >= 0, "rank parameter missing");
  asked.need(world_size > 0, "world size parameter missing");
  asked.check_ranks(rank, world_size);
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const auto store = std::make_shared<FileStore>(url.path, world_size);
  store->set_timeout(timeout);
  return {store, static_cast<int>(rank), static_cast<int>(world_size), own_address(host, 9)};
}

}  // namespace

MeetingPoint rendezvous(const std::string& text, int64_t rank, int64_t world_size, Milliseconds timeout) {
  const Url url = parsed(text);
  if (url.scheme == "tcp") return from_tcp(url, rank, world_size, timeout);
  if (url.scheme == "env") return from_env(url, rank, world_size, timeout);
  if (url.scheme == "file") return from_file(url, rank, world_size, timeout);
  fail(ErrorKind::Runtime, "No rendezvous handler for ", url.scheme, "://");
}

}  // namespace onetape::distributed

#include "distributed/store_server.h"

#include <cerrno>
#include <map>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.h"

namespace onetape::distributed {
namespace {

/// Who has not said the greeting by then is no client.
constexpr std::chrono::seconds kGreetingTime(10);

/// In a time that does not tell how much of it was right.
bool same(std::string_view a, std::string_view b) {
  unsigned differing = a.size() != b.size();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    differing |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return differing == 0;
}

/// The servers of this process.
struct Servers {
  std::mutex lock;
  std::map<int, std::weak_ptr<StoreServer>> by_port;
};
Servers& all_servers() {
  static auto* one = new Servers;  // outlives every thread
  return *one;
}

}  // namespace

StoreServer::StoreServer(int port, std::string token) : token_(std::move(token)) {
  std::tie(listener_, port_) = listen_on(port);
  int ends[2];
  check(pipe2(ends, O_CLOEXEC) == 0, "TCPStore: no pipe: ", strerrordesc_np(errno));
  wake_read_ = Descriptor(ends[0]);
  wake_write_ = Descriptor(ends[1]);
  thread_ = std::thread([this] { run(); });
}

StoreServer::~StoreServer() {
  wake_write_.close();
  thread_.join();
}

std::shared_ptr<StoreServer> StoreServer::make(int port, const std::string& token) {
  auto server = std::make_shared<StoreServer>(port, token);
  Servers& servers = all_servers();
  const std::lock_guard guard(servers.lock);
  servers.by_port[server->port()] = server;
  return server;
}

std::shared_ptr<StoreServer> StoreServer::existing(int port, const std::string& token) {
  Servers& servers = all_servers();
  const std::lock_guard guard(servers.lock);
  const auto found = servers.by_port.find(port);
  if (found == servers.by_port.end()) return nullptr;
  std::shared_ptr<StoreServer> server = found->second.lock();
  return server && server->token_ == token ? server : nullptr;
}

void StoreServer::wait_for_change(Clock::time_point deadline) {
  std::unique_lock lock(lock_);
  changed_.wait_until(lock, deadline);
}

void StoreServer::run() {
  std::vector<pollfd> polled;
  for (;;) {
    polled.assign({{wake_read_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}});
    for (const auto& client : clients_) {
      const int events = POLLIN | (client->out.empty() ? 0 : POLLOUT);
      polled.push_back({client->socket.get(), static_cast<short>(events), 0});
    }
    if (poll(polled.data(), polled.size(), next_timeout()) < 0 && errno != EINTR) return;
    if (polled[0].revents) return;
    const size_t count = clients_.size();
    for (size_t i = 0; i < count; ++i)
      if (!serve(*clients_[i], polled[i + 2].revents)) clients_[i]->socket.close();
    end_waits();
    std::erase_if(clients_, [](const auto& client) { return !client->socket; });
    if (polled[1].revents) accept_all();
  }
}

int StoreServer::next_timeout() const {
  Clock::time_point first = deadline_after(std::chrono::seconds(60));
  for (const auto& client : clients_) {
    if (client->waits) first = std::min(first, client->until);
    if (!client->greeted) first = std::min(first, client->since + kGreetingTime);
  }
  const auto left = std::chrono::ceil<Milliseconds>(first - Clock::now()).count();
  return static_cast<int>(std::max<int64_t>(left, 0));
}

void StoreServer::accept_all() {
  for (;;) {
    Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    const int on = 1;
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    clients_.push_back(std::make_unique<Client>());
    clients_.back()->socket = std::move(socket);
  }
}

/// False once the connection is to be closed.
bool StoreServer::serve(Client& client, short events) {
  if (!client.greeted && Clock::now() > client.since + kGreetingTime) return false;
  if (events & POLLIN) {
    if (!read(client)) return false;
  } else if (events & (POLLERR | POLLHUP | POLLNVAL)) {
    return false;
  }
  return flush(client);
}

bool StoreServer::read(Client& client) {
  char bytes[1 << 16];
  for (;;) {
    const ssize_t got = recv(client.socket.get(), bytes, sizeof bytes, 0);
    if (got == 0) return false;
    if (got < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN;
    }
    client.in.append(bytes, static_cast<size_t>(got));
    if (!take(client)) return false;
  }
}

/// Takes what is complete of what came in.
bool StoreServer::take(Client& client) {
  if (!client.greeted && !client.closing && !greet(client)) return false;
  while (client.greeted && !client.waits) {
    uint32_t length = 0;
    if (client.in.size() < sizeof length) return true;
    std::memcpy(&length, client.in.data(), sizeof length);
    if (length > kMaxMessage) return false;
    if (client.in.size() < sizeof length + length) return true;
    Message question;
    if (!decode(std::string_view(client.in).substr(sizeof length, length), question)) return false;
    client.in.erase(0, sizeof length + length);
    answer(client, question);
  }
  return true;
}

/// False if that is no client of ours.
bool StoreServer::greet(Client& client) {
  const std::string_view in = client.in;
  if (!kGreeting.starts_with(in.substr(0, kGreeting.size()))) return false;
  uint32_t length = 0;
  if (in.size() < kGreeting.size() + sizeof length) return true;
  std::memcpy(&length, in.data() + kGreeting.size(), sizeof length);
  if (length > kMaxToken) return false;
  const size_t end = kGreeting.size() + sizeof length + length;
  if (in.size() < end) return true;
  client.greeted = same(in.substr(end - length, length), token_);
  client.closing = !client.greeted;
  client.out.push_back(client.greeted ? 1 : 0);
  client.in.erase(0, end);
  return true;
}

void StoreServer::answer(Client& client, const Message& question) {
  if (static_cast<Question>(question.kind) == Question::Wait && !table_.has(question.texts)) {
    client.waits = true;
    client.until = deadline_after(Milliseconds(std::max<int64_t>(question.number, 0)));
    client.keys = question.texts;
    return;
  }
  Message reply;
  try {
    reply = replied(question);
  } catch (const std::exception& error) {
    reply = {static_cast<uint8_t>(Reply::Failed), 0, {error.what()}};
  }
  client.out += encoded(reply);
}

Message StoreServer::replied(const Message& question) {
  const auto kind = static_cast<Question>(question.kind);
  const std::vector<std::string>& texts = question.texts;
  const auto text = [&texts](size_t i) -> const std::string& {
    check(i < texts.size(), "the store was asked without a key");
    return texts[i];
  };
  Message reply{static_cast<uint8_t>(Reply::Fine), 0, {}};
  switch (kind) {
    case Question::Set:
      table_.set(text(0), text(1));
      break;
    case Question::Get:
      reply.texts.push_back(table_.find(text(0)).value_or(""));
      break;
    case Question::Add:
      reply.number = table_.add(text(0), question.number);
      break;
    case Question::Append:
      table_.append(text(0), text(1));
      break;
    case Question::CompareSet:
      reply.texts.push_back(table_.compare_set(text(0), text(1), text(2)));
      break;
    case Question::Delete:
      reply.number = table_.erase(text(0));
      break;
    case Question::Check:
      reply.number = table_.has(texts);
      break;
    case Question::Count:
      reply.number = table_.count();
      break;
    case Question::Keys:
      reply.texts = table_.keys();
      break;
    case Question::Wait:
      break;
    default:
      fail(ErrorKind::Runtime, "the store does not know the question ", static_cast<int>(question.kind));
  }
  changed_.notify_all();
  return reply;
}

/// Answers those whose keys have come, or whose time is over.
void StoreServer::end_waits() {
  for (const auto& client : clients_) {
    if (!client->waits || !client->socket) continue;
    const bool there = table_.has(client->keys);
    if (!there && Clock::now() < client->until) continue;
    client->waits = false;
    client->out += encoded({static_cast<uint8_t>(there ? Reply::Fine : Reply::Timeout), 0, {}});
    if (!take(*client) || !flush(*client)) client->socket.close();
  }
}

bool StoreServer::flush(Client& client) {
  while (!client.out.empty()) {
    const ssize_t sent = send(client.socket.get(), client.out.data(), client.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN;
    client.out.erase(0, static_cast<size_t>(sent));
  }
  return !client.closing;
}

}  // namespace onetape::distributed

#include "distributed/tcp_store.h"

#include <cstdlib>
#include <cstring>
#include <thread>

#include "distributed/failure.h"
#include "distributed/group_error.h"
#include "distributed/store_server.h"

namespace onetape::distributed {

namespace {

constexpr int kGoneTimes = 20;

class ServerGone : public GroupError {
 public:
  explicit ServerGone(std::string message) : GroupError(Part::Network, std::move(message)) {}
};

}  // namespace

std::string environment_token() {
  const char* token = std::getenv("ONETAPE_STORE_TOKEN");
  return token ? token : "";
}

TcpStore::TcpStore(std::string host, const TcpStoreOptions& options)
    : host_(std::move(host)),
      port_(options.port),
      token_(options.token.empty() ? environment_token() : options.token) {
  check_value(port_ >= 0 && port_ <= 65535, "TCPStore: ", port_, " is no port");
  check_value(token_.size() <= kMaxToken, "TCPStore: a token may have ", kMaxToken, " bytes, not ",
              token_.size());
  set_timeout(options.timeout);
  if (options.is_server) {
    if (options.multi_tenant) server_ = StoreServer::existing(port_, token_);
    // Only of a server that others used before: who joins a new one must not be forgotten.
    if (server_ && options.fresh) server_->clear();
    if (!server_) server_ = StoreServer::make(port_, token_);
    port_ = server_->port();
  }
  const Clock::time_point deadline = deadline_after(options.timeout);
  int gone_times = 0;
  for (;;) {
    idle_.clear();
    try {
      idle_.push_back(greeted(options.timeout));
    } catch (const ServerGone&) {
      // A server that ends while it is greeted is followed by another one, or it is none of ours.
      if (!options.fresh || ++gone_times > kGoneTimes) throw;
      std::this_thread::sleep_for(Milliseconds(50));
      continue;
    }
    if (!options.world_size || !options.wait_for_workers || join(*options.world_size, options.fresh)) break;
    if (Clock::now() >= deadline) {
      fail_group(GroupError::Part::Network, "the store on (", host_, ", ", port_, ") has all of its ",
                 *options.world_size, " clients already");
    }
    std::this_thread::sleep_for(Milliseconds(20));
  }
  if (server_ && options.world_size && options.wait_for_workers) wait_for_workers(*options.world_size);
}

TcpStore::~TcpStore() = default;

/// As in PyTorch, each that comes adds one. False if the server is that of an earlier group.
bool TcpStore::join(int64_t world_size, bool fresh) {
  if (!fresh || server_) {
    add("init/", 1);
    return true;
  }
  try {
    return add("init/", 1) <= world_size;
  } catch (const GroupError&) {
    return false;  // it has just ended
  }
}

/// Waits, as server, until all have come.
void TcpStore::wait_for_workers(int64_t world_size) {
  const Clock::time_point deadline = deadline_after(timeout());
  int64_t came = add("init/", 0);
  while (came < world_size && Clock::now() < deadline) {
    server_->wait_for_change(std::min(deadline, deadline_after(Milliseconds(100))));
    came = add("init/", 0);
  }
  if (came < world_size) {
    fail_group(GroupError::Part::Store, "Timed out after ", timeout().count(), "ms waiting for clients. ",
               came, "/", world_size, " clients joined.");
  }
}

Descriptor TcpStore::greeted(Milliseconds timeout) {
  Descriptor socket = connect_to(host_, port_, timeout);
  std::string greeting(kGreeting);
  put_length(greeting, token_.size());
  greeting += token_;
  char answer = 0;
  try {
    const Clock::time_point deadline = deadline_after(timeout);
    send_all(socket, greeting, deadline);
    receive_all(socket, &answer, 1, deadline);
  } catch (const ConnectionLost& lost) {
    throw ServerGone("what listens on (" + host_ + ", " + std::to_string(port_) +
                     ") does not speak as a store of onetape: " + lost.what());
  }
  if (answer != 1) {
    fail_group(GroupError::Part::Network, "the store on (", host_, ", ", port_,
               ") refused this process: its token (ONETAPE_STORE_TOKEN) is not the one of the server");
  }
  return socket;
}

Descriptor TcpStore::connection() {
  {
    const std::lock_guard lock(lock_);
    if (!idle_.empty()) {
      Descriptor socket = std::move(idle_.back());
      idle_.pop_back();
      return socket;
    }
  }
  return greeted(StorePatience::limited(std::min(timeout(), Milliseconds(30'000))));
}

Message TcpStore::ask(Question question, std::vector<std::string> texts, int64_t number,
                      Milliseconds patience) {
  Descriptor socket = connection();
  Message reply;
  try {
    const Clock::time_point deadline = deadline_after(StorePatience::limited(patience));
    send_all(socket, encoded({static_cast<uint8_t>(question), number, std::move(texts)}), deadline);
    uint32_t length = 0;
    receive_all(socket, reinterpret_cast<char*>(&length), sizeof length, deadline);
    if (length > kMaxMessage) throw ConnectionLost("the answer is too long");
    std::string body(length, '\0');
    receive_all(socket, body.data(), length, deadline);
    if (!decode(body, reply)) throw ConnectionLost("the answer makes no sense");
  } catch (const ConnectionLost& lost) {
    fail_group(GroupError::Part::Network, "the store on (", host_, ", ", port_,
               "), which rank 0 keeps, does not answer: ", lost.what());
  }
  {
    const std::lock_guard lock(lock_);
    idle_.push_back(std::move(socket));
  }
  if (static_cast<Reply>(reply.kind) == Reply::Failed)
    fail(ErrorKind::Runtime, reply.texts.empty() ? std::string("the store failed") : reply.texts[0]);
  return reply;
}

void TcpStore::set(const std::string& key, const std::string& value) { ask(Question::Set, {key, value}); }

std::string TcpStore::get(const std::string& key) {
  Store::wait({key});
  const Message reply = ask(Question::Get, {key});
  return reply.texts.empty() ? "" : reply.texts[0];
}

int64_t TcpStore::add(const std::string& key, int64_t amount) {
  return ask(Question::Add, {key}, amount).number;
}

void TcpStore::append(const std::string& key, const std::string& value) {
  ask(Question::Append, {key, value});
}

std::string TcpStore::compare_set(const std::string& key, const std::string& expected,
                                  const std::string& desired) {
  return ask(Question::CompareSet, {key, expected, desired}).texts.at(0);
}

bool TcpStore::delete_key(const std::string& key) { return ask(Question::Delete, {key}).number != 0; }

bool TcpStore::check(const std::vector<std::string>& keys) { return ask(Question::Check, keys).number != 0; }

int64_t TcpStore::num_keys() { return ask(Question::Count, {}).number; }

std::vector<std::string> TcpStore::list_keys() { return ask(Question::Keys, {}).texts; }

void TcpStore::wait(const std::vector<std::string>& keys, Milliseconds timeout) {
  const Milliseconds asked = std::clamp(timeout, Milliseconds(0), Milliseconds(Milliseconds::rep{1} << 40));
  const Message reply = ask(Question::Wait, keys, asked.count(), asked + std::chrono::seconds(30));
  if (static_cast<Reply>(reply.kind) == Reply::Timeout) {
    fail_group(GroupError::Part::Store, "wait timeout after ", timeout.count(), "ms, keys: ", key_list(keys));
  }
}

}  // namespace onetape::distributed

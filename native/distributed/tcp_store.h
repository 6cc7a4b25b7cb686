#pragma once

#include <mutex>

#include "distributed/socket.h"
#include "distributed/store_message.h"

namespace onetape::distributed {

struct TcpStoreOptions {
  int port = 29500;  // 0 for any free one, as server
  bool is_server = false;
  std::optional<int64_t> world_size;
  bool wait_for_workers = true;
  bool multi_tenant = false;  // share a server of this process on that port
  Milliseconds timeout = Store::kDefaultTimeout;
  std::string token;  // what clients must know; empty for the one of the environment
  /// For `world_size` processes that begin together: a server of an earlier group, which is about to end, is
  /// none.
  bool fresh = false;
};

class StoreServer;

/// A store that one process keeps and others reach by TCP.
class ONETAPE_API TcpStore final : public Store {
 public:
  /// DistNetworkError: the port is taken, nobody answers, the token is wrong, or too few workers came.
  TcpStore(std::string host, const TcpStoreOptions& options);
  ~TcpStore() override;

  void set(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t amount) override;
  void append(const std::string& key, const std::string& value) override;
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired) override;
  bool delete_key(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  int64_t num_keys() override;
  std::vector<std::string> list_keys() override;
  void wait(const std::vector<std::string>& keys, Milliseconds timeout) override;

  const std::string& host() const { return host_; }
  int port() const { return port_; }

 private:
  Message ask(Question question, std::vector<std::string> texts, int64_t number = 0,
              Milliseconds patience = std::chrono::seconds(30));
  Descriptor connection();
  Descriptor greeted(Milliseconds timeout);
  bool join(int64_t world_size, bool fresh);
  void wait_for_workers(int64_t world_size);

  std::string host_;
  int port_;
  std::string token_;
  std::shared_ptr<StoreServer> server_;
  std::mutex lock_;
  std::vector<Descriptor> idle_;
};

/// What ONETAPE_STORE_TOKEN says.
std::string environment_token();

}  // namespace onetape::distributed

#pragma once

#include <thread>

#include "distributed/key_table.h"
#include "distributed/store_message.h"

namespace onetape::distributed {

/// The keeping side of a TCP store: one thread answers all clients.
class StoreServer {
 public:
  StoreServer(int port, std::string token);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  static std::shared_ptr<StoreServer> make(int port, const std::string& token);
  /// The server that this process has on a port, or null.
  static std::shared_ptr<StoreServer> existing(int port, const std::string& token);

  int port() const { return port_; }
  /// Forgets all keys.
  void clear() { table_.clear(); }
  void wait_for_change(Clock::time_point deadline);

 private:
  struct Client {
    Descriptor socket;
    bool greeted = false;
    Clock::time_point since = Clock::now();
    std::string in;
    std::string out;
    bool closing = false;  // once all of `out` has been sent
    // A question that waits for keys.
    bool waits = false;
    Clock::time_point until;
    std::vector<std::string> keys;
  };

  void run();
  int next_timeout() const;
  void accept_all();
  bool serve(Client& client, short events);
  bool read(Client& client);
  bool take(Client& client);
  bool greet(Client& client);
  void answer(Client& client, const Message& question);
  Message replied(const Message& question);
  void end_waits();
  static bool flush(Client& client);

  Descriptor listener_;
  int port_;
  std::string token_;
  Descriptor wake_read_, wake_write_;  // a pipe: closing its end wakes the thread up for the last time
  KeyTable table_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace onetape::distributed

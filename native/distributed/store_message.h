#pragma once

#include <cstring>

#include "distributed/socket.h"

// What a client of a TCP store and its server say to each other. A client begins with kGreeting and the
// token, and is answered with one byte. Then it asks, one question at a time; each, as each answer, is a
// length (32 bits) and so many bytes: a kind, a number (64 bits), and texts, each with its length (32 bits)
// before it.

namespace onetape::distributed {

inline constexpr std::string_view kGreeting = "onetape store 1\n";
inline constexpr size_t kMaxToken = 4096;
inline constexpr size_t kMaxMessage = size_t{1} << 30;

enum class Question : uint8_t { Set, Get, Add, Append, CompareSet, Delete, Check, Count, Keys, Wait };
enum class Reply : uint8_t { Fine, Timeout, Failed };

struct Message {
  uint8_t kind = 0;
  int64_t number = 0;
  std::vector<std::string> texts;
};

inline void put_length(std::string& to, size_t length) {
  const auto number = static_cast<uint32_t>(length);
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// With its length before it.
inline std::string encoded(const Message& message) {
  std::string body;
  body.push_back(static_cast<char>(message.kind));
  body.append(reinterpret_cast<const char*>(&message.number), sizeof message.number);
  for (const std::string& text : message.texts) {
    put_length(body, text.size());
    body += text;
  }
  if (body.size() > kMaxMessage) throw ConnectionLost("a value is larger than a store takes");
  std::string all;
  put_length(all, body.size());
  return all + body;
}

/// False if the bytes are none.
inline bool decode(std::string_view body, Message& message) {
  if (body.size() < 1 + sizeof message.number) return false;
  message.kind = static_cast<uint8_t>(body[0]);
  std::memcpy(&message.number, body.data() + 1, sizeof message.number);
  body.remove_prefix(1 + sizeof message.number);
  while (!body.empty()) {
    uint32_t length = 0;
    if (body.size() < sizeof length) return false;
    std::memcpy(&length, body.data(), sizeof length);
    body.remove_prefix(sizeof length);
    if (length > body.size()) return false;
    message.texts.emplace_back(body.substr(0, length));
    body.remove_prefix(length);
  }
  return true;
}

}  // namespace onetape::distributed

#include "tape/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "ops/copy.h"
#include "tape/alias.h"
#include "tape/json.h"

namespace onetape::tape {
namespace {

constexpr std::string_view kFormat = "onetape.tape";
constexpr uint64_t kMostHeader = 100'000'000;  // as safetensors has it
constexpr std::array<std::string_view, kDTypes> kNames = {"BOOL", "U8",   "I8",  "I16", "I32", "I64",
                                                          "F16",  "BF16", "F32", "F64", "C64", "C128"};

[[noreturn]] void damaged(const char* what) { fail(ErrorKind::Value, "Tape: the file is damaged: ", what); }

bool is_held(const Slot& slot) { return slot.origin == Origin::Captured || slot.origin == Origin::Constant; }

void check_apart(const Program& program) {
  std::vector<bool> seen(program.slots.size());
  for (const Slot& slot : program.slots) {
    if (!is_held(slot)) continue;
    check(!seen[static_cast<size_t>(slot.memory)],
          "Tape: two tensors from outside share memory, which a file cannot keep");
    seen[static_cast<size_t>(slot.memory)] = true;
  }
}

void read_tensor(Slot& slot, const Json& entry, std::string_view data) {
  const auto& name = entry.at("dtype").get_ref<const std::string&>();
  const auto shape = entry.at("shape").get<std::vector<int64_t>>();
  const auto begin = entry.at("data_offsets").at(0).get<uint64_t>();
  const auto end = entry.at("data_offsets").at(1).get<uint64_t>();
  if (name != kNames[static_cast<size_t>(slot.dtype)] || !same(shape, slot.sizes))
    damaged("a tensor has another form");
  const auto bytes = static_cast<uint64_t>(checked_numel(slot.sizes, slot.dtype)) * item_size(slot.dtype);
  if (begin > end || end > data.size() || end - begin != bytes) damaged("a tensor lies outside the file");
  Tensor plain = Tensor::empty(slot.sizes, slot.dtype);
  if (bytes > 0) std::memcpy(plain.bytes(), data.data() + begin, bytes);
  if (slot.dtype == DType::Bool) {
    for (uint64_t i = 0; i < bytes; ++i) plain.bytes()[i] = plain.bytes()[i] != 0;
  }
  if (same(plain.strides(), slot.strides)) {
    slot.held = std::move(plain);
  } else {
    slot.held = empty_of_form(slot);
    copy_elements(slot.held, plain);
  }
  if (slot.requires_grad) set_requires_grad(slot.held, true);
}

Ref<Tape> parse(std::string_view bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof(length)) damaged("it is too short");
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > kMostHeader || length > bytes.size() - sizeof(length))
    damaged("its header is longer than the file");
  const Json header = Json::parse(bytes.substr(sizeof(length), length));
  const std::string_view data = bytes.substr(sizeof(length) + length);
  const Json& about = header.at("__metadata__");
  check_value(about.value("format", "") == kFormat, "Tape: the file is no tape");
  const auto& version = about.at("version").get_ref<const std::string&>();
  check_value(version == std::to_string(kFormatVersion), "Tape: the file is of version ",
              version.substr(0, 16), ", which is not known; this is version ", kFormatVersion);
  Program program = from_json(Json::parse(about.at("program").get_ref<const std::string&>()));
  for (size_t i = 0; i < program.slots.size(); ++i) {
    if (is_held(program.slots[i])) read_tensor(program.slots[i], header.at(std::to_string(i)), data);
  }
  return Ref<Tape>::adopt(new Tape(std::move(program)));
}

}  // namespace

std::string to_bytes(const Program& program) {
  check_apart(program);
  const GradModeGuard no_grad(false);
  Json header;
  std::string data;
  for (size_t i = 0; i < program.slots.size(); ++i) {
    const Slot& slot = program.slots[i];
    if (!is_held(slot)) continue;
    const Tensor plain = dense(slot.held);
    const size_t begin = data.size();
    data.append(plain.bytes(), static_cast<size_t>(plain.numel()) * plain.item_bytes());
    header[std::to_string(i)] = {{"dtype", kNames[static_cast<size_t>(slot.dtype)]},
                                 {"shape", std::vector<int64_t>(slot.sizes.begin(), slot.sizes.end())},
                                 {"data_offsets", {begin, data.size()}}};
  }
  header["__metadata__"] = {
      {"format", kFormat}, {"version", std::to_string(kFormatVersion)}, {"program", to_json(program).dump()}};
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  return bytes + text + data;
}

Ref<Tape> from_bytes(std::string_view bytes) {
  try {
    return parse(bytes);
  } catch (const Json::exception& error) {
    fail(ErrorKind::Value, "Tape: the file is damaged: ", error.what());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Value || error.kind() == ErrorKind::OutOfMemory) throw;
    fail(ErrorKind::Value, "Tape: the file is damaged: ", error.what());
  }
}

void save(const Tape& tape, const std::string& path) {
  const std::string bytes = to_bytes(tape.program());
  const std::string partial = path + ".partial";
  {
    std::ofstream file(partial, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
      std::remove(partial.c_str());
      fail(ErrorKind::Runtime, "Tape: cannot write ", path, ": ", std::strerror(errno));
    }
  }
  if (std::rename(partial.c_str(), path.c_str()) != 0) {
    const int why = errno;
    std::remove(partial.c_str());
    fail(ErrorKind::Runtime, "Tape: cannot write ", path, ": ", std::strerror(why));
  }
}

Ref<Tape> load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  check(file.good(), "Tape: cannot read ", path, ": ", std::strerror(errno));
  std::ostringstream text;
  text << file.rdbuf();
  check(!file.bad(), "Tape: cannot read ", path, ": ", std::strerror(errno));
  return from_bytes(std::move(text).str());
}

}  // namespace onetape::tape

#include "models/sim/trace/signals.h"

#include <cstring>

namespace tactus::trace {

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::clock:
      return "clock";
    case Kind::valid:
      return "valid";
    case Kind::ready:
      return "ready";
    case Kind::payload:
      return "payload";
    case Kind::reg:
      return "register";
    case Kind::level:
      return "queue level";
    case Kind::state:
      return "state";
    case Kind::config:
      return "configuration";
    case Kind::wire:
      return "wire";
  }
  return "";
}

void pack_bytes(const std::uint8_t* bytes, unsigned count, std::uint64_t* words) {
  const unsigned whole = count / 8;
  std::memcpy(words, bytes, std::size_t{whole} * 8);
  if (count % 8 == 0) return;
  words[whole] = 0;
  std::memcpy(words + whole, bytes + std::size_t{whole} * 8, count % 8);
}

std::uint64_t lane_value(const Widths& widths, const std::uint8_t* lanes, std::uint64_t lane) {
  if (lanes == nullptr) return 0;
  std::uint64_t value = 0;
  std::memcpy(&value, lanes + lane * widths.lane_bytes, widths.lane_bytes);
  return widths.lane_bits == 64 ? value : value & ((std::uint64_t{1} << widths.lane_bits) - 1);
}

void pack_lanes(const Widths& widths, const std::uint8_t* lanes, std::uint64_t* words) {
  const unsigned bits = widths.vector_bits();
  if (lanes != nullptr && widths.lane_bits == widths.lane_bytes * 8) {
    pack_bytes(lanes, bits / 8, words);
    return;
  }
  std::memset(words, 0, std::size_t{(bits + 63) / 64} * 8);
  if (lanes == nullptr) return;
  for (unsigned i = 0; i < widths.lanes; ++i) {
    const std::uint64_t lane = lane_value(widths, lanes, i);
    const unsigned at = i * widths.lane_bits;
    words[at / 64] |= lane << (at % 64);
    if (at % 64 + widths.lane_bits > 64) words[at / 64 + 1] |= lane >> (64 - at % 64);
  }
}

namespace {

Signal make_signal(std::string name, unsigned width, Kind kind, Moment moment, unsigned level) {
  Signal signal;
  signal.name = std::move(name);
  signal.width = width;
  signal.kind = kind;
  signal.moment = moment;
  signal.level = level;
  if (width == 1) signal.radix = Radix::binary;
  return signal;
}

}  // namespace

// ---- payloads ----------------------------------------------------------------------------------

Signal& Payload::add(const char* name, unsigned width, Radix radix, Read read, const char* note) {
  Signal signal = make_signal(path_ + "." + name, width, Kind::payload, moment_, level_);
  if (width != 1) signal.radix = radix;
  signal.guard = guard_;
  signal.read = std::move(read);
  signal.note = note;
  registry_.signals_.push_back(std::move(signal));
  return registry_.signals_.back();
}

void Payload::vector(const char* name, const VectorRef* vector) {
  const Widths& widths = registry_.widths();
  add(
      name, widths.vector_bits(), Radix::hexadecimal,
      [&widths, vector](std::uint64_t* words) { pack_lanes(widths, *vector, words); }, "");
  Signal& lanes = add("lanes", widths.lane_bits, Radix::decimal, {}, "");
  lanes.elements = widths.lanes;
  lanes.word = "lanes";
  lanes.element_name = [](std::uint64_t i) { return "lane" + std::to_string(i); };
  lanes.read_element = [&widths, vector](std::uint64_t i, std::uint64_t* words) {
    *words = lane_value(widths, *vector, i);
  };
}

void Payload::bytes(const char* name, unsigned count, Read read) {
  add(name, count * 8, Radix::hexadecimal, std::move(read), "");
}

// ---- scopes ------------------------------------------------------------------------------------

void Scope::add(const std::string& name, unsigned width, Kind kind, Radix radix, Moment moment,
                Read read, const char* note) const {
  Signal signal = make_signal(path_ + "." + name, width, kind, moment, level_);
  if (width != 1) signal.radix = radix;
  signal.read = std::move(read);
  signal.note = note;
  registry_.signals_.push_back(std::move(signal));
}

void Scope::flag(const std::string& path, Kind kind, const bool* flag) const {
  Signal signal = make_signal(path, 1, kind, Moment::committed, level_);
  signal.flag = flag;
  registry_.signals_.push_back(std::move(signal));
}

void Scope::clock(const char* name) const {
  registry_.signals_.push_back(
      make_signal(path_ + "." + name, 1, Kind::clock, Moment::settled, level_));
}

void Scope::vector_register(const std::string& name, std::function<VectorRef()> get) const {
  const Widths& widths = registry_.widths();
  add(
      name, widths.vector_bits(), Kind::reg, Radix::hexadecimal, Moment::settled,
      [&widths, get = std::move(get)](std::uint64_t* words) { pack_lanes(widths, get(), words); },
      "");
}

/// Adds signals of a channel that another unit has already described, under this unit's names.
bool Scope::repeat_channel(const char* name, const void* link) const {
  const auto known = registry_.channels_.find(link);
  if (known == registry_.channels_.end()) return false;
  const auto [first, count] = known->second;
  const std::string& valid = registry_.signals_[first].name;
  const std::size_t old_path = valid.size() - std::string(".valid").size();
  const std::size_t guard = registry_.signals_.size();
  for (std::size_t i = 0; i < count; ++i) {
    Signal signal = registry_.signals_[first + i];
    signal.name = path_ + "." + name + signal.name.substr(old_path);
    signal.level = level_;
    signal.original = first + i;
    if (signal.guard != none) signal.guard = guard;
    registry_.signals_.push_back(std::move(signal));
  }
  return true;
}

void Scope::family(const char* word, std::uint64_t elements, unsigned width,
                   std::function<std::string(std::uint64_t)> name, ReadElement read) const {
  Signal signal = make_signal(path_ + "." + word, width, Kind::reg, Moment::settled, level_);
  signal.elements = elements;
  signal.word = word;
  signal.element_name = std::move(name);
  signal.read_element = std::move(read);
  registry_.signals_.push_back(std::move(signal));
}

}  // namespace tactus::trace

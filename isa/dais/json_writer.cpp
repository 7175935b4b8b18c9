#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "isa/dais/check.h"
#include "isa/dais/json.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::dais {
namespace {

/// The shortest decimal that reads back exactly, always with a point or an exponent, as Python
/// writes it.
std::string real(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <typename List, typename Format>
std::string join(const List& list, Format format) {
  std::string text = "[";
  for (const auto& element : list) {
    if (text.size() > 1) text += ',';
    text += format(element);
  }
  return text + "]";
}

std::string boolean(bool value) { return value ? "true" : "false"; }

/// A name for a table without one: a hash over the entries (64-bit FNV-1a), so equal tables share
/// it.
std::string content_hash(const Table& table) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const std::int32_t entry : table.entries) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      hash ^= (static_cast<std::uint32_t>(entry) >> shift) & 0xFFU;
      hash *= 0x100000001B3;
    }
  }
  return fmt::format("{:016x}", hash);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

class Writer {
 public:
  Writer(const Program& program, std::string where)
      : program_(program), where_(std::move(where)), intervals_(program.ops.size()) {
    for (std::size_t i = 0; i < intervals_.size(); ++i) choose_interval(i);
    for (std::size_t i = 0; i < intervals_.size(); ++i) apply_pad(i);
  }

  [[nodiscard]] std::string text() const {
    std::string text = fmt::format("[[{},{}],", program_.input_count(), program_.output_count());
    text += join(program_.input_shifts, [](std::int32_t s) { return std::to_string(s); }) + ",";
    const auto& outputs = program_.outputs;
    text += join(outputs, [](const Output& o) { return std::to_string(o.index); }) + ",";
    text += join(outputs, [](const Output& o) { return std::to_string(o.shift); }) + ",";
    text += join(outputs, [](const Output& o) { return boolean(o.negative); }) + ",[";
    for (std::size_t i = 0; i < program_.ops.size(); ++i) {
      if (i > 0) text += ',';
      text += op_text(i);
    }
    text += fmt::format("],{},{}", program_.carry_size, program_.adder_size);
    if (!program_.tables.empty()) {
      std::vector<std::size_t> numbers(program_.tables.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
      text += "," + join(numbers, [this](std::size_t i) { return table_text(i); });
    }
    return text + "]";
  }

 private:
  void choose_interval(std::size_t index) {
    const Op& op = program_.ops[index];
    intervals_[index] = op.range;
    if (type_of(op.range) == op.type) return;
    intervals_[index] = interval_of(op.type);
    if (type_of(intervals_[index]) == op.type) return;
    user_error("{}:operation {}: the JSON form cannot express the type ({}, {}, {})", where_, index,
               op.type.is_signed, op.type.integer_bits, op.type.fraction_bits);
  }

  /// Sets the start of the source's interval to the start of the table: readers derive the pad of a
  /// lookup from that interval.
  void apply_pad(std::size_t index) {
    const Op& op = program_.ops[index];
    if (kind_of(op.opcode) != OpKind::lookup) return;
    const auto source = static_cast<std::size_t>(op.id0);
    const DataType& type = program_.ops[source].type;
    Interval& interval = intervals_[source];
    const double lowest = type.is_signed != 0 ? -std::ldexp(1.0, type.integer_bits) : 0;
    const double first = lowest + op.data_high() * interval.step;
    const bool taken = pads_.size() > source && pads_[source] && *pads_[source] != op.data_high();
    interval.min = first;
    if (taken || !(type_of(interval) == type)) {
      user_error(
          "{}:operation {}: the JSON form cannot express a lookup that starts {} codes "
          "above the smallest value of operation {}",
          where_, index, op.data_high(), source);
    }
    pads_.resize(program_.ops.size());
    pads_[source] = op.data_high();
  }

  [[nodiscard]] std::string op_text(std::size_t index) const {
    const Op& op = program_.ops[index];
    // The data of a lookup is only the table's number.
    const std::int64_t data = kind_of(op.opcode) == OpKind::lookup ? op.data_low() : op.data;
    const Interval& range = intervals_[index];
    return fmt::format("[{},{},{},{},[{},{},{}],{},{}]", op.id0, op.id1, op.opcode, data,
                       real(range.min), real(range.max), real(range.step), real(op.latency),
                       real(op.cost));
  }

  /// The first lookup that uses the table. If the program came from a binary file, its types
  /// describe the table.
  [[nodiscard]] const Op* user_of(std::size_t table) const {
    for (const Op& op : program_.ops) {
      if (kind_of(op.opcode) == OpKind::lookup &&
          static_cast<std::size_t>(op.data_low()) == table) {
        return &op;
      }
    }
    return nullptr;
  }

  [[nodiscard]] std::string table_text(std::size_t number) const {
    const Table& table = program_.tables[number];
    Interval range = table.range;
    std::int64_t width = table.input_width;
    const Op* user = table.hash.empty() ? user_of(number) : nullptr;
    if (user != nullptr) {
      range = interval_of(user->type);
      width = program_.ops[static_cast<std::size_t>(user->id0)].type.width();
    }
    const std::string interval = fmt::format(R"({{"min":{},"max":{},"step":{}}})", real(range.min),
                                             real(range.max), real(range.step));
    return fmt::format(
        R"({{"spec":{{"hash":{},"out_qint":{},"inp_width":{}}},"table":{}}})",
        quoted(table.hash.empty() ? content_hash(table) : table.hash), interval, width,
        join(table.entries, [](std::int32_t entry) { return std::to_string(entry); }));
  }

  const Program& program_;
  std::string where_;
  std::vector<Interval> intervals_;
  std::vector<std::optional<std::int32_t>> pads_;
};

}  // namespace

std::string encode_json(const Program& program, const std::string& where) {
  check_program(program, where);
  return Writer(program, where).text();
}

std::string encode_json(const Pipeline& pipeline, const std::string& where) {
  check_pipeline(pipeline, where);
  std::string text = "[[";
  for (const Program& stage : pipeline.stages) {
    if (text.size() > 2) text += ',';
    text += Writer(stage, where).text();
  }
  return text + "]]";
}

}  // namespace tactus::dais

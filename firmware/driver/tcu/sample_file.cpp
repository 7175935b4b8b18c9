#include "firmware/driver/tcu/sample_file.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/tcu/instruction_kind.h"

namespace tactus {
namespace {

constexpr std::size_t word_bytes = 8;

std::string class_name(const tcu::InstructionLayout& layout, const tcu::Instruction& i) {
  const tcu::InstructionKind kind = kind_of(layout, i);
  if (kind != tcu::InstructionKind::undefined) return std::string(info(kind).title);
  if (static_cast<tcu::Opcode>(i.opcode) == tcu::Opcode::data_move) return "DataMove, invalid kind";
  const bool dais = static_cast<tcu::Opcode>(i.opcode) == tcu::Opcode::dais;
  return dais && layout.dais_block_count > 0 ? "Dais, invalid block" : "invalid opcode";
}

std::uint32_t counter(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

/// Ports of local memory that an instruction uses: bit 0 for port A, bit 1 for port B.
unsigned local_ports(const tcu::InstructionLayout& layout, const tcu::Instruction& i) {
  const tcu::InstructionKindInfo& row = info(kind_of(layout, i));
  const bool reads = row.from == tcu::VectorMemory::local && (i.flags & row.zeroes) == 0;
  if (!reads && row.to != tcu::VectorMemory::local) return 0;
  const bool is_dram = row.action == tcu::Action::from_dram || row.action == tcu::Action::to_dram;
  return is_dram ? 2 : 1;
}

/// Describes a contradiction between a sample and the instruction at its program counter; empty:
/// there is none.
std::string contradiction(const tcu::InstructionLayout& layout, std::uint64_t word,
                          const tcu::Instruction& instruction) {
  const unsigned port_a = 6, port_b = 5;  // indices in sample_channels
  unsigned asked = (channel_state(word, port_a) & 1U) | (channel_state(word, port_b) & 1U) << 1;
  asked &= ~local_ports(layout, instruction);
  if (asked == 0) return {};
  return fmt::format(
      "at program counter {} a sample shows a request to local memory's port {}, but {}"
      " there makes none",
      counter(word), (asked & 1U) != 0 ? "A" : "B", class_name(layout, instruction));
}

}  // namespace

void SampleFile::add(const Sample& sample) {
  ++samples_;
  in_block_ = sample.last ? 0 : in_block_ + 1;
  blocks_ += sample.last ? 1 : 0;
  if (!error_.empty()) return;
  std::array<std::uint8_t, word_bytes> bytes{};
  for (unsigned i = 0; i < word_bytes; ++i) {
    bytes[i] = static_cast<std::uint8_t>(sample.word >> (8 * i));
  }
  try {
    file_.write(bytes.data(), bytes.size());
  } catch (const UserError& error) {
    error_ = error.what();
  }
}

std::string SampleFile::finish() {
  if (samples_ == 0) {
    return "--samples: no sample was taken, because the interval register stayed 0; set it with "
           "--sample-interval or in the program (Configure SampleInterval)";
  }
  if (!error_.empty()) return error_;
  try {
    file_.close();
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

std::string SampleFile::summary(std::uint64_t dropped) const {
  return fmt::format("{} in {} whole blocks{}, {} dropped", samples_, blocks_,
                     in_block_ == 0 ? "" : fmt::format(" and {} of another", in_block_), dropped);
}

namespace {

std::vector<std::uint64_t> parse_samples(const std::vector<std::uint8_t>& bytes,
                                         const std::string& path) {
  if (bytes.empty()) user_error("{}: no samples: the file is empty", path);
  if (bytes.size() % word_bytes != 0) {
    user_error("{}: {} bytes; allowed: whole samples of {} bytes", path, bytes.size(), word_bytes);
  }
  std::vector<std::uint64_t> words(bytes.size() / word_bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    words[i / word_bytes] |= std::uint64_t{bytes[i]} << (8 * (i % word_bytes));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] >> 48 != 0) {
      user_error("{}: word {} (byte {}) is 0x{:016x}, not a sample: bits 63:48 must be zero", path,
                 i, i * word_bytes, words[i]);
    }
  }
  return words;
}

}  // namespace

std::vector<std::uint64_t> read_samples(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  return parse_as(FileKind::samples, path, as_text(bytes),
                  [&] { return parse_samples(bytes, path); });
}

SampleAnalysis analyse_samples(const std::vector<std::uint64_t>& words,
                               const SampleProgram* program, bool from_start) {
  SampleAnalysis analysis;
  analysis.samples = words.size();
  auto first = words.begin();
  if (!from_start) {
    const auto falls = [](std::uint64_t a, std::uint64_t b) { return counter(b) < counter(a); };
    const auto decrease = std::adjacent_find(words.begin(), words.end(), falls);
    if (decrease != words.end()) first = decrease + 1;
  }
  std::optional<tcu::InstructionLayout> layout;
  std::vector<tcu::Instruction> instructions;
  if (program != nullptr) {
    layout.emplace(program->architecture);
    instructions = decode_program(*layout, program->bytes);
  }
  const std::uint64_t lowest = program != nullptr ? program->first_counter : 0;
  while (first != words.end() && counter(*first) < lowest) ++first;
  analysis.before = static_cast<std::uint64_t>(first - words.begin());

  std::map<std::string, SampleClass> classes;
  for (auto word = first; word != words.end(); ++word) {
    std::string name = "all";
    if (program != nullptr) {
      if (counter(*word) < lowest || counter(*word) - lowest >= instructions.size()) {
        analysis.after = static_cast<std::uint64_t>(words.end() - word);
        break;
      }
      const tcu::Instruction& instruction = instructions[counter(*word) - lowest];
      name = class_name(*layout, instruction);
      if (analysis.contradiction.empty()) {
        analysis.contradiction = contradiction(*layout, *word, instruction);
      }
    }
    if (analysis.analysed++ == 0) analysis.first_counter = counter(*word);
    analysis.last_counter = counter(*word);
    SampleClass& one = classes[name];
    ++one.samples;
    for (unsigned channel = 0; channel < sample_channels.size(); ++channel) {
      ++one.states[channel][channel_state(*word, channel)];
    }
    ++one.patterns[static_cast<std::uint16_t>(*word >> 32)];
  }
  if (program != nullptr && analysis.analysed == 0) {
    analysis.contradiction = fmt::format("no sample has a program counter within it, {}..{}",
                                         lowest, lowest + instructions.size() - 1);
  }
  for (auto& [name, one] : classes) {
    one.name = name;
    analysis.classes.push_back(std::move(one));
  }
  std::stable_sort(analysis.classes.begin(), analysis.classes.end(),
                   [](const auto& a, const auto& b) { return a.samples > b.samples; });
  return analysis;
}

}  // namespace tactus

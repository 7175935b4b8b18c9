#include "isa/dpas/unwritten.h"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "isa/dpas/block2d.h"
#include "isa/support/text.h"

namespace tactus::dpas {
namespace {

/// For each byte of the register file: true if it may have been written.
using Bytes = std::vector<bool>;

/// Calls visit(first byte, number of bytes) for the pieces of registers that an operand names.
template <typename Visit>
void visit_pieces(const Instruction& i, const Operand& operand, unsigned grf_bytes,
                  const Visit& visit) {
  if (operand.bytes == 0) return;
  const std::uint32_t at = operand.address;
  if (operand.kind == Operand::Kind::general && !i.is_dpas() && i.opcode != Opcode::lsc_untyped) {
    const std::uint32_t bytes = info(operand.type).bytes;
    const Region& r = operand.region;
    for (std::uint32_t n = 0; n < i.execution_size; ++n) {
      const std::uint32_t element = &operand == &i.dst
                                        ? n * r.horizontal
                                        : n / r.width * r.vertical + n % r.width * r.horizontal;
      visit(at + element * bytes, bytes);
    }
  } else if (i.is_dpas() && &operand == &i.source[2]) {
    // Rows of src2 are as far apart as those of systolic depth 8.
    const DpasShape shape = shape_of(i);
    const std::uint32_t row = info(i.a).bits * shape.k / 8;
    const std::uint32_t pitch = info(i.a).bits * shape.ops;
    for (std::uint32_t from = 0; from + row <= operand.bytes; from += pitch) visit(at + from, row);
  } else if (i.opcode == Opcode::lsc_untyped && i.lsc.operation == LscOperation::store_block2d &&
             &operand == &i.source[6]) {
    // Bytes between rows are not stored.
    std::vector<std::uint8_t> stored(operand.bytes);
    const std::vector<std::uint8_t> block(row_bytes(i.lsc.block) * i.lsc.block.height, 1);
    for (unsigned b = 0; b < i.lsc.block.blocks; ++b) {
      place_block(i.lsc.block, grf_bytes, b, block.data(), stored.data());
    }
    for (std::uint32_t n = 0; n < stored.size(); ++n) {
      if (stored[n] != 0) visit(at + n, 1);
    }
  } else if (i.opcode == Opcode::lsc_untyped && !i.lsc.is_block2d() && &operand != &i.source[0]) {
    for (unsigned channel = 0; channel < i.execution_size; ++channel) {
      for (unsigned element = 0; element < i.lsc.vector_size; ++element) {
        visit(at + lsc_data_offset(i.lsc, i.execution_size, grf_bytes, channel, element),
              i.lsc.element_bytes());
      }
    }
  } else {
    visit(at, operand.bytes);
  }
}

/// Visits the instructions in the order of the text. Where paths join after forward jumps, the
/// bytes written on any of them count as written. A backward jump adds nothing, because the first
/// iteration of its loop has come before it. Instructions that only a backward jump leads to are
/// visited in another pass.
class Search {
 public:
  Search(const Program& program, const Kernel& kernel, const Profile& profile)
      : program_(program),
        kernel_(kernel),
        grf_bytes_(profile.grf_bytes),
        start_(profile.register_file_bytes()) {
    set(start_, 0, grf_bytes_);
    for (const Input& input : kernel.inputs) {
      set(start_, kernel.variable(input.variable)->address, input.size);
    }
    for (const Instruction& i : kernel.instructions) {
      if (i.opcode == Opcode::jmp) at_target_.emplace(i.target, Bytes());
    }
  }

  UnwrittenReads run() {
    do {
      found_ = {};
      found_.place = "register";
      changed_ = false;
      pass();
    } while (changed_);
    return found_;
  }

 private:
  static void set(Bytes& bytes, std::uint32_t first, std::uint32_t count) {
    std::fill_n(bytes.begin() + first, count, true);
  }

  /// Adds the bytes written before a jump to those at its target; an empty set means not reached.
  static void merge(Bytes& target, const Bytes& from) {
    if (target.empty()) target = from;
    for (std::size_t b = 0; b < from.size(); ++b) {
      if (from[b]) target[b] = true;
    }
  }

  void pass() {
    Bytes now = start_;
    for (std::size_t n = 0; n < kernel_.instructions.size(); ++n) {
      const Instruction& i = kernel_.instructions[n];
      if (const auto target = at_target_.find(n); target != at_target_.end()) {
        if (!now.empty()) merge(target->second, now);
        now = target->second;
      }
      if (now.empty()) continue;
      read(n, now);
      visit_pieces(i, i.dst, grf_bytes_,
                   [&](std::uint32_t first, std::uint32_t count) { set(now, first, count); });
      if (i.opcode == Opcode::jmp) {
        Bytes& target = at_target_.at(i.target);
        const bool back = i.target <= n;
        changed_ |= back && target.empty();
        if (!back || target.empty()) merge(target, now);
      }
      const bool leaves = i.opcode == Opcode::jmp || i.opcode == Opcode::ret;
      if (leaves && i.predicate.variable == 0) now.clear();
    }
  }

  void read(std::size_t n, const Bytes& written) {
    const Instruction& i = kernel_.instructions[n];
    std::uint64_t count = 0;
    for (const Operand& operand : i.source) {
      std::uint32_t counted_to = 0;  // registers below it are counted
      visit_pieces(i, operand, grf_bytes_, [&](std::uint32_t first, std::uint32_t bytes) {
        for (std::uint32_t byte = first; byte < first + bytes; ++byte) {
          if (written[byte]) continue;
          if (found_.first.empty()) name(n, operand, byte);
          if (byte / grf_bytes_ < counted_to) continue;
          counted_to = byte / grf_bytes_ + 1;
          ++count;
        }
      });
    }
    found_.count += count;
    if (count > 0) ++found_.instructions;
  }

  void name(std::size_t n, const Operand& operand, std::uint32_t byte) {
    const Variable* const variable = kernel_.variable(operand.variable);
    const std::string place = program_.location(kernel_, n);
    found_.first = fmt::format(
        "instruction {}{} reads register {}{}, which nothing has written", n,
        place.empty() ? "" : fmt::format(" ({}{})", program_.is_text ? "line " : "", place),
        byte / grf_bytes_,
        variable == nullptr ? "" : fmt::format(" of variable {}", quote(variable->name)));
  }

  const Program& program_;
  const Kernel& kernel_;
  const unsigned grf_bytes_;
  Bytes start_;  ///< inputs, and register 0
  /// Bytes written before each jump target, by instruction; empty: not reached so far.
  std::map<std::size_t, Bytes> at_target_;
  bool changed_ = false;
  UnwrittenReads found_;
};

}  // namespace

UnwrittenReads unwritten_reads(const Program& program, const Kernel& kernel,
                               const Profile& profile) {
  return Search(program, kernel, profile).run();
}

}  // namespace tactus::dpas

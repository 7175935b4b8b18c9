#include "firmware/driver/darwinn/relocate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "isa/darwinn/package.h"
#include "isa/support/error.h"

namespace tactus {
namespace {

/// Adjacent vectors of DRAM0 that stay together in a region.
struct Span {
  std::uint64_t first = 0, end = 0;  ///< vectors [first, end) of DRAM0 in the model
  std::uint64_t start = 0;  ///< address of `first` relative to the region's base, in vectors
  std::int16_t desc = darwinn::scratch;
  const std::string* name = nullptr;  ///< null: scratch memory

  [[nodiscard]] bool same_base(const Span& other) const {
    return desc == other.desc && (name == nullptr || *name == *other.name);
  }
};

/// DRAM0 of a model, divided into spans. What is no span of a tensor is scratch memory.
class Regions {
 public:
  Regions(const Model& model, bool tensors_apart) {
    if (!tensors_apart) return;
    add(model.file.inputs, darwinn::input);
    add(model.file.outputs, darwinn::output);
    std::sort(spans_.begin(), spans_.end(),
              [](const Span& a, const Span& b) { return a.first < b.first; });
    join();
  }
  [[nodiscard]] Span at(std::uint64_t vector) const {
    const auto next =
        std::upper_bound(spans_.begin(), spans_.end(), vector,
                         [](std::uint64_t v, const Span& span) { return v < span.first; });
    if (next != spans_.begin() && vector < std::prev(next)->end) return *std::prev(next);
    Span scratch;
    scratch.first = scratch.start = next == spans_.begin() ? 0 : std::prev(next)->end;
    scratch.end = next == spans_.end() ? std::numeric_limits<std::uint64_t>::max() : next->first;
    return scratch;
  }

 private:
  /// Adds tensors; the pieces of a tensor are consecutive in its region.
  void add(const std::vector<tcu::TensorEntry>& entries, std::int16_t desc) {
    std::map<std::string_view, std::uint64_t> ends;
    for (const tcu::TensorEntry& one : entries) {
      std::uint64_t& end = ends[one.name];
      spans_.push_back({one.base, one.base + one.size, end, desc, &one.name});
      end += one.size;
    }
  }
  /// Joins pieces that are adjacent both in DRAM0 and in the tensor.
  void join() {
    std::vector<Span> joined;
    for (const Span& span : spans_) {
      const bool goes_on = !joined.empty() && joined.back().same_base(span) &&
                           joined.back().end == span.first &&
                           joined.back().start + (span.first - joined.back().first) == span.start;
      if (goes_on) {
        joined.back().end = span.end;
      } else {
        joined.push_back(span);
      }
    }
    spans_ = std::move(joined);
  }
  std::vector<Span> spans_;
};

/// A DataMove to or from DRAM0, or a part of one, that stays inside one span.
struct Access {
  std::size_t instruction = 0;
  tcu::DataMoveKind kind = tcu::DataMoveKind::dram0_to_local;
  tcu::Operand local{}, dram{};  ///< `dram` is relative to the span's base
  std::uint64_t count = 0;
  Span span;
};

class Relocator {
 public:
  Relocator(const Model& model, bool tensors_apart)
      : model_(model), layout_(model.file.arch), regions_(model, tensors_apart) {
    program_ = decode_program(layout_, model.program);
    for (std::size_t i = 0; i < program_.size(); ++i) cut(i);
    size_scratch();
  }

  [[nodiscard]] RelocatableProgram run() {
    configure({});
    result_.bases.push_back({result_.instructions.size(), darwinn::parameter, {}});
    emit(make_configure(layout_, tcu::ConfigRegister::dram1_offset, 0));
    if (!accesses_.empty() && accesses_[0].span.desc != darwinn::scratch) {
      configure(accesses_[0].span);
    }
    result_.ahead = result_.instructions.size();
    auto next = accesses_.begin();
    for (std::size_t i = 0; i < program_.size(); ++i) {
      result_.places.push_back(result_.instructions.size());
      if (next == accesses_.end() || next->instruction != i) {
        emit(program_[i]);
        continue;
      }
      for (; next != accesses_.end() && next->instruction == i; ++next) {
        emit(make_data_move(layout_, next->kind, next->local, next->dram, next->count));
        if (std::next(next) != accesses_.end()) go_on(*next, std::next(next)->span);
      }
    }
    result_.places.push_back(result_.instructions.size());
    return std::move(result_);
  }

 private:
  void emit(const tcu::Instruction& one) { result_.instructions.push_back(one); }
  void configure(const Span& span) {
    result_.bases.push_back({result_.instructions.size(), span.desc,
                             span.name == nullptr ? std::string() : *span.name});
    emit(make_configure(layout_, tcu::ConfigRegister::dram0_offset, 0));
  }
  void go_on(const Access& last, const Span& span) {
    if (span.same_base(last.span)) return;
    if (last.kind == tcu::DataMoveKind::local_to_dram0) {
      emit(make_data_move(layout_, tcu::DataMoveKind::dram0_to_local, {last.local.address, 0},
                          {last.dram.address, 0}, 1));
      ++result_.read_backs;
    }
    configure(span);
  }

  /// Splits an instruction into accesses, one for each span that it touches.
  void cut(std::size_t i) {
    const tcu::Instruction& one = program_[i];
    if (one.opcode == static_cast<std::uint8_t>(tcu::Opcode::configure)) {
      user_error("{}: instruction {} is a Configure, which cannot be packed", model_.path, i);
    }
    if (one.opcode != static_cast<std::uint8_t>(tcu::Opcode::data_move)) return;
    const auto kind = static_cast<tcu::DataMoveKind>(one.flags);
    if (kind != tcu::DataMoveKind::dram0_to_local && kind != tcu::DataMoveKind::local_to_dram0) {
      return;
    }
    const tcu::Operand local = operand0_fields(layout_, one), dram = operand1_fields(layout_, one);
    const std::uint64_t last = one.operand2, depth = model_.file.arch.dram0_depth;
    if (dram.address >= depth || last > (depth - 1 - dram.address) >> dram.stride) {
      user_error("{}: instruction {} leaves DRAM0, which has {} vectors", model_.path, i, depth);
    }
    for (std::uint64_t done = 0; done <= last;) {
      Access access{i, kind, local, dram, 0, regions_.at(dram.address + (done << dram.stride))};
      const std::uint64_t address = dram.address + (done << dram.stride);
      const std::uint64_t fit = ((access.span.end - 1 - address) >> dram.stride) + 1;
      access.count = std::min(fit, last + 1 - done);
      access.local.address += done << local.stride;
      access.dram.address = address - access.span.first + access.span.start;
      accesses_.push_back(access);
      done += access.count;
    }
  }

  /// Sets the size of scratch memory. It holds tensors without a base of their own and all other
  /// vectors that are used.
  void size_scratch() {
    std::uint64_t end = 1;
    std::set<std::pair<std::int16_t, std::string_view>> based;
    for (const Access& access : accesses_) {
      if (access.span.name != nullptr) based.emplace(access.span.desc, *access.span.name);
    }
    const auto add = [&](const std::vector<tcu::TensorEntry>& entries, std::int16_t desc) {
      for (const tcu::TensorEntry& entry : entries) {
        if (based.count({desc, entry.name}) != 0) continue;
        end = std::max(end, entry.base + entry.size);
      }
    };
    add(model_.file.inputs, darwinn::input);
    add(model_.file.outputs, darwinn::output);
    for (const Access& access : accesses_) {
      if (access.span.desc != darwinn::scratch) continue;
      end = std::max(end, access.dram.address + ((access.count - 1) << access.dram.stride) + 1);
    }
    result_.scratch_size = end;
  }

  const Model& model_;
  const tcu::InstructionLayout layout_;
  const Regions regions_;
  std::vector<tcu::Instruction> program_;
  std::vector<Access> accesses_;
  RelocatableProgram result_;
};

}  // namespace

RelocatableProgram relocatable(const Model& model, bool tensors_apart) {
  return Relocator(model, tensors_apart).run();
}

}  // namespace tactus

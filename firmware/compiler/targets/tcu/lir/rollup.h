// Runs of vectors from single ones, so that one instruction moves many.
//
// Source: toolchain spec section 3.10.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "firmware/compiler/targets/tcu/lir/lir.h"

namespace tactus::compiler::lir {

/// The code s with 2^s == step and s < depth.
[[nodiscard]] inline std::optional<unsigned> stride_code(std::uint64_t step, std::uint32_t depth) {
  if (step == 0 || (step & (step - 1)) != 0) return std::nullopt;
  unsigned code = 0;
  while (step >> code != 1) ++code;
  return code < depth ? std::optional(code) : std::nullopt;
}

/// Steps of one operand through a memory, first to last. Zeroes stand still.
class Walk {
 public:
  void start(Address first) { first_ = last_ = first, stride_ = 0; }
  /// Whether `next` can be the second vector; nothing changes if not.
  [[nodiscard]] std::optional<unsigned> second(Address next, std::uint32_t strides) const {
    if (next.tag() != first_.tag()) return std::nullopt;
    if (next.is(Tag::zeroes)) return 0U;
    if (next.raw() <= first_.raw()) return std::nullopt;
    return stride_code(next.raw() - first_.raw(), strides);
  }
  [[nodiscard]] bool follows(Address next) const {
    if (next.tag() != last_.tag()) return false;
    return next.is(Tag::zeroes) || next.raw() == last_.raw() + (std::uint64_t{1} << stride_);
  }
  void set_stride(unsigned stride) { stride_ = stride; }
  void step(Address next) { last_ = next; }
  [[nodiscard]] Place place() const { return {first_, stride_}; }

 private:
  Address first_, last_;
  unsigned stride_ = 0;
};

/// Pairs of a local address and another one. `emit(local, other, count)` takes each run.
template <typename Emit>
class PairRollup {
 public:
  /// `strides0` codes for the local operand, `strides1` for the other; at most `longest` a run.
  PairRollup(std::uint32_t strides0, std::uint32_t strides1, std::uint64_t longest, Emit emit)
      : strides0_(strides0), strides1_(strides1), longest_(longest), emit_(std::move(emit)) {}

  void add(Address local, Address other) {
    if (!extend(local, other)) {
      flush();
      local_.start(local);
      other_.start(other);
      count_ = 1;
    }
  }
  void flush() {
    if (count_ > 0) emit_(local_.place(), other_.place(), count_);
    count_ = 0;
  }

 private:
  bool extend(Address local, Address other) {
    if (count_ == 0 || count_ == longest_) return false;
    if (count_ == 1) {
      const auto stride0 = local_.second(local, strides0_);
      const auto stride1 = other_.second(other, strides1_);
      if (!stride0 || !stride1) return false;
      local_.set_stride(*stride0);
      other_.set_stride(*stride1);
    } else if (!local_.follows(local) || !other_.follows(other)) {
      return false;
    }
    local_.step(local);
    other_.step(other);
    ++count_;
    return true;
  }

  std::uint32_t strides0_, strides1_;
  std::uint64_t longest_;
  Emit emit_;
  Walk local_, other_;
  std::uint64_t count_ = 0;
};

/// Single addresses in falling order. `emit(lowest, count)` takes each run.
template <typename Emit>
class ReverseRollup {
 public:
  ReverseRollup(std::uint32_t strides, Emit emit) : strides_(strides), emit_(std::move(emit)) {}

  void add(Address next) {
    if (!extend(next)) {
      flush();
      lowest_ = next;
      stride_ = 0;
      count_ = 1;
    }
  }
  void flush() {
    if (count_ > 0) emit_(Place{lowest_, stride_}, count_);
    count_ = 0;
  }

 private:
  bool extend(Address next) {
    if (count_ == 0 || next.tag() != lowest_.tag()) return false;
    if (!next.is(Tag::zeroes)) {
      if (next.raw() >= lowest_.raw()) return false;
      const auto stride = stride_code(lowest_.raw() - next.raw(), strides_);
      if (!stride || (count_ > 1 && *stride != stride_)) return false;
      stride_ = *stride;
    }
    lowest_ = next;
    ++count_;
    return true;
  }

  std::uint32_t strides_;
  Emit emit_;
  Address lowest_;
  unsigned stride_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace tactus::compiler::lir

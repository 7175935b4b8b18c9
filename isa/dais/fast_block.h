// The block kernel: every operation is a loop over lanes that compilers vectorise. Each file that
// compiles the kernel for one kind of processor includes this header. Everything is in an unnamed
// namespace and calls no function of the standard library: otherwise the linker could take a shared
// inline function in its version for wider registers for the whole program.
//
// Lanes hold exact mantissas in a type that the plan has proven wide enough. Intermediate sums and
// products may wrap, which is exact modulo the lane's width.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/dais/fast_kernels.h"

namespace tactus::dais {
namespace {

template <typename Lane>
struct LaneInfo;
template <>
struct LaneInfo<std::int16_t> {
  using Unsigned = std::uint16_t;
  using Wide = std::uint32_t;  ///< the unsigned type of arithmetic, free of promotion to int
};
template <>
struct LaneInfo<std::int32_t> {
  using Unsigned = std::uint32_t;
  using Wide = std::uint32_t;
};
template <>
struct LaneInfo<std::int64_t> {
  using Unsigned = std::uint64_t;
  using Wide = std::uint64_t;
};

template <typename Lane>
class Block {
  using Unsigned = typename LaneInfo<Lane>::Unsigned;
  using Wide = typename LaneInfo<Lane>::Wide;
  static constexpr unsigned lane_bits = 8 * sizeof(Lane);

 public:
  explicit Block(const FastBlock& block)
      : block_(block), slots_(static_cast<Lane*>(block.slots)), n_(block.lanes / 64 * 64) {}

  bool run() {
    for (std::size_t i = 0; i < block_.step_count; ++i) {
      if (!step(block_.steps[i])) return false;
    }
    return true;
  }

 private:
  static Wide wide(Lane a) { return static_cast<Wide>(static_cast<Unsigned>(a)); }
  static Lane lane(Wide a) { return static_cast<Lane>(static_cast<Unsigned>(a)); }
  /// Compilers do vectorise multiplications of 16-bit lanes, but widen their shifts to 32 bits.
  static Wide left(Lane a, unsigned count) {
    if constexpr (sizeof(Lane) == 2) {
      return wide(a) * (Wide{1} << count);
    } else {
      return wide(a) << count;
    }
  }
  static Lane right(Lane a, unsigned count) {
    if constexpr (sizeof(Lane) == 8) {
      // Written without a 64-bit arithmetic shift, because few processors have it for vectors.
      constexpr Wide top = Wide{1} << 63;
      return lane(((wide(a) ^ top) >> count) - (top >> count));
    } else {
      return static_cast<Lane>(a >> count);
    }
  }
  /// Returns -a if `ones` is all ones, a if it is 0.
  static Wide negated(Wide a, Wide ones) { return (a ^ ones) - ones; }

  [[nodiscard]] Lane* slot(std::uint32_t number) const {
    return static_cast<Lane*>(
        __builtin_assume_aligned(slots_ + std::size_t{number} * block_.lanes, 64));
  }

  template <typename Operation>
  bool unary(const FastStep& s, Operation operation) {
    Lane* __restrict__ to = slot(s.to);
    const Lane* __restrict__ a = slot(s.from0);
    const std::size_t n = n_;
    for (std::size_t i = 0; i < n; ++i) to[i] = operation(a[i]);
    return true;
  }
  template <typename Operation>
  bool binary(const FastStep& s, Operation operation) {
    Lane* __restrict__ to = slot(s.to);
    const Lane* __restrict__ a = slot(s.from0);
    const Lane* __restrict__ b = slot(s.from1);
    const std::size_t n = n_;
    for (std::size_t i = 0; i < n; ++i) to[i] = operation(a[i], b[i]);
    return true;
  }

  bool step(const FastStep& s) {
    const unsigned left0 = s.left0, left1 = s.left1, right_count = s.right;
    switch (s.code) {
      case FastCode::copy:
        return copy(s);
      case FastCode::output:
        return output(s);
      case FastCode::fill: {
        Lane* to = slot(s.to);
        for (std::size_t i = 0; i < n_; ++i) to[i] = static_cast<Lane>(s.constant);
        return true;
      }
      case FastCode::add:
        return binary(s, [](Lane a, Lane b) { return lane(wide(a) + wide(b)); });
      case FastCode::add_left0:
        return binary(s, [=](Lane a, Lane b) { return lane(left(a, left0) + wide(b)); });
      case FastCode::add_left1:
        return binary(s, [=](Lane a, Lane b) { return lane(wide(a) + left(b, left1)); });
      case FastCode::subtract:
        return binary(s, [](Lane a, Lane b) { return lane(wide(a) - wide(b)); });
      case FastCode::subtract_left0:
        return binary(s, [=](Lane a, Lane b) { return lane(left(a, left0) - wide(b)); });
      case FastCode::subtract_left1:
        return binary(s, [=](Lane a, Lane b) { return lane(wide(a) - left(b, left1)); });
      case FastCode::add_constant: {
        const auto constant = static_cast<Wide>(s.constant);
        return unary(s, [=](Lane a) { return lane(left(a, left0) + constant); });
      }
      case FastCode::right:
        return unary(s, [=](Lane a) { return right(a, right_count); });
      case FastCode::multiply:
        return binary(s, [](Lane a, Lane b) { return lane(wide(a) * wide(b)); });
      case FastCode::quantise:
      case FastCode::relu:
        return s.cuts ? quantise<true>(s) : quantise<false>(s);
      case FastCode::mux_bit: {
        const unsigned count = s.left;
        return mux(s, [=](Lane c) { return lane(left(c, count)) < 0; });
      }
      case FastCode::mux_compare: {
        const auto limit = static_cast<Lane>(s.constant);
        return mux(s, [=](Lane c) { return c >= limit; });
      }
      case FastCode::lookup:
        return lookup(s);
      case FastCode::bit_not:
      case FastCode::bit_any:
      case FastCode::bit_all:
      case FastCode::bit_and:
      case FastCode::bit_or:
      case FastCode::bit_xor:
        return bits(s);
    }
    return false;
  }

  template <bool cuts>
  bool quantise(const FastStep& s) {
    const unsigned count = s.right;
    const auto mask = static_cast<Wide>(s.mask), sign = static_cast<Wide>(s.sign);
    const Wide ones = s.negate0 ? ~Wide{0} : 0;
    const auto cut = [=](Lane a) { return cuts ? lane(((wide(a) & mask) ^ sign) - sign) : a; };
    if (s.code == FastCode::quantise) {
      return unary(s, [=](Lane a) { return cut(right(lane(negated(wide(a), ones)), count)); });
    }
    return unary(s, [=](Lane a) {
      const Lane v = lane(negated(wide(a), ones));
      return cut(right(v < 0 ? Lane{0} : v, count));
    });
  }

  template <typename Condition>
  bool mux(const FastStep& s, Condition condition) {
    const unsigned left0 = s.left0, left1 = s.left1;
    const auto mask = static_cast<Wide>(s.mask), sign = static_cast<Wide>(s.sign);
    const Wide ones = s.negate1 ? ~Wide{0} : 0;
    Lane* __restrict__ to = slot(s.to);
    const Lane* __restrict__ a = slot(s.from0);
    const Lane* __restrict__ b = slot(s.from1);
    const Lane* __restrict__ c = slot(s.condition);
    const std::size_t n = n_;
    for (std::size_t i = 0; i < n; ++i) {
      const Lane first = lane(left(a[i], left0));
      const Lane second = lane(negated(left(b[i], left1), ones));
      to[i] = lane(((wide(condition(c[i]) ? first : second) & mask) ^ sign) - sign);
    }
    return true;
  }

  bool bits(const FastStep& s) {
    const auto constant = static_cast<Wide>(s.constant);
    const Wide ones0 = s.negate0 ? ~Wide{0} : 0;
    const Wide ones1 = s.negate1 ? ~Wide{0} : 0;
    const unsigned left0 = s.left0, left1 = s.left1;
    // The comparison is in the lane's type: bits of the mask above the lane repeat its sign.
    const Lane all = lane(constant);
    switch (s.code) {
      case FastCode::bit_not:
        return unary(s, [=](Lane a) { return lane(~negated(wide(a), ones0) & constant); });
      case FastCode::bit_any:
        return unary(s, [=](Lane a) { return static_cast<Lane>(a != 0 ? 1 : 0); });
      case FastCode::bit_all:
        return unary(s, [=](Lane a) {
          return static_cast<Lane>(lane(negated(wide(a), ones0) & constant) == all ? 1 : 0);
        });
      case FastCode::bit_and:
        return binary(s, [=](Lane a, Lane b) {
          return lane(negated(left(a, left0), ones0) & negated(left(b, left1), ones1));
        });
      case FastCode::bit_or:
        return binary(s, [=](Lane a, Lane b) {
          return lane(negated(left(a, left0), ones0) | negated(left(b, left1), ones1));
        });
      case FastCode::bit_xor:
        return binary(s, [=](Lane a, Lane b) {
          return lane(negated(left(a, left0), ones0) ^ negated(left(b, left1), ones1));
        });
      default:
        return false;
    }
  }

  bool lookup(const FastStep& s) {
    Lane* __restrict__ to = slot(s.to);
    const Lane* __restrict__ a = slot(s.from0);
    const std::int32_t* __restrict__ table = s.table;
    const auto start = static_cast<std::uint64_t>(s.constant);
    for (std::size_t i = 0; i < n_; ++i) {
      const std::uint64_t entry = static_cast<std::uint64_t>(std::int64_t{a[i]}) - start;
      if (entry >= s.table_size) return false;
      to[i] = static_cast<Lane>(table[entry]);
    }
    return true;
  }

  /// Writes the scaled reals of one input to scratch. True if all magnitudes are below 2^51.
  bool scale_input(const FastStep& s) {
    const double* __restrict__ in = block_.inputs + s.port;
    const std::size_t stride = block_.input_stride;
    double* __restrict__ scaled = block_.scratch;
    const double scale = s.scale;
    if (block_.samples == n_) {
      const std::size_t n = n_;
      for (std::size_t i = 0; i < n; ++i) scaled[i] = in[i * stride] * scale;
    } else {
      for (std::size_t i = 0; i < n_; ++i) {
        scaled[i] = in[(i < block_.samples ? i : block_.samples - 1) * stride] * scale;
      }
    }
    // Bits without the sign compare like magnitudes; NaN compares above all numbers.
    constexpr std::uint64_t limit = 0x4320000000000000;  // 2^51
    constexpr std::uint64_t magnitude = ~(std::uint64_t{1} << 63);
    std::uint64_t beyond = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      std::uint64_t bits;
      __builtin_memcpy(&bits, scaled + i, sizeof bits);
      beyond |= limit - 1 - (bits & magnitude);
    }
    return (beyond >> 63) == 0;
  }

  bool copy(const FastStep& s) {
    Lane* __restrict__ to = slot(s.to);
    const auto mask = static_cast<Wide>(s.mask), sign = static_cast<Wide>(s.sign);
    const bool small = scale_input(s);
    const double* __restrict__ scaled = block_.scratch;
    const std::size_t n = n_;
    if (!small) {
      for (std::size_t i = 0; i < n; ++i) {
        const auto m = static_cast<Wide>(floor_slowly(scaled[i]));
        to[i] = lane(((m & mask) ^ sign) - sign);
      }
      return true;
    }
    // Adding 1.5 * 2^52 rounds to an integer: a double of this size has no fraction bits, and the
    // integer is in its low bits.
    constexpr double magic = 6755399441055744.0;
    constexpr std::uint64_t magic_bits = 0x4338000000000000;
    for (std::size_t i = 0; i < n; ++i) {
      const double rounded = (scaled[i] + magic) - magic;
      const double floored = (rounded - (rounded > scaled[i] ? 1.0 : 0.0)) + magic;
      std::uint64_t bits;
      __builtin_memcpy(&bits, &floored, sizeof bits);
      const auto m = static_cast<Wide>(bits - magic_bits);
      to[i] = lane(((m & mask) ^ sign) - sign);
    }
    return true;
  }

  static std::int64_t floor_slowly(double value) {
    constexpr double end = 9223372036854775808.0;  // 2^63
    if (!(value >= -end && value < end)) return INT64_MIN;
    const auto truncated = static_cast<std::int64_t>(value);
    return truncated - (static_cast<double>(truncated) > value ? 1 : 0);
  }

  bool output(const FastStep& s) {
    const Lane* __restrict__ a = slot(s.from0);
    double* __restrict__ out = block_.outputs + s.port;
    const std::size_t stride = block_.output_stride, count = block_.samples;
    if constexpr (sizeof(Lane) == 8) {
      const Wide ones = s.negate0 ? ~Wide{0} : 0;
      for (std::size_t i = 0; i < count; ++i) {
        out[i * stride] = static_cast<double>(lane(negated(wide(a[i]), ones))) * s.scale;
      }
    } else {
      // Narrow lanes are negated as reals, subtracted from +0 so that no -0 results.
      double* __restrict__ reals = block_.scratch;
      const std::size_t n = n_;
      const double scale = s.negate0 ? -s.scale : s.scale;
      for (std::size_t i = 0; i < n; ++i) reals[i] = 0.0 + static_cast<double>(a[i]) * scale;
      for (std::size_t i = 0; i < count; ++i) out[i * stride] = reals[i];
    }
    return true;
  }

  const FastBlock& block_;
  Lane* slots_;
  std::size_t n_;
};

template <typename Lane>
bool run_block(const FastBlock& block) {
  return Block<Lane>(block).run();
}

constexpr BlockKernels block_kernels{run_block<std::int16_t>, run_block<std::int32_t>,
                                     run_block<std::int64_t>};

}  // namespace
}  // namespace tactus::dais

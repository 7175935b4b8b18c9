// The MAC chain as a template over the vector registers of a machine. Private to the files that
// instantiate it, one per KernelSet.
//
// The chain runs in floating point, where the host itself rounds half to even (in the default
// rounding mode, which nothing here changes):
//
// An accumulator y is kept as anchor + y, with anchor = 1.5 * 2^(digits - 1) and digits the length
// of the significand (24 or 53). Around the anchor the spacing of floating-point numbers is exactly
// 1, so adding a product x*w / 2^point rounds the exact sum to an integer, ties to even, as the
// datapath does (the anchor is even, so even numbers there are even y). Saturating is a min and a
// max. The chain from one step to the next is thus three short operations.
//
// The products need not all be exact. One of 2^(width + point) or more adds at least 2^width to a
// lane and saturates it whatever it held; rounding being monotonic, it still does after the product
// or the sum has been rounded, wherever the sum lies. The smaller products are exact, since
// width + point <= digits: 12 and 24 of 24, 28 and 48 of 53. Negative ones likewise. Hence fused
// and separate multiply-adds give the same results.
//
// Everything here has internal linkage and calls no inline function of a library: one of the files
// is compiled for AVX2, and the linker must not pick its copy of a shared function for all.
#pragma once

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/tcu/arithmetic_kernels.h"

#if defined(__FAST_MATH__)
#error "the MAC chain depends on IEEE arithmetic: compile without -ffast-math"
#endif

namespace tactus::tcu {

namespace {

static_assert(FLT_EVAL_METHOD == 0, "the MAC chain depends on the precision of float and double");
static_assert(FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53, "IEEE float and double");

template <class RealType>
inline constexpr RealType anchor = 0;
template <>
inline constexpr float anchor<float> = 0x1.8p23F;
template <>
inline constexpr double anchor<double> = 0x1.8p52;

/// A data type in this scheme.
template <class LaneType, unsigned width, unsigned point, class RealType>
struct Format {
  using Lane = LaneType;
  using Real = RealType;
  static constexpr Real scale = Real{1} / static_cast<Real>(1 << point);
  static constexpr Real half_range = static_cast<Real>(std::int64_t{1} << (width - 1));
  static constexpr Real low = anchor<Real> - half_range;
  static constexpr Real high = anchor<Real> + half_range - 1;
  static_assert(width + point <= (sizeof(Real) == sizeof(float) ? FLT_MANT_DIG : DBL_MANT_DIG));
};

using Fp8Bp4 = Format<std::int8_t, 8, 4, float>;
using Fp16Bp8 = Format<std::int16_t, 16, 8, float>;
using Fp18Bp10 = Format<std::int32_t, 18, 10, double>;
using Fp32Bp16 = Format<std::int32_t, 32, 16, double>;

inline constexpr std::size_t max_lanes = 256;

/// The input vector as factors: x / 2^point.
template <class Format>
struct Inputs {
  typename Format::Real values[max_lanes];
};

template <class Format>
void prepare(const void* x, Inputs<Format>& inputs, std::size_t n) {
  using Real = typename Format::Real;
  typename Format::Lane lanes[max_lanes];  // a copy: the caller's bytes may have any type
  std::memcpy(lanes, x, n * sizeof lanes[0]);
  for (std::size_t j = 0; j < n; ++j)
    inputs.values[j] = static_cast<Real>(lanes[j]) * Format::scale;
}

/// One lane per "register". Other machines have the same members.
template <class LaneType, class RealType>
struct ScalarMachine {
  using Register = RealType;
  static constexpr std::size_t width = 1, max_registers = 8;
  static Register broadcast(RealType value) { return value; }
  static Register load(const char* lanes) {
    LaneType lane;
    std::memcpy(&lane, lanes, sizeof lane);
    return static_cast<RealType>(lane);
  }
  static void store(Register value, char* lanes) {
    const LaneType lane = static_cast<LaneType>(static_cast<std::int32_t>(value));
    std::memcpy(lanes, &lane, sizeof lane);
  }
  static Register add(Register a, Register b) { return a + b; }
  static Register multiply_add(Register a, Register b, Register c) { return a * b + c; }
  static Register min(Register a, Register b) { return a < b ? a : b; }
  static Register max(Register a, Register b) { return a > b ? a : b; }
};

template <class Format, class Machine>
struct Chain {
  using Real = typename Format::Real;
  using Register = typename Machine::Register;
  static constexpr std::size_t lane_bytes = sizeof(typename Format::Lane);

  static Register saturate(Register value) {
    return Machine::max(Machine::min(value, Machine::broadcast(Format::high)),
                        Machine::broadcast(Format::low));
  }

  template <MacRounding rounding>
  static Register step(Register x, Register w, Register sum) {
    if constexpr (rounding == MacRounding::sum) return saturate(Machine::multiply_add(x, w, sum));
    const Register zero = Machine::broadcast(anchor<Real>);
    const Register product = saturate(Machine::multiply_add(x, w, zero));
    return saturate(Machine::add(sum, Machine::add(product, Machine::broadcast(-anchor<Real>))));
  }

  /// `count` registers of output lanes from lane `first` on, the last of them at lane `last`; they
  /// stay in registers throughout, and independent of each other hide the latency of a step.
  template <MacRounding rounding, std::size_t count>
  static void block(const char* weights, const Inputs<Format>& x, char* out, std::size_t n,
                    std::size_t first, std::size_t last) {
    const auto offset = [&](std::size_t r) {
      return (r + 1 == count ? last : first + r * Machine::width) * lane_bytes;
    };
    Register sum[count];
    for (std::size_t r = 0; r < count; ++r) {
      sum[r] = Machine::add(Machine::load(weights + offset(r)), Machine::broadcast(anchor<Real>));
    }
    for (std::size_t j = 0; j < n; ++j) {
      weights += n * lane_bytes;
      const Register factor = Machine::broadcast(x.values[j]);
      for (std::size_t r = 0; r < count; ++r) {
        sum[r] = step<rounding>(factor, Machine::load(weights + offset(r)), sum[r]);
      }
    }
    for (std::size_t r = 0; r < count; ++r) {
      Machine::store(Machine::add(sum[r], Machine::broadcast(-anchor<Real>)), out + offset(r));
    }
  }

  /// The lanes from `first` on, at most `count` registers of them; returns the next lane. The last
  /// register is moved down to end at lane n-1: some lanes are then computed twice.
  template <MacRounding rounding, std::size_t count>
  static std::size_t blocks(const char* weights, const Inputs<Format>& x, char* out, std::size_t n,
                            std::size_t first) {
    if constexpr (count > 1) {
      if (n - first <= (count - 1) * Machine::width) {
        return blocks<rounding, count - 1>(weights, x, out, n, first);
      }
    }
    const std::size_t next = first + count * Machine::width;
    const std::size_t end = next < n ? next : n;
    block<rounding, count>(weights, x, out, n, first, end - Machine::width);
    return end;
  }

  /// Precondition: n >= Machine::width.
  template <MacRounding rounding>
  static void run(const char* weights, const Inputs<Format>& x, char* out, std::size_t n) {
    for (std::size_t i = 0; i < n;) {
      i = blocks<rounding, Machine::max_registers>(weights, x, out, n, i);
    }
  }
};

/// Takes the first of the machines (widest first, ScalarMachine last) that n lanes can fill.
template <class Format, MacRounding rounding, class Machine, class... Narrower>
void run_chain(const char* weights, const Inputs<Format>& x, char* out, std::size_t n) {
  if constexpr (sizeof...(Narrower) > 0) {
    if (n < Machine::width) return run_chain<Format, rounding, Narrower...>(weights, x, out, n);
  }
  Chain<Format, Machine>::template run<rounding>(weights, x, out, n);
}

template <class Format, MacRounding rounding, template <class, class> class... Machines>
void mac_chain(const void* weights, const void* x, void* out, std::size_t n) {
  Inputs<Format> inputs;
  prepare(x, inputs, n);
  run_chain<Format, rounding, Machines<typename Format::Lane, typename Format::Real>...>(
      static_cast<const char*>(weights), inputs, static_cast<char*>(out), n);
}

template <template <class, class> class... Machines>
inline constexpr MacChains mac_chains = {
    {mac_chain<Fp8Bp4, MacRounding::sum, Machines...>,
     mac_chain<Fp8Bp4, MacRounding::legacy, Machines...>},
    {mac_chain<Fp16Bp8, MacRounding::sum, Machines...>,
     mac_chain<Fp16Bp8, MacRounding::legacy, Machines...>},
    {mac_chain<Fp18Bp10, MacRounding::sum, Machines...>,
     mac_chain<Fp18Bp10, MacRounding::legacy, Machines...>},
    {mac_chain<Fp32Bp16, MacRounding::sum, Machines...>,
     mac_chain<Fp32Bp16, MacRounding::legacy, Machines...>},
};

}  // namespace

}  // namespace tactus::tcu

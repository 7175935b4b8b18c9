// The MAC chain as a template over the vector registers of a host processor. Private to the files
// that instantiate it, one per KernelSet.
//
// The chain runs in floating point: the host rounds half to even itself (in the default rounding
// mode, which is never changed here).
//
// An accumulator y is kept as anchor + y, with anchor = 1.5 * 2^(digits - 1) and digits the length
// of the significand (24 or 53). Around the anchor the spacing of floating-point numbers is exactly
// 1. Adding a product x*w / 2^point therefore rounds the exact sum to an integer, ties to even, as
// the datapath does (the anchor is even, so even numbers there are even y). Saturating is a min and
// a max. Each step of the chain thus has three short operations.
//
// Not all products need to be exact. A product of 2^(width + point) or more adds at least 2^width
// to a lane and saturates it whatever its value. Rounding is monotonic, so this also holds after
// the product or the sum has been rounded. Smaller products are exact, since width + point <=
// digits: 12 and 24 of 24, 28 and 48 of 53. The same holds for negative products. Hence fused and
// separate multiply-adds give the same results.
//
// For many vectors with the same weights, the weights are converted once, and their magnitudes
// bound the accumulators' values. Usually the bound is within the range, and saturating is left
// out.
//
// Everything here has internal linkage and calls no inline function of a library: one of the files
// is compiled for AVX2, and the linker must not choose its copy of a shared function for the whole
// program.
#pragma once

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/tcu/arithmetic_kernels.h"

#if defined(__FAST_MATH__)
#error "the MAC chain depends on IEEE arithmetic: compile without -ffast-math"
#endif

// Accumulators in an array are kept in registers only after the loops over them have been unrolled.
// GCC on its own unrolls two-dimensional ones too late.
#if defined(__GNUC__) && !defined(__clang__)
#define TACTUS_UNROLL _Pragma("GCC unroll 16")
#else
#define TACTUS_UNROLL
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

/// Properties of a data type in this scheme.
template <DataType data_type, class LaneType, unsigned width, unsigned point, class RealType>
struct Format {
  static constexpr DataType type = data_type;
  using Lane = LaneType;
  using Real = RealType;
  static constexpr Real scale = Real{1} / static_cast<Real>(1 << point);
  static constexpr Real half_range = static_cast<Real>(std::int64_t{1} << (width - 1));
  static constexpr Real low = anchor<Real> - half_range;
  static constexpr Real high = anchor<Real> + half_range - 1;
  static_assert(width + point <= (sizeof(Real) == sizeof(float) ? FLT_MANT_DIG : DBL_MANT_DIG));
};

using Fp8Bp4 = Format<DataType::fp8bp4, std::int8_t, 8, 4, float>;
using Fp16Bp8 = Format<DataType::fp16bp8, std::int16_t, 16, 8, float>;
using Fp18Bp10 = Format<DataType::fp18bp10, std::int32_t, 18, 10, double>;
using Fp32Bp16 = Format<DataType::fp32bp16, std::int32_t, 32, 16, double>;

inline constexpr std::size_t max_lanes = 256;

/// A host with one lane per "register". Hosts with wider registers have the same members.
template <class LaneType, class RealType>
struct ScalarHost {
  using Register = RealType;
  static constexpr std::size_t width = 1, max_registers = 8;
  /// Accumulators of a block of several vectors; 0: vectors are computed one by one.
  static constexpr std::size_t shared_accumulators = 0;
  static Register broadcast(RealType value) { return value; }
  static Register load(const char* lanes) {
    LaneType lane;
    std::memcpy(&lane, lanes, sizeof lane);
    return static_cast<RealType>(lane);
  }
  static void store(Register value, char* lanes) {
    const auto lane = static_cast<LaneType>(static_cast<std::int32_t>(value));
    std::memcpy(lanes, &lane, sizeof lane);
  }
  static Register load_real(const RealType* from) { return *from; }
  static void store_real(Register value, RealType* to) { *to = value; }
  static Register multiply(Register a, Register b) { return a * b; }
  static Register add(Register a, Register b) { return a + b; }
  static Register multiply_add(Register a, Register b, Register c) { return a * b + c; }
  static Register magnitude(Register value) { return value < 0 ? -value : value; }
  static Register min(Register a, Register b) { return a < b ? a : b; }
  static Register max(Register a, Register b) { return a > b ? a : b; }
};

/// Registers of output lanes from lane `first` on. The last register starts at lane `last` and may
/// overlap the one before.
template <class Host, std::size_t registers>
struct Strip {
  static constexpr std::size_t count = registers;
  std::size_t first, last;
  [[nodiscard]] std::size_t lane(std::size_t r) const {
    return r + 1 == registers ? last : first + r * Host::width;
  }
};

/// A number of lanes that is known at compile time.
template <std::size_t value>
struct Constant {
  constexpr operator std::size_t() const { return value; }
};

template <class Format, class Host>
struct Chain {
  using Real = typename Format::Real;
  using Register = typename Host::Register;
  static constexpr std::size_t width = Host::width;
  static constexpr std::size_t lane_bytes = sizeof(typename Format::Lane);

  /// Converts the input vector to factors x / 2^point. Returns the maximum of their magnitudes and
  /// `largest`.
  template <class Size>
  static Register prepare(const char* x, Real* factors, Size n, Register largest) {
    for (std::size_t first = 0; first < n; first += width) {
      const std::size_t j = first + width <= n ? first : n - width;
      const Register factor =
          Host::multiply(Host::load(x + j * lane_bytes), Host::broadcast(Format::scale));
      Host::store_real(factor, factors + j);
      largest = Host::max(largest, Host::magnitude(factor));
    }
    return largest;
  }

  template <bool saturating>
  static Register saturate(Register value) {
    if constexpr (!saturating) return value;
    return Host::max(Host::min(value, Host::broadcast(Format::high)), Host::broadcast(Format::low));
  }

  template <MacRounding rounding, bool saturating>
  static Register step(Register x, Register w, Register sum) {
    if constexpr (rounding == MacRounding::sum) {
      return saturate<saturating>(Host::multiply_add(x, w, sum));
    }
    const Register zero = Host::broadcast(anchor<Real>);
    const Register product = saturate<saturating>(Host::multiply_add(x, w, zero));
    return saturate<saturating>(Host::add(sum, Host::add(product, Host::broadcast(-anchor<Real>))));
  }

  /// Bias and columns in the caller's form.
  template <std::size_t registers>
  struct Lanes {
    const char* weights;
    std::size_t n;
    Strip<Host, registers> strip;
    [[nodiscard]] Register operator()(std::size_t row, std::size_t r) const {
      return Host::load(weights + (row * n + strip.lane(r)) * lane_bytes);
    }
  };

  /// A strip of bias and columns, converted to floating point.
  template <std::size_t registers>
  struct Reals {
    Real values[max_lanes + 1][registers][width];
    /// Sums of the magnitudes of the columns.
    Register sums[registers];

    void convert(const Lanes<registers>& lanes) {
      Register sum[registers];
      TACTUS_UNROLL
      for (std::size_t r = 0; r < registers; ++r) {
        Host::store_real(lanes(0, r), values[0][r]);
        sum[r] = Host::broadcast(0);
      }
      for (std::size_t row = 1; row <= lanes.n; ++row) {
        TACTUS_UNROLL
        for (std::size_t r = 0; r < registers; ++r) {
          const Register w = lanes(row, r);
          Host::store_real(w, values[row][r]);
          sum[r] = Host::add(sum[r], Host::magnitude(w));
        }
      }
      for (std::size_t r = 0; r < registers; ++r) sums[r] = sum[r];
    }
    [[nodiscard]] Register operator()(std::size_t row, std::size_t r) const {
      return Host::load_real(values[row][r]);
    }
    /// True if no lane can leave the range when no factor exceeds `largest`. The sums are exact.
    /// Each of n steps may round up by 1/2; the 2 covers the rounding of the product and the sum in
    /// this function.
    [[nodiscard]] bool within_range(Real largest, std::size_t n) const {
      const Real limit = Format::half_range - static_cast<Real>(n) / 2 - 2;
      Register reach = Host::broadcast(0);
      for (std::size_t r = 0; r < registers; ++r) {
        const Register bias = Host::magnitude((*this)(0, r));
        reach = Host::max(reach, Host::multiply_add(sums[r], Host::broadcast(largest), bias));
      }
      return largest_lane(reach) <= limit;
    }
  };

  static Real largest_lane(Register value) {
    Real lanes[width];
    Host::store_real(value, lanes);
    Real result = lanes[0];
    for (const Real lane : lanes) result = lane > result ? lane : result;
    return result;
  }

  /// Computes a strip of `vectors` vectors, whose factors are `stride` apart. The accumulators stay
  /// in registers; since they are independent, they hide the latency of a step.
  template <MacRounding rounding, bool saturating, std::size_t vectors, std::size_t registers,
            class Weights, class Size>
  static void block(const Weights& weights, const Real* factors, std::size_t stride,
                    char* const* out, Size n, Strip<Host, registers> strip) {
    Register sum[registers][vectors];
    TACTUS_UNROLL
    for (std::size_t r = 0; r < registers; ++r) {
      const Register bias = Host::add(weights(0, r), Host::broadcast(anchor<Real>));
      TACTUS_UNROLL
      for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = bias;
    }
    for (std::size_t j = 0; j < n; ++j) {
      Register w[registers];
      TACTUS_UNROLL
      for (std::size_t r = 0; r < registers; ++r) w[r] = weights(j + 1, r);
      TACTUS_UNROLL
      for (std::size_t v = 0; v < vectors; ++v) {
        const Register x = Host::broadcast(factors[v * stride + j]);
        TACTUS_UNROLL
        for (std::size_t r = 0; r < registers; ++r) {
          sum[r][v] = step<rounding, saturating>(x, w[r], sum[r][v]);
        }
      }
    }
    TACTUS_UNROLL
    for (std::size_t v = 0; v < vectors; ++v) {
      TACTUS_UNROLL
      for (std::size_t r = 0; r < registers; ++r) {
        Host::store(Host::add(sum[r][v], Host::broadcast(-anchor<Real>)),
                    out[v] + strip.lane(r) * lane_bytes);
      }
    }
  }

  /// Calls what(strip) for strips of at most `registers` registers that cover n >= width lanes. The
  /// last register is moved down to end at lane n-1, so some lanes are computed twice.
  template <std::size_t registers, class What>
  static void each_strip(std::size_t n, std::size_t first, What what) {
    for (; first + (registers - 1) * width < n; first += registers * width) {
      const std::size_t next = first + registers * width;
      what(Strip<Host, registers>{first, (next < n ? next : n) - width});
    }
    if constexpr (registers > 1) {
      if (first < n) each_strip<registers - 1>(n, first, what);
    }
  }

  /// Precondition: n >= width.
  template <MacRounding rounding>
  static void run(const char* weights, const void* x, char* out, std::size_t n) {
    // For small n the overhead of the loops is as large as their work.
    if (n == width) return run_lanes<rounding>(weights, x, out, Constant<width>{});
    if (n == 2 * width) return run_lanes<rounding>(weights, x, out, Constant<2 * width>{});
    run_lanes<rounding>(weights, x, out, n);
  }

  template <MacRounding rounding, class Size>
  static void run_lanes(const char* weights, const void* x, char* out, Size n) {
    Real factors[max_lanes];
    prepare(static_cast<const char*>(x), factors, n, Host::broadcast(0));
    each_strip<Host::max_registers>(n, 0, [&](auto strip) {
      block<rounding, true, 1>(lanes_of(weights, n, strip), factors, 0, &out, n, strip);
    });
  }

  template <std::size_t registers>
  static Lanes<registers> lanes_of(const char* weights, std::size_t n,
                                   Strip<Host, registers> strip) {
    return {weights, n, strip};
  }

  // ---- several vectors ----

  /// Vectors for which the weights are converted once.
  struct Batch {
    static constexpr std::size_t max_vectors = 64, max_values = 16 * max_lanes;
    Real factors[max_values];
    char* out[max_vectors];
    std::size_t count = 0;

    [[nodiscard]] bool full(std::size_t n) const {
      return count == max_vectors || (count + 1) * n > max_values;
    }
    Register push(const std::uint8_t* x, char* to, std::size_t n, Register largest) {
      out[count] = to;
      return prepare(reinterpret_cast<const char*>(x), factors + count++ * n, n, largest);
    }
  };

  /// Computes the vectors from `v` on, `vectors` at a time, then half as many.
  template <MacRounding rounding, bool saturating, std::size_t vectors, std::size_t registers>
  static void groups(const Reals<registers>& weights, const Batch& batch, std::size_t v,
                     std::size_t n, Strip<Host, registers> strip) {
    for (; v + vectors <= batch.count; v += vectors) {
      block<rounding, saturating, vectors>(weights, batch.factors + v * n, n, batch.out + v, n,
                                           strip);
    }
    if constexpr (vectors > 1) {
      if (v < batch.count) {
        groups<rounding, saturating, vectors / 2>(weights, batch, v, n, strip);
      }
    }
  }

  template <MacRounding rounding>
  static void run_batch(const char* weights, const Batch& batch, std::size_t n, Real largest) {
    // Two registers of weights halve the number of broadcasts of input lanes.
    each_strip<2>(n, 0, [&](auto strip) {
      constexpr std::size_t registers = decltype(strip)::count;
      Reals<registers> reals;
      reals.convert(lanes_of(weights, n, strip));
      constexpr std::size_t vectors = Host::shared_accumulators / registers;
      if (reals.within_range(largest, n)) {
        groups<rounding, false, vectors>(reals, batch, 0, n, strip);
      } else {
        groups<rounding, true, vectors>(reals, batch, 0, n, strip);
      }
    });
  }

  /// A product with a zero vector changes nothing.
  static void copy_bias(const char* weights, char* out, std::size_t n) {
    std::memcpy(out, weights, n * lane_bytes);
  }

  template <MacRounding rounding>
  static void run_batches(const char* weights, const std::uint8_t* const* x, char* out,
                          std::size_t n, std::size_t count) {
    if constexpr (Host::shared_accumulators > 0) {
      for (std::size_t i = 0; i < count;) {
        Batch batch;
        Register largest = Host::broadcast(0);
        for (; i < count && !batch.full(n); ++i, out += n * lane_bytes) {
          if (x[i] == nullptr) {
            copy_bias(weights, out, n);
          } else {
            largest = batch.push(x[i], out, n, largest);
          }
        }
        if (batch.count > 0) run_batch<rounding>(weights, batch, n, largest_lane(largest));
      }
    }
  }

  template <MacRounding rounding>
  static void run(const char* weights, const std::uint8_t* const* x, char* out, std::size_t n,
                  std::size_t count) {
    // Converting the weights is worthwhile only for several vectors.
    if (Host::shared_accumulators == 0 || count < 3) {
      for (std::size_t i = 0; i < count; ++i, out += n * lane_bytes) {
        if (x[i] == nullptr) {
          copy_bias(weights, out, n);
        } else {
          run<rounding>(weights, x[i], out, n);
        }
      }
      return;
    }
    run_batches<rounding>(weights, x, out, n, count);
  }
};

/// The kernels of a variant with narrower registers.
using Narrower = const MacTable* (*)();

template <class Format, MacRounding rounding>
const MacKernels& variant_kernels(Narrower variant) {
  return (*variant())[static_cast<std::size_t>(Format::type)][static_cast<std::size_t>(rounding)];
}

/// Selects the host: a vector that does not fill a register of this host is computed by the
/// narrower variant, so every file compiles the chain for one host. The one-lane host has no
/// narrower variant, since every vector fills its register.
template <class Format, MacRounding rounding, class Host, Narrower narrower>
void mac_chain(const void* weights, const void* x, void* out, std::size_t n) {
  if constexpr (Host::width > 1) {
    if (n < Host::width) {
      return variant_kernels<Format, rounding>(narrower).mac_chain(weights, x, out, n);
    }
  }
  Chain<Format, Host>::template run<rounding>(static_cast<const char*>(weights), x,
                                              static_cast<char*>(out), n);
}

template <class Format, MacRounding rounding, class Host, Narrower narrower>
void mac_chains(const void* weights, const std::uint8_t* const* x, void* out, std::size_t n,
                std::size_t count) {
  if constexpr (Host::width > 1) {
    if (n < Host::width) {
      return variant_kernels<Format, rounding>(narrower).mac_chains(weights, x, out, n, count);
    }
  }
  Chain<Format, Host>::template run<rounding>(static_cast<const char*>(weights), x,
                                              static_cast<char*>(out), n, count);
}

template <class Format, MacRounding rounding, template <class, class> class HostOf,
          Narrower narrower>
inline constexpr MacKernels mac_kernels = {
    mac_chain<Format, rounding, HostOf<typename Format::Lane, typename Format::Real>, narrower>,
    mac_chains<Format, rounding, HostOf<typename Format::Lane, typename Format::Real>, narrower>};

template <template <class, class> class HostOf, Narrower narrower>
inline constexpr MacTable mac_table = {
    {mac_kernels<Fp8Bp4, MacRounding::sum, HostOf, narrower>,
     mac_kernels<Fp8Bp4, MacRounding::legacy, HostOf, narrower>},
    {mac_kernels<Fp16Bp8, MacRounding::sum, HostOf, narrower>,
     mac_kernels<Fp16Bp8, MacRounding::legacy, HostOf, narrower>},
    {mac_kernels<Fp18Bp10, MacRounding::sum, HostOf, narrower>,
     mac_kernels<Fp18Bp10, MacRounding::legacy, HostOf, narrower>},
    {mac_kernels<Fp32Bp16, MacRounding::sum, HostOf, narrower>,
     mac_kernels<Fp32Bp16, MacRounding::legacy, HostOf, narrower>},
};

}  // namespace

}  // namespace tactus::tcu

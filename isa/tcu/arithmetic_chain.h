// The MAC chain as a template over the vector registers of a host processor. Private to the files
// that instantiate it, one per KernelSet.
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
// Many vectors with the same weights: the weights are converted once, and their magnitudes bound
// what the accumulators can reach. Mostly that is within the range, and saturating is left out.
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

// An array of accumulators becomes registers only once the loops over it have been unrolled; left
// to itself GCC does that too late for two dimensions.
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

/// A data type in this scheme.
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

/// One lane per "register". Hosts with wider registers have the same members.
template <class LaneType, class RealType>
struct ScalarHost {
  using Register = RealType;
  static constexpr std::size_t width = 1, max_registers = 8;
  /// Accumulators of a block of several vectors; 0: the vectors are computed one by one.
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

/// Registers of output lanes: from lane `first` on, the last of them at lane `last`, which may
/// overlap the one before.
template <class Host, std::size_t registers>
struct Strip {
  static constexpr std::size_t count = registers;
  std::size_t first, last;
  [[nodiscard]] std::size_t lane(std::size_t r) const {
    return r + 1 == registers ? last : first + r * Host::width;
  }
};

/// A number of lanes the compiler knows.
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

  /// The input vector as factors, x / 2^point; the result is the maximum of their magnitudes
  /// and `largest`.
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

  /// The bias and the columns as the caller has them.
  template <std::size_t registers>
  struct Lanes {
    const char* weights;
    std::size_t n;
    Strip<Host, registers> strip;
    [[nodiscard]] Register operator()(std::size_t row, std::size_t r) const {
      return Host::load(weights + (row * n + strip.lane(r)) * lane_bytes);
    }
  };

  /// A strip of them, converted.
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
    /// Whether no lane can leave the range if no factor is larger. The sums are exact; each of n
    /// steps may round up by 1/2; the 2 covers that the product and the sum here are rounded.
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

  /// A strip of `vectors` vectors; factors are `stride` apart. The accumulators stay in registers
  /// throughout, and independent of each other hide the latency of a step.
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

  /// Calls what(strip) for strips of `registers` registers at most that cover n >= width lanes. The
  /// last register is moved down to end at lane n-1: some lanes are then computed twice.
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
    // For small n the loops cost as much as what they repeat.
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

  /// The vectors from `v` on, `vectors` at a time, then half as many.
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
    // With two registers of weights, an input lane is broadcast half as often.
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

  /// A product of zero changes nothing.
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
    // Converting the weights has to pay.
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

/// The narrower variant computes a vector that fills no register of the host. Every file thus
/// compiles the chain for one host. The host of one lane has no narrower variant: every vector
/// fills its register.
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

// The vector kernels: the portable MAC chain, the lane-wise operations, and the choice of a
// variant.
#include "isa/tcu/arithmetic_kernels.h"

#include <array>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "isa/support/kernel_choice.h"
#include "isa/support/processor.h"
#include "isa/tcu/arithmetic_chain.h"
#if defined(__SSE2__)
#include "isa/tcu/arithmetic_sse2.h"
#endif

// An output may be an input, lane for lane, so iterations do not depend on each other.
#if defined(__GNUC__) && !defined(__clang__)
#define TACTUS_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define TACTUS_INDEPENDENT_ITERATIONS
#endif
// The callers' vectors are untyped bytes.
#if defined(__GNUC__)
#define TACTUS_MAY_ALIAS __attribute__((may_alias))
#else
#define TACTUS_MAY_ALIAS
#endif

namespace tactus::tcu {

namespace {

template <class LaneType, unsigned width, unsigned point>
struct Lanes {
  using Lane = LaneType;
  using Access TACTUS_MAY_ALIAS = Lane;
  /// Holds the sum and the difference of two lanes.
  using Wide = std::conditional_t<(width < 32), std::int32_t, std::int64_t>;
  /// Holds a product of two lanes.
  using Product = std::conditional_t<(width <= 16), std::int32_t, std::int64_t>;
  static constexpr Wide min = -(Wide{1} << (width - 1)), max = -(min + 1);
  static constexpr Wide one = Wide{1} << point;

  template <class Value>
  static Lane saturate(Value value) {
    value = value < Value{max} ? value : Value{max};
    return static_cast<Lane>(value > Value{min} ? value : Value{min});
  }
  static Lane truth(bool condition) { return static_cast<Lane>(condition ? one : 0); }
  static Lane multiply(Lane a, Lane b) {
    const Product product = Product{a} * b;
    const Product odd = (product >> point) & 1;
    return saturate((product + ((Product{1} << (point - 1)) - 1) + odd) >> point);
  }
  static Lane abs(Lane value) {  // the minimum has no positive counterpart and stays
    return value < 0 && value != min ? static_cast<Lane>(-Wide{value}) : value;
  }
};

using Fp8Lanes = Lanes<std::int8_t, 8, 4>;
using Fp16Lanes = Lanes<std::int16_t, 16, 8>;
using Fp18Lanes = Lanes<std::int32_t, 18, 10>;
using Fp32Lanes = Lanes<std::int32_t, 32, 16>;

/// out[i] = operation(left[i], right[i]); passes lanes by value.
template <class L, class Operation>
void each_lane(const void* left, const void* right, void* out, std::size_t n, Operation operation) {
  using Access = typename L::Access;
  const auto* l = static_cast<const Access*>(left);
  const auto* r = static_cast<const Access*>(right);
  auto* o = static_cast<Access*>(out);
  TACTUS_INDEPENDENT_ITERATIONS
  for (std::size_t i = 0; i < n; ++i) o[i] = operation(l[i], r[i]);
}

template <class L>
void add_lanes(const void* a, const void* b, void* out, std::size_t n) {
  using Lane = typename L::Lane;
  using Wide = typename L::Wide;
  each_lane<L>(a, b, out, n, [](Lane x, Lane y) { return L::saturate(Wide{x} + Wide{y}); });
}

#if defined(__SSE2__)

__m128i saturating_add(__m128i a, __m128i b, std::int8_t) { return _mm_adds_epi8(a, b); }
__m128i saturating_add(__m128i a, __m128i b, std::int16_t) { return _mm_adds_epi16(a, b); }

/// Adds lanes that are as wide as their type. Uses the compiler's vectors, because for short
/// vectors choosing a loop costs more than adding.
template <class L>
void add_registers(const void* a, const void* b, void* out, std::size_t n) {
  using Lane = typename L::Lane;
  const auto *left = static_cast<const char*>(a), *right = static_cast<const char*>(b);
  auto* to = static_cast<char*>(out);
  const std::size_t bytes = n * sizeof(Lane);
  std::size_t done = 0;
  for (; done + 16 <= bytes; done += 16) {
    store_16_bytes(saturating_add(load_16_bytes(left + done), load_16_bytes(right + done), Lane{}),
                   to + done);
  }
  if (done + 8 <= bytes) {
    store_8_bytes(saturating_add(load_8_bytes(left + done), load_8_bytes(right + done), Lane{}),
                  to + done);
    done += 8;
  }
  if (done < bytes) {
    add_lanes<L>(left + done, right + done, to + done, (bytes - done) / sizeof(Lane));
  }
}

#endif

template <class L>
void add(const void* a, const void* b, void* out, std::size_t n) {
#if defined(__SSE2__)
  if constexpr (sizeof(typename L::Lane) <= 2) return add_registers<L>(a, b, out, n);
#endif
  add_lanes<L>(a, b, out, n);
}

// The ALU in three functions, with one loop per operation so that each is vectorised.

template <class L>
void alu_arithmetic(SimdOp op, const void* left, const void* right, void* out, std::size_t n) {
  using Lane = typename L::Lane;
  using Wide = typename L::Wide;
  const auto each = [&](auto operation) { each_lane<L>(left, right, out, n, operation); };
  switch (op) {
    case SimdOp::increment:
      return each([](Lane x, Lane) { return L::saturate(Wide{x} + L::one); });
    case SimdOp::decrement:
      return each([](Lane x, Lane) { return L::saturate(Wide{x} - L::one); });
    case SimdOp::subtract:
      return each([](Lane x, Lane y) { return L::saturate(Wide{x} - Wide{y}); });
    case SimdOp::multiply:
      return each([](Lane x, Lane y) { return L::multiply(x, y); });
    default:
      return each([](Lane x, Lane) { return L::abs(x); });
  }
}

template <class L>
void alu_logic(SimdOp op, const void* left, const void* right, void* out, std::size_t n) {
  using Lane = typename L::Lane;
  const auto each = [&](auto operation) { each_lane<L>(left, right, out, n, operation); };
  switch (op) {
    case SimdOp::not_:
      return each([](Lane x, Lane) { return L::truth(x == 0); });
    case SimdOp::and_:
      return each([](Lane x, Lane y) { return L::truth((x != 0) & (y != 0)); });
    case SimdOp::or_:
      return each([](Lane x, Lane y) { return L::truth((x | y) != 0); });
    case SimdOp::greater_than:
      return each([](Lane x, Lane y) { return L::truth(x > y); });
    default:
      return each([](Lane x, Lane y) { return L::truth(x >= y); });
  }
}

template <class L>
void alu(SimdOp op, const void* left, const void* right, void* out, std::size_t n) {
  using Lane = typename L::Lane;
  const auto each = [&](auto operation) { each_lane<L>(left, right, out, n, operation); };
  switch (op) {
    case SimdOp::zero:
      return each([](Lane, Lane) { return Lane{0}; });
    case SimdOp::add:
      return add<L>(left, right, out, n);
    case SimdOp::increment:
    case SimdOp::decrement:
    case SimdOp::subtract:
    case SimdOp::multiply:
    case SimdOp::abs:
      return alu_arithmetic<L>(op, left, right, out, n);
    case SimdOp::not_:
    case SimdOp::and_:
    case SimdOp::or_:
    case SimdOp::greater_than:
    case SimdOp::greater_than_equal:
      return alu_logic<L>(op, left, right, out, n);
    case SimdOp::min:
      return each([](Lane x, Lane y) { return x < y ? x : y; });
    case SimdOp::max:
      return each([](Lane x, Lane y) { return x > y ? x : y; });
    case SimdOp::no_op:
    case SimdOp::lookup:  // its result depends on tables
    case SimdOp::move:
      break;
  }
  each([](Lane x, Lane) { return x; });
}

#if defined(__BYTE_ORDER__)
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanes are copied as DRAM bytes");
#endif

template <class L>
void lanes_to_bytes(const void* lanes, std::uint8_t* bytes, std::size_t n) {
  std::memcpy(bytes, lanes, n * sizeof(typename L::Lane));
}

template <class L>
void bytes_to_lanes(const std::uint8_t* bytes, void* lanes, std::size_t n) {
  std::memcpy(lanes, bytes, n * sizeof(typename L::Lane));
}

template <>
void lanes_to_bytes<Fp18Lanes>(const void* lanes, std::uint8_t* bytes, std::size_t n) {
  constexpr std::uint32_t mask = (1U << 18) - 1;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t word;
    std::memcpy(&word, static_cast<const char*>(lanes) + i * sizeof word, sizeof word);
    word &= mask;
    std::memcpy(bytes + i * sizeof word, &word, sizeof word);
  }
}

template <>
void bytes_to_lanes<Fp18Lanes>(const std::uint8_t* bytes, void* lanes, std::size_t n) {
  constexpr std::uint32_t sign = 1U << 17;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t word;
    std::memcpy(&word, bytes + i * sizeof word, sizeof word);
    word = ((word & (2 * sign - 1)) ^ sign) - sign;  // modulo 2^32
    std::memcpy(static_cast<char*>(lanes) + i * sizeof word, &word, sizeof word);
  }
}

constexpr std::array<DataType, 4> kernel_types = {DataType::fp8bp4, DataType::fp16bp8,
                                                  DataType::fp18bp10, DataType::fp32bp16};

template <class L>
VectorKernels kernels_of(const MacKernels& mac) {
  return {mac.mac_chain, mac.mac_chains, add<L>, alu<L>, lanes_to_bytes<L>, bytes_to_lanes<L>};
}

VectorKernels kernels_of(DataType type, const MacKernels& mac) {
  switch (type) {
    case DataType::fp8bp4:
      return kernels_of<Fp8Lanes>(mac);
    case DataType::fp16bp8:
      return kernels_of<Fp16Lanes>(mac);
    case DataType::fp18bp10:
      return kernels_of<Fp18Lanes>(mac);
    case DataType::fp32bp16:
      break;
  }
  return kernels_of<Fp32Lanes>(mac);
}

/// The kernels by data type and rounding.
using KernelTable = std::array<std::array<VectorKernels, 2>, kernel_types.size()>;

KernelTable make_table(const MacTable* kernels) {
  KernelTable table{};
  if (kernels == nullptr) return table;
  for (const DataType type : kernel_types) {
    const auto row = static_cast<std::size_t>(type);
    for (std::size_t rounding = 0; rounding < 2; ++rounding) {
      table[row][rounding] = kernels_of(type, (*kernels)[row][rounding]);
    }
  }
  return table;
}

KernelTable make_reference_table() {
  KernelTable table = make_table(portable_mac_table());
  for (const DataType type : kernel_types) {
    for (const MacRounding rounding : {MacRounding::sum, MacRounding::legacy}) {
      use_reference(type, rounding,
                    table[static_cast<std::size_t>(type)][static_cast<std::size_t>(rounding)]);
    }
  }
  return table;
}

KernelSet chosen_set() {
  constexpr std::pair<std::string_view, KernelSet> sets[] = {{"reference", KernelSet::reference},
                                                             {"portable", KernelSet::portable},
                                                             {"sse2", KernelSet::sse2},
                                                             {"avx2", KernelSet::avx2},
                                                             {"avx512", KernelSet::avx512}};
  return choose_kernels("a TCU", sets, supported);
}

}  // namespace

const MacTable* portable_mac_table() { return &mac_table<ScalarHost, nullptr>; }

bool supported(KernelSet set) {
  switch (set) {
    case KernelSet::reference:
    case KernelSet::portable:
      return true;
    case KernelSet::sse2:
      return sse2_mac_table() != nullptr;
    case KernelSet::avx2:
      return avx2_mac_table() != nullptr && processor_has_avx2() && processor_has_fma();
    case KernelSet::avx512:
      return avx512_mac_table() != nullptr && processor_has_avx512() && processor_has_fma();
  }
  return false;
}

const VectorKernels& vector_kernels(DataType type, MacRounding rounding, KernelSet set) {
  static const std::array<KernelTable, 5> tables = {
      make_reference_table(), make_table(portable_mac_table()), make_table(sse2_mac_table()),
      make_table(avx2_mac_table()), make_table(avx512_mac_table())};
  return tables[static_cast<std::size_t>(set)][static_cast<std::size_t>(type)]
               [static_cast<std::size_t>(rounding)];
}

const VectorKernels& vector_kernels(DataType type, MacRounding rounding) {
  static const KernelSet set = chosen_set();
  return vector_kernels(type, rounding, set);
}

}  // namespace tactus::tcu

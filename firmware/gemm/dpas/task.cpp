#include "firmware/gemm/dpas/task.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "isa/dpas/semantics.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::gemm {

using dpas::Precision;

namespace {

constexpr std::uint64_t row_alignment = 64;  // bytes, as 2D block messages require
constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 32;

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

Surface surface(std::uint64_t rows, std::uint64_t row_bits) {
  Surface result;
  const std::uint64_t bytes = round_up((row_bits + 7) / 8, 4);
  result.width = static_cast<std::uint32_t>(bytes);
  result.height = static_cast<std::uint32_t>(rows);
  result.pitch = static_cast<std::uint32_t>(round_up(bytes, row_alignment));
  return result;
}

/// Names that other tools give to precisions.
constexpr std::array<std::pair<std::string_view, Precision>, 12> other_names{{
    {"int8", Precision::s8},
    {"uint8", Precision::u8},
    {"int4", Precision::s4},
    {"uint4", Precision::u4},
    {"int2", Precision::s2},
    {"uint2", Precision::u2},
    {"bf16", Precision::bf},
    {"bfloat16", Precision::bf},
    {"fp16", Precision::hf},
    {"half", Precision::hf},
    {"float16", Precision::hf},
    {"fp4", Precision::e2m1},
}};

Precision precision_of(std::string_view name, const std::string& where, const std::string& text) {
  for (const auto& [other, precision] : other_names) {
    if (other == name) return precision;
  }
  const auto precision = dpas::find_precision(name);
  if (precision && !dpas::is_reserved(*precision)) return *precision;
  user_error(
      "{} {} is not allowed; allowed: one or two (B's, a dot, A's) of int8 uint8 int4 uint4 int2 "
      "uint2 bf16 fp16 tf32 bf8 hf8 e2m1, or s8 u8 s4 u4 s2 u2 bf hf",
      where, quote(text));
}

/// Generates the bits of random elements.
class Elements {
 public:
  Elements(Precision precision, std::uint64_t seed)
      : precision_(precision), bits_(info(precision).bits), engine_(seed) {}

  std::uint32_t next() {
    if (dpas::is_integer(precision_)) return random() & mask();
    const float unit = static_cast<float>(static_cast<int>(random() % 16385U) - 8192) / 8192.0F;
    switch (precision_) {
      case Precision::bf:
        return dpas::float_to_bf(unit);
      case Precision::hf:
        return dpas::float_to_hf(unit);
      case Precision::tf32: {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &unit, sizeof bits);
        return bits & ~std::uint32_t{0x1FFF};
      }
      default:
        while (true) {
          const std::uint32_t bits = random() & mask();
          if (std::isfinite(dpas::to_float(precision_, bits))) return bits;
        }
    }
  }

 private:
  [[nodiscard]] std::uint32_t mask() const {
    return bits_ == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits_) - 1;
  }
  std::uint32_t random() { return static_cast<std::uint32_t>(engine_() >> 32); }

  Precision precision_;
  unsigned bits_;
  std::mt19937_64 engine_;
};

void put(std::vector<std::uint8_t>& bytes, std::uint64_t bit, unsigned count, std::uint32_t value) {
  std::uint8_t* const to = bytes.data() + bit / 8;
  if (count < 8) {
    *to = static_cast<std::uint8_t>(*to | value << (bit % 8));
  } else {
    std::memcpy(to, &value, count / 8);
  }
}

/// Value of an integer element.
std::int16_t whole(Precision precision, std::uint32_t bits) {
  const unsigned width = info(precision).bits;
  const auto value = static_cast<std::int32_t>(bits);
  const bool negative = info(precision).is_signed && (bits >> (width - 1) & 1U) != 0;
  return static_cast<std::int16_t>(negative ? value - (1 << width) : value);
}

float real(Precision precision, std::uint32_t bits) { return dpas::to_float(precision, bits); }

/// Draws the elements of A from the seed, row by row, and calls `take(i, k, bits)` for each.
/// draw_b() draws B and calls `take(k, j, bits)`.
template <typename Take>
void draw_a(const DpasTask& task, std::uint64_t seed, Take&& take) {
  Elements elements(task.a, seed);
  for (std::uint64_t i = 0; i < task.problem.m; ++i) {
    for (std::uint64_t k = 0; k < task.problem.k; ++k) take(i, k, elements.next());
  }
}
template <typename Take>
void draw_b(const DpasTask& task, std::uint64_t seed, Take&& take) {
  Elements elements(task.w, seed + 1);
  for (std::uint64_t k = 0; k < task.problem.k; ++k) {
    for (std::uint64_t j = 0; j < task.problem.n; ++j) take(k, j, elements.next());
  }
}

/// Computes C = A x B with k ascending. Element and Sum are types whose products and sums are exact
/// or round as those of the precision do.
template <typename Element, typename Sum>
std::vector<std::uint32_t> triple_loop(const DpasTask& task, std::uint64_t seed,
                                       Element (*value)(Precision, std::uint32_t)) {
  const Problem& p = task.problem;
  std::vector<Element> a(p.m * p.k);
  std::vector<Element> b(p.k * p.n);
  draw_a(task, seed, [&](std::uint64_t i, std::uint64_t k, std::uint32_t bits) {
    a[i * p.k + k] = value(task.a, bits);
  });
  draw_b(task, seed, [&](std::uint64_t k, std::uint64_t j, std::uint32_t bits) {
    b[k * p.n + j] = value(task.w, bits);
  });
  std::vector<std::uint32_t> c(p.m * p.n);
  std::vector<Sum> row(p.n);
  for (std::uint64_t i = 0; i < p.m; ++i) {
    std::fill(row.begin(), row.end(), Sum{});
    for (std::uint64_t k = 0; k < p.k; ++k) {
      const Element x = a[i * p.k + k];
      const Element* const y = b.data() + k * p.n;
      for (std::uint64_t j = 0; j < p.n; ++j) {
        row[j] = row[j] + static_cast<Sum>(x * y[j]);
      }
    }
    std::memcpy(c.data() + i * p.n, row.data(), p.n * sizeof(Sum));
  }
  return c;
}

}  // namespace

unsigned DpasTask::k_step() const { return 8 * dpas::ops_per_channel(w, a); }

BLayout DpasTask::layout_of_b() const {
  const unsigned bits = info(w).bits;
  return bits == 8 || bits == 16 ? b_layout : BLayout::vnni;
}

DpasLayout layout_of(const DpasTask& task) {
  const Problem& p = task.problem;
  const unsigned w_bits = info(task.w).bits;
  DpasLayout layout;
  layout.a = surface(p.m, p.k * info(task.a).bits);
  if (task.layout_of_b() == BLayout::vnni) {
    const unsigned together = 32 / w_bits;
    layout.b = surface((p.k + together - 1) / together, p.n * 32);
  } else {
    layout.b = surface(p.k, p.n * w_bits);
  }
  layout.c = surface(p.m, p.n * 32);
  if (layout.bytes() > memory_bytes) {
    user_error("{}: the matrices need {} bytes of memory; allowed {}", p.shape(), layout.bytes(),
               memory_bytes);
  }
  return layout;
}

PrecisionPair parse_precision(const std::string& text, const std::string& where) {
  const std::size_t dot = text.find('.');
  const std::string_view all = text;
  PrecisionPair pair{};
  pair.w = precision_of(all.substr(0, dot), where, text);
  pair.a = dot == std::string::npos ? pair.w : precision_of(all.substr(dot + 1), where, text);
  if (dpas::ops_per_channel(pair.w, pair.a) == 0 || info(pair.w).kind != info(pair.a).kind) {
    user_error("{} {} is not allowed: {} and {} do not meet in an instruction", where, quote(text),
               info(pair.w).name, info(pair.a).name);
  }
  return pair;
}

DpasOperands make_operands(const DpasTask& task, const DpasLayout& layout, std::uint64_t seed) {
  DpasOperands operands;
  operands.a.resize(layout.a.bytes());
  operands.b.resize(layout.b.bytes());
  const unsigned a_bits = info(task.a).bits;
  draw_a(task, seed, [&](std::uint64_t i, std::uint64_t k, std::uint32_t bits) {
    put(operands.a, i * layout.a.pitch * 8 + k * a_bits, a_bits, bits);
  });
  const unsigned b_bits = info(task.w).bits;
  const unsigned together = task.layout_of_b() == BLayout::vnni ? 32 / b_bits : 1;
  draw_b(task, seed, [&](std::uint64_t k, std::uint64_t j, std::uint32_t bits) {
    const std::uint64_t element = j * together + k % together;
    put(operands.b, k / together * layout.b.pitch * 8 + element * b_bits, b_bits, bits);
  });
  return operands;
}

std::vector<std::uint32_t> expected_product(const DpasTask& task, std::uint64_t seed) {
  return task.is_integer() ? triple_loop<std::int16_t, std::uint32_t>(task, seed, whole)
                           : triple_loop<float, float>(task, seed, real);
}

}  // namespace tactus::gemm

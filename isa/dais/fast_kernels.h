// Types shared by the variants of the block kernel; see fast_executor.h. Internal to isa/dais.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::dais {

enum class FastCode : std::uint8_t {
  copy,       ///< floor(input * scale), cut
  output,     ///< to reals
  fill,       ///< the constant
  add,        ///< 0 + 1
  add_left0,  ///< (0 << left0) + 1
  add_left1,  ///< 0 + (1 << left1)
  subtract,   ///< 0 - 1
  subtract_left0,
  subtract_left1,
  add_constant,  ///< (0 << left0) + constant
  right,         ///< 0 >> right
  quantise,      ///< (+-0 >> right), cut
  relu,          ///< max(+-0, 0) >> right, cut
  mux_bit,       ///< sign of (condition << left): 0 << left0 or +-1 << left1, cut
  mux_compare,   ///< condition >= constant: 0 << left0, else +-1 << left1, cut
  multiply,
  lookup,
  bit_not,  ///< ~+-0 & constant
  bit_any,
  bit_all,  ///< (+-0 & constant) == constant
  bit_and,  ///< (+-0 << left0) & (+-1 << left1)
  bit_or,
  bit_xor,
};

/// One operation of a block kernel. Slots are numbers of lane vectors.
struct FastStep {
  FastCode code = FastCode::fill;
  bool negate0 = false;
  bool negate1 = false;
  bool cuts = false;
  std::uint8_t left0 = 0;
  std::uint8_t left1 = 0;
  std::uint8_t left = 0;  ///< shift that brings the tested bit of a condition to the sign
  std::uint8_t right = 0;
  std::uint32_t to = 0;
  std::uint32_t from0 = 0;
  std::uint32_t from1 = 0;
  std::uint32_t condition = 0;
  std::uint32_t port = 0;  ///< number of the input or output
  std::int64_t constant = 0;
  std::int64_t mask = -1;  ///< a cut is ((m & mask) ^ sign) - sign
  std::int64_t sign = 0;
  double scale = 1;
  const std::int32_t* table = nullptr;
  std::uint64_t table_size = 0;
};

/// A block of samples and the memory of its values.
struct FastBlock {
  const FastStep* steps;
  std::size_t step_count;
  void* slots;          ///< vectors of `lanes` lanes, 64-byte aligned
  double* scratch;      ///< `lanes` reals
  std::size_t lanes;    ///< a multiple of 64
  std::size_t samples;  ///< 1..lanes; the remaining lanes repeat the last sample
  const double* inputs;
  std::size_t input_stride;
  double* outputs;
  std::size_t output_stride;
};

/// Computes a block. Returns false if a lookup is outside its table; the outputs are unspecified
/// then.
using BlockKernel = bool (*)(const FastBlock&);

struct BlockKernels {
  BlockKernel lanes16, lanes32, lanes64;
};

/// The kernel compiled for different processors; null if not compiled in.
[[nodiscard]] const BlockKernels* portable_block_kernels();
[[nodiscard]] const BlockKernels* avx2_block_kernels();
[[nodiscard]] const BlockKernels* avx512_block_kernels();

}  // namespace tactus::dais

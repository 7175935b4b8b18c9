#include "firmware/bench/seeded_input.h"

#include <cmath>

#include "firmware/zoo/random.h"
#include "firmware/zoo/random_input.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::bench {

std::vector<std::uint8_t> seeded_input(const tcu::Architecture& architecture, const Tensor& tensor,
                                       const compiler::TensorLayout* layout, std::uint64_t seed) {
  if (layout != nullptr) {
    return pack_tensor(*layout, architecture, nn::random_input(layout->shape, seed).floats);
  }
  nn::Random random(seed);
  const double one = std::ldexp(1, static_cast<int>(info(architecture.data_type).binary_point));
  std::vector<std::uint8_t> bytes(tensor.size * architecture.vector_bytes());
  const std::size_t scalar = info(architecture.data_type).storage_bytes;
  for (std::size_t at = 0; at < bytes.size(); at += scalar) {
    const auto value = static_cast<std::int64_t>(std::floor(random.uniform(1) * one));
    for (std::size_t b = 0; b < scalar; ++b) {
      bytes[at + b] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * b));
    }
  }
  return bytes;
}

}  // namespace tactus::bench

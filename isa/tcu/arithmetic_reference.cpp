// The reference kernels: the scalar definitions of arithmetic.h, lane by lane.
#include <cstring>

#include "isa/tcu/arithmetic_kernels.h"

namespace tactus::tcu {
namespace {

template <DataType type, MacRounding rounding>
void reference_chain(const void* weights, const void* x, void* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t sum = lane(type, weights, i);
    for (std::size_t j = 0; j < n; ++j) {
      sum = mac(type, rounding, lane(type, x, j), lane(type, weights, (j + 1) * n + i), sum);
    }
    set_lane(type, out, i, sum);
  }
}

template <DataType type, MacRounding rounding>
void reference_chains(const void* weights, const std::uint8_t* const* x, void* out, std::size_t n,
                      std::size_t count) {
  const std::size_t bytes = n * info(type).storage_bytes;
  for (std::size_t k = 0; k < count; ++k) {
    std::uint8_t* const vector = static_cast<std::uint8_t*>(out) + k * bytes;
    if (x[k] == nullptr) {
      std::memcpy(vector, weights, bytes);
    } else {
      reference_chain<type, rounding>(weights, x[k], vector, n);
    }
  }
}

template <DataType type>
void reference_add(const void* a, const void* b, void* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    set_lane(type, out, i, saturating_add(type, lane(type, a, i), lane(type, b, i)));
  }
}

template <DataType type>
void reference_alu(SimdOp op, const void* left, const void* right, void* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    set_lane(type, out, i, alu(type, op, lane(type, left, i), lane(type, right, i)));
  }
}

template <DataType type>
void use(MacRounding rounding, VectorKernels& kernels) {
  const bool sum = rounding == MacRounding::sum;
  kernels.mac_chain =
      sum ? reference_chain<type, MacRounding::sum> : reference_chain<type, MacRounding::legacy>;
  kernels.mac_chains =
      sum ? reference_chains<type, MacRounding::sum> : reference_chains<type, MacRounding::legacy>;
  kernels.add = reference_add<type>;
  kernels.alu = reference_alu<type>;
}

}  // namespace

void use_reference(DataType type, MacRounding rounding, VectorKernels& kernels) {
  switch (type) {
    case DataType::fp8bp4:
      return use<DataType::fp8bp4>(rounding, kernels);
    case DataType::fp16bp8:
      return use<DataType::fp16bp8>(rounding, kernels);
    case DataType::fp18bp10:
      return use<DataType::fp18bp10>(rounding, kernels);
    case DataType::fp32bp16:
      return use<DataType::fp32bp16>(rounding, kernels);
  }
}

}  // namespace tactus::tcu

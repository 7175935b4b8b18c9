#include "firmware/selftest/tcu/products.h"

#include <algorithm>
#include <cmath>

namespace tactus::selftest {

void Product::row(const std::int64_t* block, const std::int64_t* input,
                  std::int64_t* output) const {
  std::copy_n(block, lanes, output);
  for (std::uint64_t j = 0; j < lanes; ++j) {
    const std::int64_t* column = block + (j + 1) * lanes;
    for (std::uint64_t i = 0; i < lanes; ++i) {
      output[i] = tcu::mac(type, rounding, input[j], column[i], output[i]);
    }
  }
}

Lanes Product::of(const Lanes& block, const Lanes& inputs) const {
  Lanes outputs(inputs.size());
  for (std::size_t at = 0; at < inputs.size(); at += lanes) {
    row(block.data(), inputs.data() + at, outputs.data() + at);
  }
  return outputs;
}

void Product::accumulate(Lanes& sums, const Lanes& addends) const {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = tcu::saturating_add(type, sums[i], addends[i]);
  }
}

Affine::Affine(tcu::DataType data_type) : type(data_type) {
  const tcu::DataTypeInfo& format = info(type);
  if (real_addend > tcu::to_real(type, format.max())) real_addend /= 16;
  const double one = std::ldexp(1.0, static_cast<int>(format.binary_point));
  factor = std::llround(real_factor * one);
  addend = std::llround(real_addend * one);
}

double Affine::check(const Lanes& inputs, const Lanes& outputs, bool two_steps) const {
  const tcu::DataTypeInfo& format = info(type);
  const double low = tcu::to_real(type, format.min());
  const double high = tcu::to_real(type, format.max());
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double x = tcu::to_real(type, inputs[i]);
    const double product = real_factor * x;
    const double expected =
        std::clamp((two_steps ? std::clamp(product, low, high) : product) + real_addend, low, high);
    const double found = tcu::to_real(type, outputs[i]);
    worst = std::max(worst, std::abs(found - expected));
    if (worst > tolerance) {
      fail("lane {}: {} x + {} with x = {} should be {:.4f} within {}, found {:.4f}", i,
           real_factor, real_addend, x, expected, tolerance, found);
    }
  }
  return worst;
}

}  // namespace tactus::selftest

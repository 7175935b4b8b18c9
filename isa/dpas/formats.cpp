#include "isa/dpas/formats.h"

#include "isa/dpas/semantics.h"
#include "isa/support/error.h"

namespace tactus::dpas {

float to_float(Precision precision, std::uint32_t bits) {
  switch (precision) {
    case Precision::bf:
      return formats::float_of(bits << 16);
    case Precision::hf:
      return formats::float_of(formats::hf_bits(bits));
    case Precision::bf8:
      return formats::float_of(formats::hf_bits(bits << 8));
    case Precision::tf32:
      return formats::float_of(bits);
    case Precision::hf8:
      return formats::float_of(formats::hf8_bits(bits));
    case Precision::e2m1:
      return formats::float_of(formats::e2m1_bits(bits));
    default:
      internal_error("precision {} is no float", static_cast<unsigned>(precision));
  }
}

float bf_to_float(std::uint16_t bits) { return to_float(Precision::bf, bits); }
float hf_to_float(std::uint16_t bits) { return to_float(Precision::hf, bits); }
std::uint16_t float_to_bf(float value) { return formats::bf_bits(value); }
std::uint16_t float_to_hf(float value) { return formats::half_bits(value); }

}  // namespace tactus::dpas

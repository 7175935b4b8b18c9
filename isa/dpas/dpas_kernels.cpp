// The portable variant, and the choice of a variant.
#include "isa/dpas/dpas_kernels.h"

#include "isa/dpas/dpas_core.h"
#include "isa/support/kernel_choice.h"
#include "isa/support/processor.h"

namespace tactus::dpas {
namespace {

/// Four numbers that compilers can keep in one register.
struct FourNumbers {
  static constexpr unsigned floats = 4, words = 4;
  struct Floats {
    float lane[4];
  };
  struct Words {
    Bits lane[4];
  };
  template <class Register, class Number>
  static Register read(const Number* from) {
    Register value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static Floats load(const float* from) { return read<Floats>(from); }
  static void store(const Floats& value, float* to) { std::memcpy(to, &value, sizeof value); }
  static Floats broadcast(float value) { return {{value, value, value, value}}; }
  static Floats add(const Floats& a, const Floats& b) {
    Floats sum;
    for (unsigned i = 0; i < 4; ++i) sum.lane[i] = a.lane[i] + b.lane[i];
    return sum;
  }
  static Floats multiply(const Floats& a, const Floats& b) {
    Floats product;
    for (unsigned i = 0; i < 4; ++i) product.lane[i] = a.lane[i] * b.lane[i];
    return product;
  }
  static Words zero() { return {{0, 0, 0, 0}}; }
  static Words load_words(const void* from) {
    return read<Words>(static_cast<const unsigned char*>(from));
  }
  static void store_words(const Words& value, Bits* to) { std::memcpy(to, &value, sizeof value); }
  static Words broadcast_word(Bits value) { return {{value, value, value, value}}; }
  static Words add_words(const Words& a, const Words& b) {
    Words sum;
    for (unsigned i = 0; i < 4; ++i) sum.lane[i] = a.lane[i] + b.lane[i];
    return sum;
  }
  static Words multiply_pairs(const Words& a, const Words& b) {
    Words sum;
    for (unsigned i = 0; i < 4; ++i) {
      const auto low = [](Bits x) {
        return static_cast<std::int32_t>(static_cast<std::int16_t>(x));
      };
      sum.lane[i] = static_cast<Bits>(low(a.lane[i]) * low(b.lane[i]) +
                                      low(a.lane[i] >> 16) * low(b.lane[i] >> 16));
    }
    return sum;
  }
};

/// False for configurations that only the reference computes.
bool has_fast_function(const DpasConfig& config) {
  if (config.systolic_depth != depth) return false;
  if (config.execution_size != 8 && config.execution_size != 16) return false;
  if (is_integer(config.w)) return true;
  return config.numerics.float_mode == FloatMode::seq && !config.numerics.ftz_in &&
         !config.numerics.ftz_out;
}

const DpasKernels* kernels(KernelSet set) {
  switch (set) {
    case KernelSet::reference:
      return nullptr;
    case KernelSet::portable:
      return portable_dpas_kernels();
    case KernelSet::avx2:
      return avx2_dpas_kernels();
    case KernelSet::avx512:
      return avx512_dpas_kernels();
  }
  return nullptr;
}

KernelSet chosen_set() {
  constexpr std::pair<std::string_view, KernelSet> sets[] = {{"reference", KernelSet::reference},
                                                             {"portable", KernelSet::portable},
                                                             {"avx2", KernelSet::avx2},
                                                             {"avx512", KernelSet::avx512}};
  return choose_kernels("a DPAS machine", sets, supported);
}

}  // namespace

const DpasKernels* portable_dpas_kernels() {
  static constexpr DpasKernels table = {
      {integer_dpas<FourNumbers, 8>, integer_dpas<FourNumbers, 16>},
      {float_dpas<FourNumbers, 8>, float_dpas<FourNumbers, 16>}};
  return &table;
}

bool supported(KernelSet set) {
  switch (set) {
    case KernelSet::reference:
    case KernelSet::portable:
      return true;
    case KernelSet::avx2:
      return avx2_dpas_kernels() != nullptr && processor_has_avx2();
    case KernelSet::avx512:
      return avx512_dpas_kernels() != nullptr && processor_has_avx512() &&
             processor_has_avx512_vnni();
  }
  return false;
}

DpasFunction select_dpas(const DpasConfig& config, KernelSet set) {
  const DpasKernels* const table = kernels(set);
  if (table == nullptr || !has_fast_function(config)) return dpas_reference;
  const unsigned size = config.execution_size == 16 ? 1 : 0;
  return is_integer(config.w) ? table->integer[size] : table->floats[size];
}

DpasFunction select_dpas(const DpasConfig& config) {
  static const KernelSet set = chosen_set();
  return select_dpas(config, set);
}

void dpas(const DpasConfig& config, std::uint8_t* dst, const std::uint8_t* src0,
          const std::uint8_t* src1, const std::uint8_t* src2) {
  select_dpas(config)(config, dst, src0, src1, src2);
}

}  // namespace tactus::dpas

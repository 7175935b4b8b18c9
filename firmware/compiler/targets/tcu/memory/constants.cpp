#include "firmware/compiler/targets/tcu/memory/constants.h"

#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {

void encode_constants(tcu::DataType type, const std::vector<float>& values,
                      std::vector<std::uint8_t>& bytes) {
  const std::size_t scalar = tcu::info(type).storage_bytes;
  const std::size_t begin = bytes.size();
  bytes.resize(begin + values.size() * scalar);
  std::vector<std::uint8_t> lanes(values.size() * scalar);
  for (std::size_t i = 0; i < values.size(); ++i) {
    tcu::set_lane(type, lanes.data(), i, tcu::quantise(type, values[i]));
  }
  tcu::vector_kernels(type).to_bytes(lanes.data(), bytes.data() + begin, values.size());
}

}  // namespace tactus::compiler

#include "firmware/driver/program_stream.h"

#include <numeric>

namespace tactus {

void pad_program(std::vector<std::uint8_t>& bytes, unsigned instruction_bytes,
                 unsigned word_bytes) {
  const std::size_t unit = std::lcm(instruction_bytes, word_bytes);
  bytes.resize((bytes.size() + unit - 1) / unit * unit);
}

}  // namespace tactus

#include "firmware/driver/tcu/program_stream.h"

#include <numeric>

namespace tactus {

void ProgramStream::start(const std::vector<std::uint8_t>& program, unsigned instruction_bytes) {
  const std::size_t unit = std::lcm(instruction_bytes, word_bytes_);
  size_ = (program.size() + unit - 1) / unit * unit;
  whole_ = program.size() / word_bytes_ * word_bytes_;
  program_ = program.data();
  rest_.assign(program_ + whole_, program_ + program.size());
  rest_.resize(size_ - whole_);
  position_ = 0;
}

}  // namespace tactus

#include "firmware/driver/tcu/program_stream.h"

#include <numeric>

#include "isa/support/error.h"

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

bool ProgramStream::available() {
  if (reader_->available()) return true;
  if (reader_->error() == tlm::TLM_OK_RESPONSE) return false;
  internal_error("{}: the memory refuses to read the program", reader_->name());
}

}  // namespace tactus

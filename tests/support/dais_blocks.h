// Small DAIS blocks for tests, made without files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "isa/dais/file.h"
#include "isa/tcu/architecture.h"

namespace tactus {

/// Makes a program whose output i is input i % inputs, rounded down to a multiple of
/// 2^-fraction_bits within -32768..32767.
inline dais::Program relay_program(std::size_t inputs, std::size_t outputs,
                                   std::int32_t fraction_bits = 16) {
  dais::Program program;
  program.input_shifts.assign(inputs, 0);
  for (std::size_t i = 0; i < inputs; ++i) {
    dais::Op op;
    op.opcode = -1;
    op.id0 = static_cast<std::int32_t>(i);
    op.type = {1, 15, fraction_bits};
    op.range = interval_of(op.type);
    program.ops.push_back(op);
  }
  for (std::size_t i = 0; i < outputs; ++i) {
    program.outputs.push_back({static_cast<std::int32_t>(i % inputs), 0, false});
  }
  return program;
}

inline tcu::DaisBlockEntry dais_block(const std::string& name, dais::Program program) {
  auto file = std::make_shared<dais::File>();
  file->pipeline.stages.push_back(std::move(program));
  return {name, name + ".json", name + ".json", std::move(file)};
}

/// Makes a block of relay programs with a latency of `ranks` cycles: a single program for 1, else a
/// pipeline of ranks - 1 stages.
inline tcu::DaisBlockEntry relay_block(const std::string& name, std::size_t inputs,
                                       std::size_t outputs, std::size_t ranks = 1) {
  auto file = std::make_shared<dais::File>();
  file->is_pipeline = ranks > 1;
  while (file->pipeline.stages.size() + 2 < ranks) {
    file->pipeline.stages.push_back(relay_program(inputs, inputs));
  }
  file->pipeline.stages.push_back(relay_program(inputs, outputs));
  return {name, name + ".json", name + ".json", std::move(file)};
}

}  // namespace tactus

// Interprets kernels without timing, one thread after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/dpas/program.h"

namespace tactus::gemm {

struct Interpreted {
  std::uint64_t dpas = 0;
  std::uint64_t instructions = 0;
  std::uint64_t bytes_loaded = 0, bytes_stored = 0;
};

/// Executes the first kernel for threads 0 .. threads - 1. `memory` starts at address 0; `inputs`
/// are the kernel's inputs in order, the same for every thread. Throws std::runtime_error for an
/// access outside the memory.
[[nodiscard]] Interpreted interpret(const dpas::Program& program, const dpas::Profile& profile,
                                    unsigned threads, const std::vector<std::uint64_t>& inputs,
                                    std::vector<std::uint8_t>& memory);

}  // namespace tactus::gemm

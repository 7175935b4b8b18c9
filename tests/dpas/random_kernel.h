// Random kernels with DPAS, vectors, loads and stores of blocks and elements, loops, fences and
// barriers.
#pragma once

#include <cstdint>
#include <random>

#include "tests/dpas/kernel_builder.h"

namespace tactus::dpas {

/// Memory that a kernel may use. Loads read both buffers; stores write only `out`.
struct RandomMemory {
  std::uint64_t in = 0, out = 0;
  std::uint32_t bytes = 0;  ///< size of each buffer
};

/// Appends about `length` instructions and ret. Barriers are among them only if `barriers` is set.
/// Every instruction is legal for the profile.
void random_kernel(KernelBuilder& builder, const Profile& profile, const RandomMemory& memory,
                   std::mt19937_64& random, unsigned length, bool barriers);

}  // namespace tactus::dpas

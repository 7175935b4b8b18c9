// Random kernels: DPAS, vectors, blocks and elements of memory, loops, fences, barriers.
#pragma once

#include <cstdint>
#include <random>

#include "tests/dpas/kernel_builder.h"

namespace tactus::dpas {

/// Where a kernel may load and store. Loads go to both, stores to `out` only.
struct RandomMemory {
  std::uint64_t in = 0, out = 0;
  std::uint32_t bytes = 0;  ///< of each
};

/// Appends about `length` instructions and ret. Every instruction is legal for the profile.
/// `tokens`: and as few registers are in play as make for many hazards, or more.
void random_kernel(KernelBuilder& builder, const Profile& profile, const RandomMemory& memory,
                   std::mt19937_64& random, unsigned length, bool barriers);

}  // namespace tactus::dpas

// Number and seeds of a test's random cases.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace tactus {

/// Returns `count` seeds from `first` on. TACTUS_TEST_SCALE multiplies the count (default 1; 0.1
/// with sanitizers, which are about ten times slower). If TACTUS_TEST_SEED is set, it is the only
/// seed.
inline std::vector<std::uint64_t> test_seeds(std::uint64_t first, std::uint64_t count) {
  if (const char* seed = std::getenv("TACTUS_TEST_SEED")) return {std::stoull(seed)};
  const char* text = std::getenv("TACTUS_TEST_SCALE");
  double scale = text != nullptr ? std::stod(text) : 1;
#ifdef __SANITIZE_ADDRESS__
  scale /= 10;
#endif
  const auto scaled = static_cast<std::uint64_t>(static_cast<double>(count) * scale);
  std::vector<std::uint64_t> seeds(scaled < 1 ? 1 : scaled);
  for (std::uint64_t& seed : seeds) seed = first++;
  return seeds;
}

}  // namespace tactus

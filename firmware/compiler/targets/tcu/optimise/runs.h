// Pairs of addresses as few runs with a stride each.
#pragma once

#include <cstdint>
#include <vector>

namespace tactus::compiler::optimise {

struct AddressPair {
  std::uint32_t local = 0, other = 0;
};

struct Run {
  AddressPair first;
  std::uint8_t local_stride = 0, other_stride = 0;  ///< codes
  std::uint32_t count = 1;
};

/// The code of a step of 2^code, below `codes`; or 0xFF.
[[nodiscard]] inline std::uint8_t stride_code(std::uint32_t from, std::uint32_t to,
                                              std::uint32_t codes) {
  if (to <= from) return 0xFF;
  const std::uint32_t step = to - from;
  for (std::uint8_t code = 0; code < codes; ++code) {
    if (step == std::uint32_t{1} << code) return code;
  }
  return 0xFF;
}

/// Greedy, in order. `stride0` and `stride1` are the numbers of codes; no run exceeds `longest`.
inline void find_runs(const std::vector<AddressPair>& pairs, std::uint32_t stride0,
                      std::uint32_t stride1, std::uint64_t longest, std::vector<Run>& runs) {
  runs.clear();
  for (std::size_t i = 0; i < pairs.size();) {
    Run run;
    run.first = pairs[i++];
    if (i < pairs.size() && longest > 1) {
      const std::uint8_t a = stride_code(run.first.local, pairs[i].local, stride0);
      const std::uint8_t b = stride_code(run.first.other, pairs[i].other, stride1);
      if (a != 0xFF && b != 0xFF) {
        run.local_stride = a;
        run.other_stride = b;
        const std::uint32_t step_a = std::uint32_t{1} << a, step_b = std::uint32_t{1} << b;
        while (i < pairs.size() && run.count < longest &&
               pairs[i].local == pairs[i - 1].local + step_a &&
               pairs[i].other == pairs[i - 1].other + step_b) {
          ++run.count;
          ++i;
        }
      }
    }
    runs.push_back(run);
  }
}

}  // namespace tactus::compiler::optimise

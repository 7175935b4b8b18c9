// A matrix product C = A x B, and lists of products.
//
// A is M x K, B is K x N, C is M x N. There is no bias. The count of a product says how often the
// network computes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::gemm {

inline constexpr std::uint64_t most_elements = std::uint64_t{1} << 20;  ///< largest M, N or K

struct Problem {
  std::string name;
  std::uint64_t m = 0, n = 0, k = 0;
  std::uint64_t count = 1;

  [[nodiscard]] std::uint64_t macs() const { return m * n * k; }
  /// Text such as "197x768x768": M, N, K.
  [[nodiscard]] std::string shape() const;
};

/// Parses "MxNxK". Throws UserError "WHERE: ...".
[[nodiscard]] Problem parse_shape(const std::string& text, const std::string& where);

/// Parses rows `name, M, N, K, count` in the form of read_table(); the count is optional (default
/// 1). Throws UserError "path:line: what; allowed ..." with one line per mistake.
[[nodiscard]] std::vector<Problem> parse_problems(std::string_view text, const std::string& path);

}  // namespace tactus::gemm

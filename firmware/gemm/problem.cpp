#include "firmware/gemm/problem.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/names.h"
#include "isa/support/read_number.h"
#include "isa/support/table_rows.h"
#include "isa/support/text.h"

namespace tactus::gemm {
namespace {

constexpr std::uint64_t most_count = 1'000'000;

std::optional<std::uint64_t> whole(std::string_view text, std::uint64_t most) {
  const auto value = read_number<std::uint64_t>(text);
  return value && *value != 0 && *value <= most ? value : std::nullopt;
}

/// Parses a row of a list. `problem` receives the description of an error, or stays empty.
Problem parse_row(const std::vector<std::string_view>& cells, std::string& problem) {
  Problem row;
  if (cells.size() != 4 && cells.size() != 5) {
    problem = fmt::format("{} cells; allowed name, M, N, K and a count that may be left out",
                          cells.size());
    return row;
  }
  if (cells[0].empty()) {
    problem = "the name is empty";
    return row;
  }
  row.name = printable_name(cells[0]);
  constexpr std::array<const char*, 4> names{"M", "N", "K", "the count"};
  const std::array<std::uint64_t*, 4> places{&row.m, &row.n, &row.k, &row.count};
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const std::uint64_t most = i == 4 ? most_count : most_elements;
    const auto value = whole(cells[i], most);
    if (!value) {
      problem =
          fmt::format("{} is {}; allowed {}", names[i - 1], quote(cells[i]), range_text(1, most));
      return row;
    }
    *places[i - 1] = *value;
  }
  return row;
}

}  // namespace

std::string Problem::shape() const { return fmt::format("{}x{}x{}", m, n, k); }

Problem parse_shape(const std::string& text, const std::string& where) {
  const std::vector<std::string_view> parts = split(text, 'x');
  Problem problem;
  bool right = parts.size() == 3;
  const std::array<std::uint64_t*, 3> places{&problem.m, &problem.n, &problem.k};
  for (std::size_t i = 0; right && i < 3; ++i) {
    const auto value = whole(trimmed(parts[i]), most_elements);
    right = value.has_value();
    *places[i] = value.value_or(0);
  }
  if (!right) {
    user_error("{} {} is not allowed; allowed: MxNxK such as 197x768x768, each {}", where,
               quote(text), range_text(1, most_elements));
  }
  problem.name = problem.shape();
  return problem;
}

std::vector<Problem> parse_problems(std::string_view text, const std::string& path) {
  constexpr std::size_t most_messages = 20;
  std::vector<Problem> problems;
  std::vector<std::string> messages;
  for (const TableRow& cells : read_table(text).rows) {
    std::string problem;
    Problem row = parse_row(cells.cells, problem);
    if (problem.empty()) {
      problems.push_back(std::move(row));
    } else if (problems.empty() && cells.cells.size() < 4) {
      // A first line with so few cells means that the file is no list. Its further lines would only
      // repeat the problem.
      user_error("{}:{}: {}", path, cells.line, problem);
    } else if (messages.size() < most_messages) {
      messages.push_back(fmt::format("{}:{}: {}", path, cells.line, problem));
    }
  }
  if (!messages.empty()) throw UserError(fmt::format("{}", fmt::join(messages, "\n")));
  if (problems.empty()) {
    user_error("{}: no row; allowed rows of name, M, N, K, count", path);
  }
  return problems;
}

}  // namespace tactus::gemm

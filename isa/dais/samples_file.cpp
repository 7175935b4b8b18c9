#include "isa/dais/samples_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>

#include "isa/support/array_file.h"
#include "isa/support/byte_order_mark.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/problems.h"
#include "isa/support/table_rows.h"
#include "isa/support/text.h"

namespace tactus::dais {
namespace {

// limits the lines if every line has a wrong number of columns
constexpr std::size_t csv_problem_limit = 10;

const std::vector<ArrayForm> sample_forms{ArrayForm::csv, ArrayForm::doubles};

/// Reads a cell. An empty result means success, otherwise it says what is wrong.
std::string parse_cell(std::string_view cell, double& value) {
  std::string_view number = trimmed(cell);
  if (number.empty()) return "the cell is empty; a decimal number is needed";
  // std::from_chars knows no plus sign.
  if (number.size() > 1 && number[0] == '+' && number[1] != '-') number.remove_prefix(1);
  const char* const end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, value);
  if (result.ec == std::errc::result_out_of_range && result.ptr == end) {
    return fmt::format("{} is beyond the range of a double", quote(trimmed(cell)));
  }
  if (result.ec != std::errc() || result.ptr != end) {
    return fmt::format("{} is not a decimal number", quote(trimmed(cell)));
  }
  if (!std::isfinite(value)) {
    return fmt::format("{} is not allowed; allowed are finite numbers", quote(trimmed(cell)));
  }
  return {};
}

void parse_line(std::string_view line, std::size_t number, std::size_t columns,
                std::vector<double>& samples, Problems& problems) {
  const auto cells = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  const bool empty = trimmed(line).empty();
  if (cells != columns || empty) {
    problems.add(std::to_string(number),
                 empty ? fmt::format("the line is empty; expected {} numbers", columns)
                       : fmt::format("{} numbers; expected {}", cells, columns));
    return;
  }
  for (std::size_t cell = 1; cell <= cells; ++cell) {
    const std::size_t comma = std::min(line.find(','), line.size());
    double value = 0;
    std::string wrong = parse_cell(line.substr(0, comma), value);
    if (!wrong.empty()) problems.add(fmt::format("{}:{}", number, cell), std::move(wrong));
    samples.push_back(value);
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
}

}  // namespace

std::vector<double> read_samples(const std::string& path, std::size_t columns) {
  return parse_samples(read_array_file(path, sample_forms), columns);
}

std::vector<double> parse_samples(const ArrayFile& file, std::size_t columns) {
  return file.form == ArrayForm::csv ? parse_samples_csv(as_text(file.bytes), columns, file.path)
                                     : parse_samples_raw(file.bytes, columns, file.path);
}

std::vector<double> parse_samples_csv(std::string_view text, std::size_t columns,
                                      const std::string& where) {
  if (columns == 0) user_error("{}: the program has no inputs, so there are no rows", where);
  text = without_byte_order_mark(text);
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  std::vector<double> samples;
  Problems problems(where, csv_problem_limit);
  for (std::size_t number = 1; !text.empty() && !problems.full(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    parse_line(text.substr(0, end), number, columns, samples, problems);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  problems.throw_if_any();
  return samples;
}

std::vector<double> parse_samples_raw(const std::vector<std::uint8_t>& bytes, std::size_t columns,
                                      const std::string& where) {
  if (columns == 0) user_error("{}: the program has no inputs, so there are no rows", where);
  const std::size_t row = columns * sizeof(double);
  if (bytes.size() % row != 0) {
    user_error("{}: {} bytes are not a whole number of rows; a row has {} ({} doubles)", where,
               bytes.size(), row, columns);
  }
  std::vector<double> samples(bytes.size() / sizeof(double));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::uint64_t bits = 0;
    for (unsigned k = 0; k < 8; ++k) bits |= std::uint64_t{bytes[8 * i + k]} << (8 * k);
    std::memcpy(&samples[i], &bits, sizeof bits);
  }
  check_finite(samples, columns, where);
  return samples;
}

void check_finite(const std::vector<double>& samples, std::size_t columns,
                  const std::string& where) {
  const auto bad = std::find_if(samples.begin(), samples.end(),
                                [](double value) { return !std::isfinite(value); });
  if (bad == samples.end()) return;
  const auto index = static_cast<std::size_t>(bad - samples.begin());
  user_error("{}: row {}, column {} is {}; allowed are finite numbers", where, index / columns + 1,
             index % columns + 1, std::isnan(*bad) ? "NaN" : "infinite");
}

void check_samples_name(const std::string& path) { (void)array_form(path, sample_forms); }

std::string samples_to_csv(const std::vector<double>& samples, std::size_t columns) {
  std::string text;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    text += fmt::format("{}", samples[i]);
    text += (i + 1) % columns == 0 ? '\n' : ',';
  }
  return text;
}

void write_samples(const std::string& path, const std::vector<double>& samples,
                   std::size_t columns) {
  if (array_form(path, sample_forms) == ArrayForm::csv) {
    write_file_atomically(path, samples_to_csv(samples, columns));
    return;
  }
  std::vector<std::uint8_t> bytes;
  bytes.reserve(samples.size() * sizeof(double));
  for (const double sample : samples) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &sample, sizeof bits);
    for (unsigned k = 0; k < 8; ++k) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * k)));
  }
  write_file_atomically(path, bytes);
}

}  // namespace tactus::dais

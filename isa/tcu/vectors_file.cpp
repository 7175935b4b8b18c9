#include "isa/tcu/vectors_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/problems.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::tcu {
namespace {

constexpr std::size_t csv_problem_limit = 10;  // a wrong array_size makes every line wrong

// ---- scalars ------------------------------------------------------------------------------------

std::int64_t load_scalar(const DataTypeInfo& type, const std::uint8_t* bytes) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < type.storage_bytes; ++i) bits |= std::uint64_t{bytes[i]} << (8 * i);
  const std::uint64_t span = std::uint64_t{1} << type.width_bits;
  bits &= span - 1;
  const auto value = static_cast<std::int64_t>(bits);
  return value > type.max() ? value - static_cast<std::int64_t>(span) : value;
}

void append_scalar(const DataTypeInfo& type, std::int64_t mantissa,
                   std::vector<std::uint8_t>& image) {
  const std::uint64_t bits =
      static_cast<std::uint64_t>(mantissa) & ((std::uint64_t{1} << type.width_bits) - 1);
  for (unsigned i = 0; i < type.storage_bytes; ++i) {
    image.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
  }
}

// ---- decimal text to mantissa -------------------------------------------------------------------

std::string_view trimmed(std::string_view cell) {
  constexpr std::string_view blanks = " \t";
  const auto first = cell.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(blanks) - first + 1);
}

/// True if a well-formed decimal number is below 1 in magnitude. Tells underflow from overflow,
/// which std::from_chars reports alike.
bool is_below_one(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_of("123456789");
  if (leading == std::string_view::npos) return true;
  // Decimal exponent of the leading digit: 7.0 -> 0, 70 -> 1, 0.7 -> -1.
  std::int64_t exponent = leading < point ? static_cast<std::int64_t>(point - leading) - 1
                                          : -static_cast<std::int64_t>(leading - point);
  if (e == std::string_view::npos) return exponent < 0;
  std::string_view written = number.substr(e + 1);
  if (written.front() == '+') written.remove_prefix(1);
  std::int64_t power = 0;
  const auto result = std::from_chars(written.data(), written.data() + written.size(), power);
  if (result.ec == std::errc::result_out_of_range) return written.front() == '-';
  constexpr std::int64_t huge = std::int64_t{1} << 40;  // beyond any text; keeps the sum defined
  return exponent + std::clamp(power, -huge, huge) < 0;
}

/// Parses all of `number`; false if it is not a decimal number. What is too small becomes zero,
/// what is too large infinite.
template <typename Float>
bool parse_float(std::string_view number, Float& value) {
  const char* const end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, value);
  if (result.ptr != end) return false;
  if (result.ec == std::errc::result_out_of_range) {
    value = is_below_one(number) ? Float{0} : std::numeric_limits<Float>::infinity();
    return true;
  }
  return result.ec == std::errc();
}

/// Reads one cell; an empty result means good, otherwise what is wrong with it.
std::string parse_cell(std::string_view cell, DataType type, std::int64_t& mantissa) {
  std::string_view number = trimmed(cell);
  if (number.empty()) return "the cell is empty; a decimal number is needed";
  // std::from_chars knows no plus sign.
  if (number.size() > 1 && number[0] == '+' && number[1] != '-') number.remove_prefix(1);
  double wide = 0;
  float narrow = 0;
  if (!parse_float(number, wide) || !parse_float(number, narrow)) {
    return fmt::format("{} is not a decimal number", quote(trimmed(cell)));
  }
  if (!std::isfinite(narrow)) {
    return fmt::format("{} is not finite as a 32-bit float", quote(trimmed(cell)));
  }
  const DataTypeInfo& format = info(type);
  const double scaled = std::ldexp(wide, static_cast<int>(format.binary_point));
  const bool exact = scaled >= static_cast<double>(format.min()) &&
                     scaled <= static_cast<double>(format.max()) && std::floor(scaled) == scaled;
  mantissa = exact ? static_cast<std::int64_t>(scaled) : quantise(type, narrow);
  return {};
}

void parse_line(std::string_view line, std::size_t line_number, const Architecture& architecture,
                std::vector<std::uint8_t>& image, Problems& problems) {
  const DataTypeInfo& type = info(architecture.data_type);
  const auto cells = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  if (cells != architecture.array_size) {
    problems.add(
        std::to_string(line_number),
        trimmed(line).empty()
            ? fmt::format("the line is empty; expected {} cells (array_size)",
                          architecture.array_size)
            : fmt::format("{} cells; expected {} (array_size)", cells, architecture.array_size));
    return;
  }
  for (std::size_t cell = 1; cell <= cells; ++cell) {
    const std::size_t comma = std::min(line.find(','), line.size());
    std::int64_t mantissa = 0;
    std::string wrong = parse_cell(line.substr(0, comma), architecture.data_type, mantissa);
    if (!wrong.empty()) problems.add(fmt::format("{}:{}", line_number, cell), std::move(wrong));
    append_scalar(type, mantissa, image);
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
}

// ---- mantissa to decimal text -------------------------------------------------------------------

void append_number(const DataTypeInfo& type, std::int64_t mantissa, std::string& text) {
  const double value =
      std::ldexp(static_cast<double>(mantissa), -static_cast<int>(type.binary_point));
  // The shortest text that tells the value from its neighbours among floats is shorter than among
  // doubles, and is what the reference prints; it serves wherever a float holds the value.
  const auto narrow = static_cast<float>(value);
  char buffer[64];
  const auto result =
      static_cast<double>(narrow) == value
          ? std::to_chars(buffer, buffer + sizeof buffer, narrow, std::chars_format::fixed)
          : std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  if (result.ec != std::errc()) internal_error("a mantissa of {} does not print", mantissa);
  const std::string_view number(buffer, static_cast<std::size_t>(result.ptr - buffer));
  text += number;
  if (number.find('.') == std::string_view::npos) text += ".0";
}

// ---- files --------------------------------------------------------------------------------------

void check_count(const std::string& where, std::uint64_t count, const Architecture& architecture,
                 std::optional<std::uint64_t> expected) {
  if (!expected || *expected == count) return;
  user_error("{}: {} vectors of {} scalars; expected {}", where, count, architecture.array_size,
             *expected);
}

void check_image(const std::vector<std::uint8_t>& image, const Architecture& architecture) {
  if (image.size() % architecture.vector_bytes() != 0) {
    internal_error("{} bytes to write are not whole vectors of {}", image.size(),
                   architecture.vector_bytes());
  }
}

enum class Kind { csv, raw };

Kind kind_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : name.substr(dot);
  if (extension == ".csv") return Kind::csv;
  if (extension == ".bin" || extension == ".tdata") return Kind::raw;
  user_error("{}: the name must end in .csv (decimal text), .bin or .tdata (raw bytes)", path);
}

}  // namespace

std::vector<std::uint8_t> read_vectors(const std::string& path, const Architecture& architecture,
                                       std::optional<std::uint64_t> expected) {
  return kind_of(path) == Kind::csv ? read_vectors_csv(path, architecture, expected)
                                    : read_vectors_raw(path, architecture, expected);
}

std::vector<std::uint8_t> read_vectors_raw(const std::string& path,
                                           const Architecture& architecture,
                                           std::optional<std::uint64_t> expected) {
  std::vector<std::uint8_t> image = read_file(path);
  const std::uint64_t bytes = architecture.vector_bytes();
  if (image.size() % bytes != 0) {
    user_error(
        "{}: {} bytes are not a whole number of vectors; a vector has {} bytes ({} scalars "
        "of {})",
        path, image.size(), bytes, architecture.array_size, info(architecture.data_type).name);
  }
  check_count(path, image.size() / bytes, architecture, expected);
  return image;
}

std::vector<std::uint8_t> read_vectors_csv(const std::string& path,
                                           const Architecture& architecture,
                                           std::optional<std::uint64_t> expected) {
  return parse_vectors_csv(read_text(path), path, architecture, expected);
}

std::vector<std::uint8_t> parse_vectors_csv(std::string_view text, const std::string& where,
                                            const Architecture& architecture,
                                            std::optional<std::uint64_t> expected) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // spreadsheets write it
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  std::vector<std::uint8_t> image;
  Problems problems(where, csv_problem_limit);
  std::uint64_t count = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++count;
    parse_line(line, count, architecture, image, problems);
  }
  problems.throw_if_any();
  check_count(where, count, architecture, expected);
  return image;
}

std::string to_csv(const std::vector<std::uint8_t>& image, const Architecture& architecture) {
  check_image(image, architecture);
  const DataTypeInfo& type = info(architecture.data_type);
  std::string text;
  std::uint32_t lane = 0;
  for (std::size_t at = 0; at < image.size(); at += type.storage_bytes) {
    append_number(type, load_scalar(type, &image[at]), text);
    lane = (lane + 1) % architecture.array_size;
    text += lane == 0 ? "\r\n" : ",";
  }
  return text;
}

void write_vectors_csv(const std::string& path, const std::vector<std::uint8_t>& image,
                       const Architecture& architecture) {
  write_file_atomically(path, to_csv(image, architecture));
}

void write_vectors_raw(const std::string& path, const std::vector<std::uint8_t>& image,
                       const Architecture& architecture) {
  check_image(image, architecture);
  write_file_atomically(path, image);
}

void write_vectors(const std::string& path, const std::vector<std::uint8_t>& image,
                   const Architecture& architecture) {
  if (kind_of(path) == Kind::csv) {
    write_vectors_csv(path, image, architecture);
  } else {
    write_vectors_raw(path, image, architecture);
  }
}

}  // namespace tactus::tcu

#include "isa/tcu/vectors_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <utility>

#include "isa/support/array_file.h"
#include "isa/support/byte_order_mark.h"
#include "isa/support/decimal.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/problems.h"
#include "isa/support/table_rows.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::tcu {
namespace {

// limits the lines if a wrong array_size makes every line wrong
constexpr std::size_t csv_problem_limit = 10;

// ---- scalars ------------------------------------------------------------------------------------

std::int64_t load_scalar(const DataTypeInfo& type, const std::uint8_t* bytes) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < type.storage_bytes; ++i) bits |= std::uint64_t{bytes[i]} << (8 * i);
  const std::uint64_t span = std::uint64_t{1} << type.width_bits;
  bits &= span - 1;
  const auto value = static_cast<std::int64_t>(bits);
  return value > type.max() ? value - static_cast<std::int64_t>(span) : value;
}

void store_scalar(const DataTypeInfo& type, std::int64_t mantissa, std::uint8_t* bytes) {
  const std::uint64_t bits =
      static_cast<std::uint64_t>(mantissa) & ((std::uint64_t{1} << type.width_bits) - 1);
  const auto store = [&](unsigned i) { bytes[i] = static_cast<std::uint8_t>(bits >> (8 * i)); };
  store(0);
  if (type.storage_bytes > 1) store(1);
  if (type.storage_bytes > 2) {
    store(2);
    store(3);
  }
}

// ---- decimal text to mantissa -------------------------------------------------------------------

/// Reads the lines of a file for one architecture.
class LineReader {
 public:
  LineReader(const Architecture& architecture, Problems& problems, Saturated& saturated)
      : type_(info(architecture.data_type)),
        data_type_(architecture.data_type),
        array_size_(architecture.array_size),
        scale_(std::ldexp(1.0, static_cast<int>(type_.binary_point))),
        lowest_(static_cast<double>(type_.min())),
        highest_(static_cast<double>(type_.max())),
        problems_(problems),
        saturated_(saturated) {}

  /// Appends the vector of a line if the line has the right number of cells; the bytes of a wrong
  /// cell are undefined.
  void read(std::string_view line, std::size_t number, std::vector<std::uint8_t>& image) {
    // wrong cells; reported if their number is right
    std::vector<std::pair<std::size_t, std::string>> wrong;
    const std::size_t start = image.size();
    image.resize(start + array_size_ * type_.storage_bytes);
    std::uint8_t* bytes = image.data() + start;
    const char* at = line.data();
    const char* const end = at + line.size();
    for (std::size_t cell = 1; cell <= array_size_; ++cell, bytes += type_.storage_bytes) {
      // The most frequent cell, since lanes without a channel are padded; its bytes are zero.
      constexpr std::string_view zero = "0.0,";
      if (cell < array_size_ && std::string_view(at, end - at).substr(0, zero.size()) == zero) {
        at += zero.size();
        continue;
      }
      std::int64_t mantissa = 0;
      const char* comma = read_short(at, end, mantissa);
      if (comma == nullptr) {
        comma = std::find(at, end, ',');
        std::string what = parse({at, static_cast<std::size_t>(comma - at)}, mantissa);
        if (!what.empty()) wrong.emplace_back(cell, std::move(what));
      }
      store_scalar(type_, mantissa, bytes);
      if (beyond_ && saturated_.count++ == 0) {
        saturated_.line = number;
        saturated_.cell = cell;
      }
      beyond_ = false;
      if ((comma == end) != (cell == array_size_)) {
        image.resize(start);
        return add_wrong_count(line, number);
      }
      at = comma + 1;
    }
    for (auto& [cell, what] : wrong) {
      problems_.add(fmt::format("{}:{}", number, cell), std::move(what));
    }
  }

 private:
  void add_wrong_count(std::string_view line, std::size_t number) const {
    const auto cells = std::count(line.begin(), line.end(), ',') + 1;
    problems_.add(
        std::to_string(number),
        trimmed(line, " \t").empty()
            ? fmt::format("the line is empty; expected {} cells (array_size)", array_size_)
            : fmt::format("{} cells; expected {} (array_size)", cells, array_size_));
  }

  /// Reads a short decimal without blanks, the usual kind of cell. Returns its end, or null for any
  /// other cell.
  const char* read_short(const char* at, const char* end, std::int64_t& mantissa) {
    double value = 0;
    const char* const stop = read_short_decimal(at, end, value);
    if (stop == nullptr || (stop != end && *stop != ',')) return nullptr;
    if (!is_mantissa(value, mantissa)) {
      mantissa = rounded(nearest_float({at, static_cast<std::size_t>(stop - at)}, value));
    }
    return stop;
  }

  /// Reads any cell. An empty result means success, otherwise it says what is wrong.
  std::string parse(std::string_view cell, std::int64_t& mantissa) {
    std::string_view number = trimmed(cell, " \t");
    if (number.empty()) return "the cell is empty; a decimal number is needed";
    // std::from_chars knows no plus sign.
    if (number.size() > 1 && number[0] == '+' && number[1] != '-') number.remove_prefix(1);
    double value = 0;
    if (!parse_decimal(number, value)) {
      return fmt::format("{} is not a decimal number", quote(trimmed(cell, " \t")));
    }
    if (is_mantissa(value, mantissa)) return {};
    const float narrow = nearest_float(number, value);
    if (!std::isfinite(narrow)) {
      return fmt::format("{} is not finite as a 32-bit float", quote(trimmed(cell, " \t")));
    }
    mantissa = rounded(narrow);
    return {};
  }

  [[nodiscard]] bool is_mantissa(double value, std::int64_t& mantissa) const {
    const double scaled = value * scale_;
    if (!(scaled >= lowest_ && scaled <= highest_)) return false;  // NaN also fails
    mantissa = static_cast<std::int64_t>(scaled);
    return static_cast<double>(mantissa) == scaled;
  }

  /// Values just beyond the range that round to its ends are rounded, not counted as saturated.
  std::int64_t rounded(float value) {
    const double scaled = double{value} * scale_;
    beyond_ = scaled < lowest_ - 0.5 || scaled >= highest_ + 0.5;
    return quantise(data_type_, value);
  }

  const DataTypeInfo& type_;
  DataType data_type_;
  std::size_t array_size_;
  double scale_, lowest_, highest_;
  Problems& problems_;
  Saturated& saturated_;
  bool beyond_ = false;  ///< the last cell read has saturated
};

// ---- mantissa to decimal text -------------------------------------------------------------------

void append_number(const DataTypeInfo& type, std::int64_t mantissa, std::string& text) {
  const double value =
      std::ldexp(static_cast<double>(mantissa), -static_cast<int>(type.binary_point));
  // The shortest text that identifies a value among floats is shorter than among doubles, and the
  // reference prints it. It is used if a float holds the value exactly.
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

std::vector<std::uint8_t> checked_raw(std::vector<std::uint8_t> image, const std::string& where,
                                      const Architecture& architecture,
                                      std::optional<std::uint64_t> expected) {
  const std::uint64_t bytes = architecture.vector_bytes();
  if (image.size() % bytes != 0) {
    user_error(
        "{}: {} bytes are not a whole number of vectors; a vector has {} bytes ({} scalars "
        "of {})",
        where, image.size(), bytes, architecture.array_size, info(architecture.data_type).name);
  }
  check_count(where, image.size() / bytes, architecture, expected);
  return image;
}

void check_image(const std::vector<std::uint8_t>& image, const Architecture& architecture) {
  if (image.size() % architecture.vector_bytes() != 0) {
    internal_error("{} bytes to write are not whole vectors of {}", image.size(),
                   architecture.vector_bytes());
  }
}

const std::vector<ArrayForm> vector_forms{ArrayForm::csv, ArrayForm::raw};

}  // namespace

std::string Saturated::text(DataType type) const {
  return fmt::format(
      "{} {} outside {}..{}, the range of {}, and saturated; the first in line {}, "
      "cell {}",
      count, count == 1 ? "number is" : "numbers are", to_real(type, info(type).min()),
      to_real(type, info(type).max()), info(type).name, line, cell);
}

std::vector<std::uint8_t> read_vectors(const std::string& path, const Architecture& architecture,
                                       std::optional<std::uint64_t> expected,
                                       Saturated* saturated) {
  return parse_vectors(read_array_file(path, vector_forms), architecture, expected, saturated);
}

std::vector<std::uint8_t> parse_vectors(ArrayFile file, const Architecture& architecture,
                                        std::optional<std::uint64_t> expected,
                                        Saturated* saturated) {
  if (file.form == ArrayForm::csv) {
    return parse_vectors_csv(as_text(file.bytes), file.path, architecture, expected, saturated);
  }
  return checked_raw(std::move(file.bytes), file.path, architecture, expected);
}

std::vector<std::uint8_t> read_vectors_raw(const std::string& path,
                                           const Architecture& architecture,
                                           std::optional<std::uint64_t> expected) {
  return checked_raw(read_file(path), path, architecture, expected);
}

std::vector<std::uint8_t> read_vectors_csv(const std::string& path,
                                           const Architecture& architecture,
                                           std::optional<std::uint64_t> expected,
                                           Saturated* saturated) {
  return parse_vectors_csv(read_text(path), path, architecture, expected, saturated);
}

std::vector<std::uint8_t> parse_vectors_csv(std::string_view text, const std::string& where,
                                            const Architecture& architecture,
                                            std::optional<std::uint64_t> expected,
                                            Saturated* saturated) {
  text = without_byte_order_mark(text);
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  std::vector<std::uint8_t> image;
  // A cell has at least two characters, so this is enough; unused memory is never touched.
  image.reserve((text.size() / (2 * architecture.array_size) + 1) * architecture.vector_bytes());
  Problems problems(where, csv_problem_limit);
  Saturated ignored;
  LineReader reader(architecture, problems, saturated != nullptr ? *saturated : ignored);
  std::uint64_t count = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++count;
    reader.read(line, count, image);
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
  if (array_form(path, vector_forms) == ArrayForm::csv) {
    write_vectors_csv(path, image, architecture);
  } else {
    write_vectors_raw(path, image, architecture);
  }
}

}  // namespace tactus::tcu

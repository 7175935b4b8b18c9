// Files of vectors: activations and constants as raw bytes or as CSV text.
//
// In memory, vectors are the image in DRAM: vector after vector, lane 0 first, each scalar
// info(type).storage_bytes little-endian bytes (FP18BP10: 18 bits, the rest zero). Source:
// toolchain spec sections 1.4 and 1.6.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/array_file.h"
#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// Counts numbers of a CSV file that were beyond the data type's range and have been saturated.
struct Saturated {
  std::uint64_t count = 0;
  std::size_t line = 0, cell = 0;  ///< position of the first, both from 1
  /// Text for a warning: the number, the position of the first, and the range.
  [[nodiscard]] std::string text(DataType type) const;
};

/// Reads a file. The extension tells its form: .csv is text, .bin and .tdata are raw; the form of a
/// pipe is told by its content. If `expected` is given, the file must hold exactly so many vectors.
/// Throws UserError.
[[nodiscard]] std::vector<std::uint8_t> read_vectors(
    const std::string& path, const Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt, Saturated* saturated = nullptr);

/// Does the same for a file that is already read, of form csv or raw.
[[nodiscard]] std::vector<std::uint8_t> parse_vectors(
    ArrayFile file, const Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt, Saturated* saturated = nullptr);

/// Reads raw bytes unchanged: FP18BP10 keeps bits above 18, which the unit ignores. The size must
/// be a whole number of vectors.
[[nodiscard]] std::vector<std::uint8_t> read_vectors_raw(
    const std::string& path, const Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt);

/// Reads one vector per line: exactly array_size decimal numbers separated by commas, no header.
/// Line ends are LF or CRLF; blanks around a number and empty lines at the end are ignored. Throws
/// UserError with the first problems as "file:line:cell: what", line and cell from 1.
///
/// A number that is exactly a mantissa becomes that mantissa. Any other is rounded to float32 and
/// then by quantise(), which saturates. The first rule matters only for FP32BP16, whose mantissas
/// are wider than a float32. `saturated`, unless null, counts numbers beyond the range.
[[nodiscard]] std::vector<std::uint8_t> read_vectors_csv(
    const std::string& path, const Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt, Saturated* saturated = nullptr);

/// Reads text that is already in memory; `where` stands for the file name in messages.
[[nodiscard]] std::vector<std::uint8_t> parse_vectors_csv(
    std::string_view text, const std::string& where, const Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt, Saturated* saturated = nullptr);

/// CSV text: CRLF after every line; each number is the shortest decimal, without exponent and with
/// at least one fraction digit ("3.0"), that parse_vectors_csv() reads back exactly. `image` must
/// be whole vectors.
[[nodiscard]] std::string to_csv(const std::vector<std::uint8_t>& image,
                                 const Architecture& architecture);

/// Writes text. All writers replace the file in one step (see write_file_atomically) and throw
/// UserError.
void write_vectors_csv(const std::string& path, const std::vector<std::uint8_t>& image,
                       const Architecture& architecture);
void write_vectors_raw(const std::string& path, const std::vector<std::uint8_t>& image,
                       const Architecture& architecture);
/// Writes a file; the extension chooses the form, as for read_vectors().
void write_vectors(const std::string& path, const std::vector<std::uint8_t>& image,
                   const Architecture& architecture);

}  // namespace tactus::tcu

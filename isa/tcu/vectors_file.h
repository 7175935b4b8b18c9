// Vectors on disk: activations and constants as raw bytes or as CSV text.
//
// In memory they are the image in DRAM: vector after vector, lane 0 first, each scalar
// info(type).storage_bytes little-endian bytes (FP18BP10: 18 bits, the rest zero).
// Source: toolchain spec sections 1.4 and 1.6.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// Numbers of a CSV file that the data type's range does not hold and that were read as its ends.
struct Saturated {
  std::uint64_t count = 0;
  std::size_t line = 0, cell = 0;  ///< of the first, both from 1
  /// For a warning: how many, where the first is, and the range.
  [[nodiscard]] std::string text(DataType type) const;
};

/// By extension: .csv, or .bin and .tdata for raw; a pipe by what comes out of it. If `expected` is
/// given, the file must hold exactly that many vectors. Throws UserError.
[[nodiscard]] std::vector<std::uint8_t> read_vectors(
    const std::string& path, const Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt, Saturated* saturated = nullptr);

/// Raw bytes, taken as they are: FP18BP10 keeps bits above 18, which the unit ignores. The size
/// must be a whole number of vectors.
[[nodiscard]] std::vector<std::uint8_t> read_vectors_raw(
    const std::string& path, const Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt);

/// One vector a line, exactly array_size decimal numbers separated by commas, no header; LF or
/// CRLF; blanks around a number and empty lines at the end are ignored. Throws UserError with the
/// first problems as "file:line:cell: what" (both from 1).
///
/// A number that is exactly a mantissa becomes that mantissa; any other is rounded to float32 and
/// then by quantise(), which saturates. The first rule matters for FP32BP16 only, whose mantissas
/// are wider than a float32. `saturated`, if it is given, counts numbers beyond the range.
[[nodiscard]] std::vector<std::uint8_t> read_vectors_csv(
    const std::string& path, const Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt, Saturated* saturated = nullptr);

/// The same from text already in memory; `where` stands for the file name in messages.
[[nodiscard]] std::vector<std::uint8_t> parse_vectors_csv(
    std::string_view text, const std::string& where, const Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt, Saturated* saturated = nullptr);

/// CRLF after every line; each number is the shortest decimal, without exponent and with at least
/// one fraction digit ("3.0"), that parse_vectors_csv reads back exactly. `image` must be whole
/// vectors.
[[nodiscard]] std::string to_csv(const std::vector<std::uint8_t>& image,
                                 const Architecture& architecture);

/// The writers replace the file in one step (see write_file_atomically) and throw UserError.
void write_vectors_csv(const std::string& path, const std::vector<std::uint8_t>& image,
                       const Architecture& architecture);
void write_vectors_raw(const std::string& path, const std::vector<std::uint8_t>& image,
                       const Architecture& architecture);
/// By extension, as read_vectors.
void write_vectors(const std::string& path, const std::vector<std::uint8_t>& image,
                   const Architecture& architecture);

}  // namespace tactus::tcu

// Files of samples: rows of real numbers, as decimal text or as raw doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/array_file.h"

namespace tactus::dais {

/// Reads a file of rows with `columns` numbers each. The extension tells the form: .csv is text,
/// .f64 is raw little-endian doubles. Throws UserError.
///
/// Text has one row per line, numbers separated by commas, and no header. Line ends are LF or CRLF;
/// blanks around a number and empty lines at the end are ignored. Numbers are those of
/// std::from_chars. The first problems are reported as "file:line:cell: what", line and cell
/// counted from 1. NaN and infinities are refused: a program's integers have no value for them.
[[nodiscard]] std::vector<double> read_samples(const std::string& path, std::size_t columns);
/// Does the same for a file that is already read, of form csv or doubles.
[[nodiscard]] std::vector<double> parse_samples(const ArrayFile& file, std::size_t columns);
[[nodiscard]] std::vector<double> parse_samples_csv(std::string_view text, std::size_t columns,
                                                    const std::string& where);
[[nodiscard]] std::vector<double> parse_samples_raw(const std::vector<std::uint8_t>& bytes,
                                                    std::size_t columns, const std::string& where);

/// Throws UserError "WHERE: row R, column C is NaN; ..." for the first number that is not finite.
void check_finite(const std::vector<double>& samples, std::size_t columns,
                  const std::string& where);

/// Throws UserError unless the name ends in .csv or .f64.
void check_samples_name(const std::string& path);

/// Writes rows of `columns` numbers; the extension chooses the form as above. Text has the shortest
/// decimals that read back exactly. Replaces the file in one step.
void write_samples(const std::string& path, const std::vector<double>& samples,
                   std::size_t columns);
[[nodiscard]] std::string samples_to_csv(const std::vector<double>& samples, std::size_t columns);

}  // namespace tactus::dais

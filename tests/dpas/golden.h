// Golden data of DPAS: the archive in this repository, and more data in the folder named by
// TACTUS_DPAS_GOLDEN.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/dpas/semantics.h"

namespace tactus::dpas {

[[nodiscard]] std::string golden_folder();

struct Expectation {
  std::string name;  ///< cm_emu, model_seq, model_dot, model_exact
  std::vector<std::uint8_t> bytes;
};

struct Vector {
  std::string file;
  DpasConfig config;
  std::string pattern;
  std::vector<std::uint8_t> src0, src1, src2;
  std::vector<Expectation> expectations;
  std::string primary;
  bool order_independent = false;
  std::string text;    ///< "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)"
  std::string binary;  ///< 33 bytes in hexadecimal

  [[nodiscard]] const Expectation& expectation(const std::string& name) const;
};

[[nodiscard]] std::vector<Vector> golden_vectors();

/// Returns the rows of a .tsv file, without comment lines (starting with #).
[[nodiscard]] std::vector<std::vector<std::string>> golden_table(const std::string& name);

/// Describes the first difference between `got` and `expected`; empty if they are equal. All NaN
/// count as equal.
[[nodiscard]] std::string difference(const DpasConfig& config, const std::vector<std::uint8_t>& got,
                                     const std::vector<std::uint8_t>& expected);

[[nodiscard]] std::vector<std::uint8_t> compute(const Vector& vector, const DpasConfig& config,
                                                DpasFunction function);

[[nodiscard]] std::vector<std::uint8_t> from_hex(const std::string& text);
[[nodiscard]] std::string to_hex(const std::vector<std::uint8_t>& bytes);

}  // namespace tactus::dpas

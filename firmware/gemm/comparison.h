// Reports that compare matrix products on several machines.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/gemm/measurement.h"
#include "firmware/report/figures.h"

namespace tactus::gemm {

/// Results of several products on several machines.
struct Comparison {
  std::string version, revision;  ///< version of Tactus
  std::vector<std::unique_ptr<Runner>> machines;
  std::vector<Problem> problems;
  std::optional<energy::Table> energies;          ///< the table that the measurements used
  std::vector<std::vector<Measurement>> results;  ///< by problem, then by machine

  /// Sums over all products of a machine, weighted by their counts.
  struct Total {
    std::uint64_t macs = 0, cycles = 0, bound_cycles = 0, bytes = 0;
    double ms = 0;
    double useful_mac = 0, share_of_bound = 0;  ///< 0..1
    double energy = 0;                          ///< 0 without an energy table
  };
  [[nodiscard]] Total total(std::size_t machine) const;

  /// Title of the column of energies, such as "energy, table relative"; empty without an energy
  /// table.
  [[nodiscard]] std::string energy_title() const;
};

/// Figures of one product on one machine, with explanations.
[[nodiscard]] std::vector<Figure> figure_columns();
/// Columns of to_csv(), with explanations.
[[nodiscard]] std::vector<Figure> csv_columns();
/// CSV text with one row per product and machine.
[[nodiscard]] std::string to_csv(const Comparison& comparison);
/// JSON with all figures, their explanations, and the accounting of every run.
[[nodiscard]] std::string to_json(const Comparison& comparison);
/// A self-contained HTML page.
[[nodiscard]] std::string to_html(const Comparison& comparison);

}  // namespace tactus::gemm

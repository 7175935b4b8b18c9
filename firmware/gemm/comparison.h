// Products on machines side by side: what is written about them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/gemm/measurement.h"
#include "firmware/report/figures.h"

namespace tactus::gemm {

struct Comparison {
  std::string version, revision;  ///< of Tactus
  std::vector<std::unique_ptr<Runner>> machines;
  std::vector<Problem> problems;
  std::optional<energy::Table> energies;          ///< that the measurements have
  std::vector<std::vector<Measurement>> results;  ///< by problem, then by machine

  /// Of all products of a machine, each as often as it counts.
  struct Total {
    std::uint64_t macs = 0, cycles = 0, bound_cycles = 0, bytes = 0;
    double ms = 0;
    double useful_mac = 0, share_of_bound = 0;  ///< 0..1
    double energy = 0;                          ///< 0 without a table
  };
  [[nodiscard]] Total total(std::size_t machine) const;

  /// "energy, table relative"; empty without a table.
  [[nodiscard]] std::string energy_title() const;
};

/// The figures of a product on a machine, explained.
[[nodiscard]] std::vector<Figure> figure_columns();
/// The columns of to_csv(), explained.
[[nodiscard]] std::vector<Figure> csv_columns();
/// A row for each product and machine.
[[nodiscard]] std::string to_csv(const Comparison& comparison);
/// All figures with their explanations, and the accounting of every run.
[[nodiscard]] std::string to_json(const Comparison& comparison);
/// A self-contained page.
[[nodiscard]] std::string to_html(const Comparison& comparison);

}  // namespace tactus::gemm

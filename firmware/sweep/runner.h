// What a point of a sweep runs: a network on a board, a matrix product on a machine, a Stripe
// program on a board.
//
// A new kind of point is a file like gemm_point.cpp, whose runner runner.cpp lists. Sections and
// keys of definitions, defaults, checks, columns of results and the page come from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firmware/bench/program_cache.h"
#include "firmware/report/figures.h"
#include "firmware/sweep/configuration.h"
#include "firmware/sweep/measure_sections.h"

namespace tactus::sweep {

/// What the value of a key names.
struct NamedFile {
  std::string name;  ///< in the point's configuration: a full path, or a name of configs
  std::string path;  ///< empty: the value names no file
};
/// A key that may name a file. Points get the name of NamedFile, so that they do not depend on the
/// current folder, and the hash of the file, since its content is part of the point. `beside` is
/// the sweep's definition, in whose folder names begin.
struct FileKey {
  const char *section, *key, *hash;
  NamedFile (*find)(const std::string& value, const std::string& beside);
};

struct Runner {
  const char* subject;        ///< key of what is computed: "workload.network"
  const char* subject_name;   ///< its name for readers
  const char* about_subject;  ///< explains the key; empty: it is in a table of parameters
  const char* base;  ///< key whose value determines all defaults: "board.name" or "board.machine"
  const char* mark;  ///< key that only points of this kind have; empty: the kind without a mark
  std::vector<ParameterSection> sections;  ///< besides workload, board and architecture
  std::vector<FileKey> files;
  /// All keys with their defaults for a base; files are named by their full paths.
  Configuration (*defaults)(const std::string& base, const std::string& file);
  /// Throws UserError if the value of a key of this kind names what does not exist.
  void (*check_value)(const std::string& key, const std::string& value, const std::string& file);
  /// Throws UserError if machine, memory or files are wrong, as far as it shows without compiling.
  void (*check)(const Configuration& configuration);
  /// The figures. All kinds have cycles, latency_ms, frames_per_second and array_busy (null: none),
  /// dram_read_bytes and dram_write_bytes, memory_bits and multipliers, by which the page compares
  /// points (`Measured`). Throws UserError if the point cannot be built, compiled or run, or does
  /// not end within `max_cycles` (0: no limit but the configuration's).
  Configuration (*evaluate)(const Configuration& configuration, const bench::ProgramCache& cache,
                            std::uint64_t max_cycles);
  std::vector<Figure> (*figures)();
  /// Sections of the page between the best points and the Pareto fronts.
  Sections (*page_sections)(const std::vector<Measured>& points,
                            const std::vector<SweepAxis>& axes);
};

[[nodiscard]] const std::vector<Runner>& runners();
[[nodiscard]] const Runner& runner_of(const Configuration& configuration);

/// Evaluates a point, whose configuration is given as JSON, and returns its figures as a line of
/// JSON; see Runner::evaluate.
[[nodiscard]] std::string evaluate(std::string_view configuration_json,
                                   const bench::ProgramCache& cache, std::uint64_t max_cycles);

/// Name, unit and explanation of each column of results.csv, for all kinds of points. The lines of
/// results.jsonl have the same keys.
[[nodiscard]] std::vector<Figure> result_columns();

/// The full path of a file that is named beside another one.
[[nodiscard]] std::string full_path_beside(const std::string& name, const std::string& file);
/// The energy table that a value names.
[[nodiscard]] NamedFile energy_file(const std::string& value, const std::string& beside);

}  // namespace tactus::sweep

// Files that a run of any machine writes about itself: their options and windows, for the command
// line and for Python.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/report/timeline.h"
#include "firmware/report/waveform.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Vectors of a memory to write to a file at the end: raw, or as numbers (.csv).
struct Dump {
  std::size_t memory;  ///< index in MachineInfo::memories
  std::string path;
  std::uint64_t first = 0;
  std::optional<std::uint64_t> count{};  ///< empty: all
};

struct RunOutputs {
  std::optional<std::string> stats, report, events, retire_log, layers_csv, samples, timeline;
  bool layers = false;              ///< print the table of layers
  bool to_standard_output = false;  ///< one of the files is standard output
  TraceOptions trace;
  TimelineOptions timeline_options;
  std::vector<Dump> dumps;
  /// Converts bytes of vectors to numbers, one vector a line; empty for a machine whose memories
  /// contain no vectors.
  std::function<std::string(const std::vector<std::uint8_t>&)> vectors_text;
};

/// One option of RunOutputs; the windows of timeline and waveform have tables of their own.
struct RunOutput {
  enum class Group { files, layers, samples, timeline, waveform };
  Group group;
  std::string_view key;    ///< as keys of parameters: with underscores
  std::string_view value;  ///< name of its value; empty: a switch
  std::string_view sentence;
  /// The member with the file's path; null: it is no single file.
  std::optional<std::string>* (*path)(RunOutputs&) = nullptr;
  std::string_view not_in_python = {};  ///< why Python does not have it; empty: it has
  bool repeatable = false;
  bool may_be_standard_output = false;  ///< where the path is "-"
};

/// All outputs, in the order of the help.
[[nodiscard]] const std::vector<RunOutput>& run_outputs();
/// The path that "-" stands for.
inline const std::string standard_output = "/dev/stdout";

[[nodiscard]] const ParameterTable<TimelineOptions>& timeline_parameters();
/// Parameters of a waveform's depth and window; triggers are options of their own.
[[nodiscard]] const ParameterTable<TraceOptions>& trace_parameters();

/// What somebody asked for: texts by key, several of one that may be repeated; and how errors name
/// the keys.
struct GivenOutputs {
  std::string where;  ///< begin of errors: "tactus run: "
  bool as_options;    ///< keys are named as options: "--trace-pc F", not "trace_pc"
  std::map<std::string, std::vector<std::string>> texts = {};

  [[nodiscard]] bool has(std::string_view key) const { return texts.count(std::string(key)) != 0; }
  [[nodiscard]] std::string name(std::string_view key, std::string_view value = {}) const;
};
/// All keys: those of run_outputs() and of the windows.
[[nodiscard]] std::vector<std::string> run_output_keys();

/// Reads all but the dumps. Throws UserError for options without effect.
[[nodiscard]] RunOutputs read_run_outputs(const GivenOutputs& given);

}  // namespace tactus

// The waveform of a run: which signals, when, and the files of it and of viewers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/common/simulation.h"
#include "isa/support/output_file.h"
#include "models/sim/trace/gtkwave_save.h"
#include "models/sim/trace/tracer.h"

namespace tactus {

struct TraceOptions {
  std::optional<std::string> vcd, gtkw, surfer;
  std::optional<std::string> fst;  ///< made of a VCD by GTKWave's vcd2fst
  /// Megabytes (10^6 bytes) of the VCD after which it ends.
  std::optional<std::uint64_t> vcd_limit;
  /// Throws UserError "WHERE needs vcd2fst, ..." where it is not installed.
  void make_fst(const std::string& path, const std::string& where);
  /// Signals are written to some file.
  [[nodiscard]] bool traces() const { return vcd || fst; }
  /// What viewers are to open.
  [[nodiscard]] const std::string& waveform() const { return fst ? *fst : *vcd; }
  bool list = false;
  trace::Selection selection;
  trace::Window window;  ///< without its condition, which needs the machine
  TraceTrigger trigger;
  /// Describes signals of what is around the machine; empty: there are none.
  std::function<void(const trace::Scope&)> surroundings;
};

/// What --trace-list prints about a machine.
[[nodiscard]] std::string signal_list(const Simulation& simulation, const TraceOptions& options);

/// Watches a machine from its construction to its end. The VCD appears with the first cycle in the
/// window; the FST is made at the end, of the VCD or of a temporary one. Failures while the machine
/// runs do not disturb it; finish() reports them.
class RunTrace {
 public:
  /// Throws UserError for a glob that selects nothing and for paths that cannot be written.
  /// `tool` ("tactus 1.0 (abc)") and `comment` go into the file.
  RunTrace(Simulation& simulation, const TraceOptions& options, const std::string& tool,
           const std::string& comment);
  ~RunTrace();
  RunTrace(const RunTrace&) = delete;
  RunTrace& operator=(const RunTrace&) = delete;

  /// A part of the run in cycles [from, to): its beginning is marked for viewers, if any of it can
  /// have been traced.
  void mark(const std::string& name, Cycle from, Cycle to);
  /// Closes the files. Returns what went wrong, or nothing. Without it nothing is left behind.
  [[nodiscard]] std::string finish();
  /// For the summary, after finish().
  [[nodiscard]] std::string summary() const;
  /// "F ends before cycle N, ..." if the limit of its size ended it.
  [[nodiscard]] std::optional<std::string> limit_text() const;

 private:
  [[nodiscard]] std::string nothing_traced() const;
  void write_views() const;
  void write_fst();

  Simulation& simulation_;
  TraceOptions options_;
  trace::Registry registry_;
  trace::Plan plan_;
  std::optional<TemporaryFile> only_for_fst_;
  std::optional<trace::VcdWriter> writer_;
  std::optional<trace::Tracer> tracer_;
  std::vector<trace::FirstView::Mark> marks_;
  std::uint64_t bytes_of_fst_ = 0;
  bool finished_ = false;
};

}  // namespace tactus

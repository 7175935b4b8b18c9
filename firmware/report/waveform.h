// The waveform of a run: which signals, when, and the files of it and of viewers.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "firmware/driver/common/simulation.h"
#include "models/sim/trace/tracer.h"

namespace tactus {

struct TraceOptions {
  std::optional<std::string> vcd, gtkw, surfer;
  std::optional<std::string> fst;  ///< made of the VCD by GTKWave's vcd2fst
  /// The VCD is only there for the FST.
  bool keep_vcd = true;
  /// Throws UserError "WHERE needs vcd2fst, ..." where it is not installed. To be called after
  /// `vcd` is known: a VCD that nobody wants goes when the FST is made.
  void make_fst(const std::string& path, const std::string& where);
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
/// window. Failures while the machine runs do not disturb it; finish() reports them.
class RunTrace {
 public:
  /// Throws UserError for a glob that selects nothing and for paths that cannot be written.
  /// `tool` ("tactus 1.0 (abc)") and `comment` go into the file.
  RunTrace(Simulation& simulation, const TraceOptions& options, const std::string& tool,
           const std::string& comment);
  ~RunTrace();
  RunTrace(const RunTrace&) = delete;
  RunTrace& operator=(const RunTrace&) = delete;

  /// Closes the files. Returns what went wrong, or nothing. Without it nothing is left behind.
  [[nodiscard]] std::string finish();
  /// For the summary, after finish().
  [[nodiscard]] std::string summary() const;

 private:
  [[nodiscard]] std::string nothing_traced() const;
  void write_views() const;

  Simulation& simulation_;
  TraceOptions options_;
  trace::Registry registry_;
  trace::Plan plan_;
  std::optional<trace::VcdWriter> writer_;
  std::optional<trace::Tracer> tracer_;
  bool finished_ = false;
};

}  // namespace tactus

// The waveform of a run: selected signals in a window of cycles, and files for viewers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/common/watched_machine.h"
#include "isa/support/output_file.h"
#include "models/sim/trace/gtkwave_save.h"
#include "models/sim/trace/tracer.h"

namespace tactus {

struct TraceOptions {
  std::optional<std::string> vcd, gtkw, surfer;
  std::optional<std::string> fst;  ///< made from a VCD by GTKWave's vcd2fst
  /// Size of the VCD, in megabytes (10^6 bytes), at which it ends.
  std::optional<std::uint64_t> vcd_limit;
  /// Sets the FST file. Throws UserError "WHERE needs vcd2fst, ..." if vcd2fst is not installed.
  void make_fst(const std::string& path, const std::string& where);
  /// True if signals are written to a file.
  [[nodiscard]] bool traces() const { return vcd || fst; }
  /// The file that viewers should open.
  [[nodiscard]] const std::string& waveform() const { return fst ? *fst : *vcd; }
  bool list = false;  ///< --trace-list: print the signals
  trace::Selection selection;
  trace::Window window;  ///< without its condition, which RunTrace makes of `trigger`
  TraceTrigger trigger;
  /// Declares signals outside the machine; empty: there are none.
  std::function<void(const trace::Scope&)> surroundings;
};

/// The output of --trace-list for a machine.
[[nodiscard]] std::string signal_list(const WatchedMachine& simulation,
                                      const TraceOptions& options);

/// Writes the waveform of a machine, from the construction of this object to finish(). The VCD is
/// created in the first cycle of the window. The FST is made at the end, from the VCD or from a
/// temporary VCD. Errors do not disturb the running machine; finish() reports them.
class RunTrace {
 public:
  /// Throws UserError if a glob selects no signal or a path cannot be written. `tool` ("tactus 1.0
  /// (abc)") and `comment` are written to the file's header.
  RunTrace(WatchedMachine& simulation, const TraceOptions& options, const std::string& tool,
           const std::string& comment);
  ~RunTrace();
  RunTrace(const RunTrace&) = delete;
  RunTrace& operator=(const RunTrace&) = delete;

  /// Names a part of the run, cycles [from, to). Viewers get a mark at its start if the window
  /// overlaps the part.
  void mark(const std::string& name, Cycle from, Cycle to);
  /// Completes the files. Returns the text of the first error; empty if there was none. Without
  /// this call no files remain.
  [[nodiscard]] std::string finish();
  /// Text for the run's summary. Call it after finish().
  [[nodiscard]] std::string summary() const;
  /// "F ends before cycle N, ..." if the size limit has ended the file.
  [[nodiscard]] std::optional<std::string> limit_text() const;

 private:
  [[nodiscard]] std::string nothing_traced() const;
  void write_views() const;
  void write_fst();

  WatchedMachine& simulation_;
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

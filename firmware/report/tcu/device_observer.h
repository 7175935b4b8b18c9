// Reports about a TcuDevice that is part of somebody's own SystemC design: a waveform, a timeline,
// statistics of each program.
//
//   DeviceObserver observer(tcu);
//   observer.name_layers(model);
//   observer.trace("tcu.vcd");
//   observer.timeline("tcu.json");
//   sc_start();
//   observer.finish();
//   std::cout << observer.summary();
//   write_file_atomically("stats.json", observer.statistics(0));
//
// A program is counted from the cycle in which it is started, when its first words are on their
// way, to the first cycle in which the unit is idle again. A device has at most one observer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firmware/driver/common/accounting.h"
#include "firmware/driver/common/watched_machine.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/driver/tcu/run_result.h"
#include "firmware/report/timeline.h"
#include "firmware/report/waveform.h"
#include "models/tcu/device/tcu_device.h"

namespace tactus {

class DeviceObserver final : public WatchedMachine {
 public:
  /// Call it before the simulation begins. The device must outlive the observer.
  explicit DeviceObserver(TcuDevice& device);
  ~DeviceObserver() override;

  /// Writes a VCD of the device's signals. `options` are those of `tactus run`. Cycle t is at the
  /// time of t clock periods, as in waveforms of the design around the device; with a clock port,
  /// whose period may change, at t times 10 ns.
  void trace(const std::string& vcd, TraceOptions options = {});
  /// Writes a timeline in the Chrome trace event format.
  void timeline(const std::string& json, const TimelineOptions& options = {});
  /// Names the layers of the model's program. If memory holds that program when a program is
  /// started, its statistics and the timeline have these layers. The model must outlive the
  /// observer.
  void name_layers(const Model& model);
  /// Completes the files. The destructor and the end of the simulation (sc_stop()) do so, too; this
  /// call throws UserError if a file could not be written. Further calls do nothing.
  void finish();

  /// Figures of the programs that have ended so far, by themselves or after an error of a memory.
  [[nodiscard]] const std::vector<TcuRunResult>& programs() const { return results_; }
  /// Text with the cycles of each program and its three largest reasons for lost cycles.
  [[nodiscard]] std::string summary() const;
  /// Statistics of a program, by its index in programs(). Throws UserError if it has not ended.
  /// JSON with the keys that `tactus run
  /// --stats` writes, except for figures of the host, of the memory and of unwritten reads. Without
  /// name_layers() `instructions` includes the padding of the stream. With a clock port figures in
  /// seconds, and those that follow from them, are those of the program's mean clock frequency.
  /// Figures that the model does not have of units that modules replace are null.
  [[nodiscard]] std::string statistics(std::size_t program) const;

 private:
  void begin();
  void end(bool failed);
  [[nodiscard]] bool holds(const std::vector<std::uint8_t>& program, const Model& model) const;
  void count_retire();
  void pass_border();
  [[nodiscard]] std::uint64_t until_border() const {
    return accountant_.next_border() - result_.retired;
  }

  TcuDevice& device_;
  Accountant accountant_;
  const Model* model_ = nullptr;  ///< the model given to name_layers()
  std::vector<TcuRunResult> results_;
  std::vector<const Model*> models_;  ///< model of each program in results_; null: unknown
  std::vector<double> clock_mhz_;     ///< of each program; with a clock port the mean
  std::vector<bool> failed_;          ///< programs in results_ of which a memory refused an access
  // State of the program that is running.
  TcuRunResult result_;
  const Model* running_ = nullptr;
  Cycle first_ = 0;
  std::uint64_t began_ = 0;  ///< time at which first_ begins, in units of sc_time
  std::uint64_t retired_before_ = 0;
  bool border_ = false;  ///< true if the last instruction of a region has retired in this cycle
  bool finished_ = false;
  std::unique_ptr<RunTrace> trace_;
  std::unique_ptr<Timeline> timeline_;
};

}  // namespace tactus

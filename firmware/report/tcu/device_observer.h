// Reports about a TcuDevice inside of a foreign design: a waveform, a timeline, statistics of each
// program.
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
// A program counts from the cycle in which it is started, with its first words on their way, to the
// first cycle in which the unit is idle again. A device has one observer at most.
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
  /// Before the simulation begins. The device has to outlive it.
  explicit DeviceObserver(TcuDevice& device);
  ~DeviceObserver() override;

  /// Writes a VCD of the device's signals; `options` as of `tactus run`. Cycle t of it is time t
  /// periods, as in waveforms of the design around it.
  void trace(const std::string& vcd, TraceOptions options = {});
  /// Writes a timeline in the Chrome trace event format.
  void timeline(const std::string& json, const TimelineOptions& options = {});
  /// Names the layers of the model's program: where memory holds that program when it is started,
  /// its statistics and the timeline have the layers. The model has to outlive the observer.
  void name_layers(const Model& model);
  /// Completes the files. Throws UserError for what could not be written.
  void finish();

  /// Figures of the programs that have ended so far.
  [[nodiscard]] const std::vector<TcuRunResult>& programs() const { return results_; }
  /// For each of them its cycles and the largest reasons for lost ones.
  [[nodiscard]] std::string summary() const;
  /// Statistics of one of them: JSON with the keys that `--stats` of `tactus run` writes, except
  /// for figures of the host, of the memory and of unwritten reads. Without name_layers()
  /// `instructions` includes the padding of the stream.
  [[nodiscard]] std::string statistics(std::size_t program) const;

 private:
  void begin();
  void end();
  [[nodiscard]] bool holds(const std::vector<std::uint8_t>& program, const Model& model) const;
  void count_retire();
  void pass_border();
  [[nodiscard]] std::uint64_t until_border() const {
    return accountant_.next_border() - result_.retired;
  }

  TcuDevice& device_;
  Accountant accountant_;
  const Model* model_ = nullptr;  ///< of name_layers()
  std::vector<TcuRunResult> results_;
  std::vector<const Model*> models_;  ///< of each program in results_; null: unknown
  // The program under way.
  TcuRunResult result_;
  const Model* running_ = nullptr;
  Cycle first_ = 0;
  std::uint64_t retired_before_ = 0;
  bool border_ = false;  ///< a region's last instruction has retired in the current cycle
  std::unique_ptr<RunTrace> trace_;
  std::unique_ptr<Timeline> timeline_;
};

}  // namespace tactus

// What Tactus shows of a TcuDevice inside of a foreign design: a waveform, a timeline, accounts of
// each program.
//
//   DeviceObserver observer(tcu);
//   observer.trace("tcu.vcd");
//   observer.timeline("tcu.json");
//   sc_start();
//   observer.finish();
//   std::cout << observer.summary();
//
// A program counts from the cycle in which it is started, with its first words on their way, to the
// first cycle in which nothing moved any more. Only one observer a device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firmware/driver/common/accounting.h"
#include "firmware/driver/common/watched_machine.h"
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
  /// Completes the files. Throws UserError for what could not be written.
  void finish();

  /// The programs that have ended so far.
  [[nodiscard]] const std::vector<Accounting>& programs() const { return programs_; }
  /// For each of them its cycles and the largest reasons for lost ones.
  [[nodiscard]] std::string summary() const;

 private:
  void begin();
  void end();

  TcuDevice& device_;
  Accountant accountant_;
  std::vector<Accounting> programs_;
  std::uint64_t retired_ = 0;  ///< before the program under way
  std::unique_ptr<RunTrace> trace_;
  std::unique_ptr<Timeline> timeline_;
};

}  // namespace tactus

// A timeline of runs in the Chrome trace event format, which Perfetto and chrome://tracing open.
//
// One cycle is written as one microsecond. Tracks: images and their layers; what the array's time
// goes into; instructions at the decoder's head; instructions in the array; operations of the ALUs;
// instructions in DAIS blocks; every unit with its states (idle is left blank); AXI bursts, from
// address to last data or response, on as many tracks as overlap. Slices of one track nest and
// never overlap. Counters, one sample an interval: queue levels, outstanding bursts, array
// utilisation.
//
// The size is bounded by a window of cycles, a least duration and a greatest number of events; what
// happens after the last event that fits is left out and a note says from where. A failure to write
// stops the timeline and not the run: close() reports it.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "firmware/driver/tcu/simulation.h"
#include "isa/support/output_file.h"

namespace tactus {

struct TimelineOptions {
  Cycle from = 0;  ///< cycles of the machine: [from, to)
  Cycle to = ~Cycle{0};
  Cycle min_duration = 1;              ///< cycles; shorter slices are left out
  std::uint64_t max_events = 2000000;  ///< slices and counter samples
};

class Timeline final : public EventSink, public AccountObserver {
 public:
  static constexpr Cycle sample_interval = 100;  ///< cycles, of the counters

  /// Throws UserError if the file cannot be written.
  Timeline(const std::string& path, const TcuSimulation& simulation, TimelineOptions options);

  /// Before each run: the program without padding, and a name for its slice.
  void begin_run(const std::string& name, const std::vector<std::uint8_t>& program);
  void end_run(const Accounting& accounting);
  /// Completes the file. Throws UserError for the first write that failed.
  void close();
  /// What was left out, or nothing.
  [[nodiscard]] std::optional<std::string> note() const;

  void event(const Event& event) override;
  void end_of_cycle(Cycle cycle) override;
  void interval(const Account& account, unsigned code, Cycle from, Cycle to) override;

 private:
  using Name = std::string_view;

  /// An instruction under way in the array or a DAIS block.
  struct Work {
    std::size_t index;
    std::uint64_t left;  ///< vectors, or samples of a block
  };
  struct Burst {
    Cycle from;
    std::uint64_t address;
    std::uint64_t beats;
    std::uint64_t left;
    unsigned lane;
  };
  struct Port {
    std::deque<Burst> reads, writes;
    std::vector<bool> lanes;  ///< taken
  };

  void slice(unsigned track, Name name, Name category, Cycle from, Cycle to,
             const std::string& arguments = {});
  void counter(Name name, Cycle at, const std::string& values);
  void track(unsigned id, const std::string& name);
  void put(std::string_view text);
  [[nodiscard]] bool full() const { return events_ >= options_.max_events; }
  [[nodiscard]] std::string describe(std::size_t index) const;
  [[nodiscard]] unsigned unit_track(const Account& account);
  [[nodiscard]] bool in_view(Cycle from, Cycle to) const;
  void retired(const Event& event, Cycle now);
  void array_works(Cycle now);
  void dais_works(Cycle now);
  void open_burst(bool read, const Event& event, Cycle now);
  void close_burst(unsigned port, bool read, Cycle now);
  void sample(Cycle now);

  const TcuSimulation& simulation_;
  const tcu::InstructionLayout layout_;
  TimelineOptions options_;
  std::string path_;
  OutputFile file_;
  std::string buffer_;
  std::uint64_t events_ = 0;
  std::uint64_t too_short_ = 0;
  std::optional<Cycle> cut_;  ///< first cycle without slices, if the number of events was met
  std::optional<std::string> failure_;

  std::vector<tcu::Instruction> program_;
  std::string run_name_;
  Cycle run_from_ = 0;
  std::size_t head_ = 0;        ///< index of the instruction that retires next
  std::deque<Cycle> accepted_;  ///< of the instructions in the decoder
  Cycle head_from_ = 0;         ///< earliest head cycle of the next instruction
  std::deque<Work> in_array_;   ///< in program order
  std::deque<std::size_t> in_alu_;
  Cycle array_from_ = 0;  ///< first cycle of the front of in_array_
  bool array_begun_ = false;
  std::deque<Work> in_dais_;  ///< in program order
  Cycle dais_from_ = 0;
  bool dais_begun_ = false;
  std::array<Port, 2> ports_;
  std::vector<const Account*> units_;  ///< in the order of their tracks

  Cycle next_sample_ = sample_interval;
  std::uint64_t runs_ = 0;  ///< in the present interval
  std::array<std::uint64_t, 7> samples_{};
};

}  // namespace tactus

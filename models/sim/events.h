// Observable events of the machine, one for each handshake that the golden logs record.
// Source: hardware spec section 17.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/tcu/architecture.h"
#include "models/sim/clock.h"

namespace tactus {

/// In the order in which the events of one cycle are written.
enum class EventKind : std::uint8_t {
  instruction_accepted,  ///< IFIRE: data = instruction bytes
  retired,               ///< DEC: a = opcode, b = flags, c = program counter before
  dram_control,          ///< D0C/D1C: a = write, b = address, c = size field (bare TCU)
  dram_in,               ///< D0I/D1I (bare TCU)
  dram_out,              ///< D0O/D1O (bare TCU)
  axi_read_address,      ///< AR: a = byte address, b = beats - 1, c = cache
  axi_write_address,     ///< AW: a = byte address, b = beats - 1
  axi_write_data,        ///< W: data = beat, a = last
  axi_read_data,         ///< R
  axi_write_response,    ///< B
  local_read_a,          ///< LRA: a = address
  local_write_a,         ///< LWA: a = address, data = vector
  local_read_b,          ///< LRB
  local_write_b,         ///< LWB: data = vector
  load,                  ///< LOAD: a weight vector enters the array
  run,                   ///< RUN: an input vector (or zeroes) enters the array
  dais,                  ///< DAIS: a sample enters a DAIS block, a = its number
  alu,                   ///< ALU: an operation issues
  accumulator_read_a,    ///< ARA
  accumulator_write_a,   ///< AWA: data = vector
  accumulator_read_b,    ///< ARB
  timeout,               ///< TIMEOUT: the decoder's timeout output is high
};

struct Event {
  EventKind kind;
  unsigned port = 0;  ///< DRAM port
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  const std::uint8_t* data = nullptr;  ///< valid during the call only
};

/// Receives the events of a cycle in any order, then the end of the cycle.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void event(const Event& event) = 0;
  virtual void end_of_cycle(Cycle cycle) = 0;
};

/// Which operands the two elaborations behind the golden logs print.
enum class EventStyle : std::uint8_t { bare, axi };

/// Widths that the text of an event depends on.
struct EventFormat {
  EventStyle style = EventStyle::axi;
  tcu::DataType data_type = tcu::DataType::fp16bp8;
  unsigned array_size = 8;
  unsigned instruction_bytes = 8;
  unsigned beat_bytes = 8;
};

/// One line of text without the cycle number, e.g. "LRA a=3".
[[nodiscard]] std::string format_event(const EventFormat& format, const Event& event);

/// Collects the lines of a cycle, in the order of EventKind and within a kind of the port and the
/// text, so that the log does not depend on the order in which units commit.
class EventLines : public EventSink {
 public:
  explicit EventLines(EventFormat format) : format_(format) {}
  void event(const Event& event) override;
  void end_of_cycle(Cycle cycle) override;

 protected:
  /// The cycle's lines, sorted; never empty.
  virtual void lines(Cycle cycle, const std::vector<std::string>& lines) = 0;

 private:
  struct Line {
    unsigned key;
    std::string text;
  };
  EventFormat format_;
  std::vector<Line> pending_;
  std::vector<std::string> sorted_;
};

}  // namespace tactus

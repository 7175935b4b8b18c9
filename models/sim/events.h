// Observable events of a machine: handshakes worth a line in a log.
//
// A machine names its kinds of events in one table, in the order in which the events of one cycle
// are written. An event is an index into that table, with operands. The table also says how a text
// shows the operands.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/sim/clock.h"

namespace tactus {

using EventKind = std::uint8_t;  ///< place in the machine's table

struct Event {
  EventKind kind;
  unsigned port = 0;  ///< number of the port, for units that exist more than once
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  const std::uint8_t* data = nullptr;  ///< valid during the call only
};

/// A set of kinds, a bit each.
using EventKinds = std::uint32_t;

/// Receives the events of a cycle in any order, then the end of the cycle. Cycles in which nothing
/// happens may be left out.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void event(const Event& event) = 0;
  virtual void end_of_cycle(Cycle cycle) = 0;
  /// The number of items in one of the machine's queues changes at the end of this cycle.
  virtual void level(unsigned /*queue*/, std::uint64_t /*items*/) {}
  /// The kinds that the observer wants, if it reads no event's data: the fast engine can then take
  /// sequences. 0: the observer wants all events with their data.
  [[nodiscard]] virtual EventKinds kinds() const { return 0; }
};

/// An operand in the text of an event: NAME=VALUE, or the value alone.
struct EventField {
  enum class Operand : std::uint8_t { a, b, c, data };
  enum class Radix : std::uint8_t { decimal, hexadecimal };

  std::string_view name;  ///< empty: the value alone
  Operand operand;
  std::string_view meaning;
  Radix radix = Radix::decimal;
};

struct EventInfo {
  std::string_view name;  ///< first word of the text; `*` in it stands for the port's number
  std::string_view meaning;
  std::vector<EventField> fields;
};

/// The kinds of events of a machine and how it writes them.
struct EventFormat {
  std::vector<EventInfo> kinds;
  /// Appends an event's data as text.
  std::function<void(std::string& text, const Event& event)> data;
};

// A log has millions of events, so texts are appended to one string, without temporary strings.

template <typename Number>
void append_number(std::string& text, Number number, int base = 10) {
  std::array<char, 24> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  text.append(digits.data(), result.ptr);
}
/// Appends a little-endian byte string as one hexadecimal number.
void append_hex(std::string& text, const std::uint8_t* bytes, unsigned count);

/// Collects the lines of a cycle. They are ordered by the machine's table, and within a kind by
/// port and text, so that the log does not depend on the order in which units commit.
class EventLines : public EventSink {
 public:
  explicit EventLines(EventFormat format) : format_(std::move(format)) {}
  void event(const Event& event) override;
  void end_of_cycle(Cycle cycle) override;

 protected:
  /// The cycle's lines, sorted; never empty.
  virtual void lines(Cycle cycle, const std::vector<std::string>& lines) = 0;

 private:
  /// Texts keep their memory from cycle to cycle.
  struct Line {
    std::uint64_t key = 0;  ///< kind and port
    std::string text;       ///< such as "AR0 a=100 l=7 c=0"
  };
  EventFormat format_;
  std::vector<Line> pending_;  ///< the first count_ of them
  std::size_t count_ = 0;
  std::vector<std::string> sorted_;
};

}  // namespace tactus

#include "models/sim/events.h"

#include <algorithm>

#include <fmt/format.h>

namespace tactus {
namespace {

std::uint64_t operand(const Event& event, EventField::Operand which) {
  switch (which) {
    case EventField::Operand::a:
      return event.a;
    case EventField::Operand::b:
      return event.b;
    default:
      return event.c;
  }
}

}  // namespace

std::string hex_word(const std::uint8_t* bytes, unsigned count) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * count);
  for (unsigned i = count; i-- > 0;) {
    text += digits[bytes[i] >> 4U];
    text += digits[bytes[i] & 15U];
  }
  return text;
}

std::string format_event(const EventFormat& format, const Event& event) {
  const EventInfo& info = format.kinds[event.kind];
  std::string text;
  for (const char c : info.name) {
    if (c == '*') {
      text += fmt::format("{}", event.port);
    } else {
      text += c;
    }
  }
  for (const EventField& field : info.fields) {
    text += ' ';
    if (!field.name.empty()) {
      text += field.name;
      text += '=';
    }
    if (field.operand == EventField::Operand::data) {
      text += format.data(event);
    } else if (field.radix == EventField::Radix::hexadecimal) {
      text += fmt::format("{:x}", operand(event, field.operand));
    } else {
      text += fmt::format("{}", operand(event, field.operand));
    }
  }
  return text;
}

void EventLines::event(const Event& event) {
  pending_.push_back(
      {(std::uint64_t{event.kind} << 32) + event.port, format_event(format_, event)});
}

void EventLines::end_of_cycle(Cycle cycle) {
  if (pending_.empty()) return;
  std::sort(pending_.begin(), pending_.end(), [](const Line& x, const Line& y) {
    return x.key != y.key ? x.key < y.key : x.text < y.text;
  });
  sorted_.clear();
  for (Line& line : pending_) sorted_.push_back(std::move(line.text));
  pending_.clear();
  lines(cycle, sorted_);
}

}  // namespace tactus

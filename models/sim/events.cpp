#include "models/sim/events.h"

#include <algorithm>
#include <cstddef>

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

void append_event(std::string& text, const EventFormat& format, const Event& event) {
  const EventInfo& info = format.kinds[event.kind];
  for (const char c : info.name) {
    if (c == '*') {
      append_number(text, event.port);
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
      format.data(text, event);
    } else if (field.radix == EventField::Radix::hexadecimal) {
      append_number(text, operand(event, field.operand), 16);
    } else {
      append_number(text, operand(event, field.operand));
    }
  }
}

}  // namespace

void append_hex(std::string& text, const std::uint8_t* bytes, unsigned count) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (unsigned i = count; i-- > 0;) {
    text += digits[bytes[i] >> 4U];
    text += digits[bytes[i] & 15U];
  }
}

void EventLines::event(const Event& event) {
  if (count_ == pending_.size()) pending_.emplace_back();
  Line& line = pending_[count_++];
  line.key = (std::uint64_t{event.kind} << 32) + event.port;
  line.text.clear();
  append_event(line.text, format_, event);
}

void EventLines::end_of_cycle(Cycle cycle) {
  if (count_ == 0) return;
  const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(count_);
  std::sort(pending_.begin(), end, [](const Line& x, const Line& y) {
    return x.key != y.key ? x.key < y.key : x.text < y.text;
  });
  sorted_.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) sorted_[i].swap(pending_[i].text);
  count_ = 0;
  lines(cycle, sorted_);
}

}  // namespace tactus

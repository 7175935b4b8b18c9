// The events of an AXI port, for the event table of a machine that has one.
#pragma once

#include "models/sim/events.h"

namespace tactus {

/// Indices of these events in the machine's table.
struct AxiEventKinds {
  EventKind read_address, write_address, write_data, read_data, write_response;
};

inline EventInfo axi_read_address_info() {
  using Field = EventField;
  return {"AR*",
          "the address of a read burst",
          {{"a", Field::Operand::a, "byte address", Field::Radix::hexadecimal},
           {"l", Field::Operand::b, "beats - 1"},
           {"c", Field::Operand::c, "cache attributes", Field::Radix::hexadecimal}}};
}
inline EventInfo axi_write_address_info() {
  using Field = EventField;
  return {"AW*",
          "the address of a write burst",
          {{"a", Field::Operand::a, "byte address", Field::Radix::hexadecimal},
           {"l", Field::Operand::b, "beats - 1"}}};
}
inline EventInfo axi_write_data_info() {
  using Field = EventField;
  return {
      "W*",
      "a beat of write data",
      {{"", Field::Operand::data, "the beat"}, {"l", Field::Operand::a, "1: the burst's last"}}};
}
inline EventInfo axi_read_data_info() { return {"R*", "a beat of read data", {}}; }
inline EventInfo axi_write_response_info() { return {"B*", "the response to a write burst", {}}; }

}  // namespace tactus

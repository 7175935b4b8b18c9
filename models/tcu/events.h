// The kinds of events of the TCU, one for each handshake that the golden logs record.
// Source: hardware spec section 17.
#pragma once

#include "isa/tcu/architecture.h"
#include "models/axi/axi_events.h"
#include "models/tcu/events.h"

namespace tactus {

/// Places in the table of tcu_event_format(). Operands of an event are said there.
struct TcuEvent {
  enum Kind : EventKind {
    instruction_accepted,
    retired,
    dram_control,
    dram_in,
    dram_out,
    axi_read_address,
    axi_write_address,
    axi_write_data,
    axi_read_data,
    axi_write_response,
    local_read_a,
    local_write_a,
    local_read_b,
    local_write_b,
    load,
    run,
    dais,
    lookup_entries,
    alu,
    accumulator_read_a,
    accumulator_write_a,
    accumulator_read_b,
    timeout,
  };
  static constexpr AxiEventKinds axi{axi_read_address, axi_write_address, axi_write_data,
                                     axi_read_data, axi_write_response};
};

/// Kinds that a timeline draws. When they happen is part of a known interval, and their operands
/// follow from the program; their data does not.
inline constexpr EventKinds timeline_event_kinds = [] {
  EventKinds kinds = 0;
  for (const EventKind kind :
       {TcuEvent::instruction_accepted, TcuEvent::retired, TcuEvent::run, TcuEvent::load,
        TcuEvent::dais, TcuEvent::alu, TcuEvent::axi_read_address, TcuEvent::axi_write_address,
        TcuEvent::axi_read_data, TcuEvent::axi_write_response}) {
    kinds |= EventKinds{1} << kind;
  }
  return kinds;
}();

/// Operands printed in logs: those of the two elaborations of the RTL that made the golden logs,
/// the bare TCU and the one with AXI ports.
enum class EventStyle : std::uint8_t { bare, axi };

/// Widths that the text of an event depends on.
struct TcuEventFormat {
  EventStyle style = EventStyle::axi;
  tcu::DataType data_type = tcu::DataType::fp16bp8;
  unsigned array_size = 8;
  unsigned instruction_bytes = 8;
  unsigned beat_bytes = 8;
};

[[nodiscard]] EventFormat tcu_event_format(const TcuEventFormat& format);

}  // namespace tactus

#include "models/dpas/events.h"

namespace tactus::dpas {

EventFormat event_format(unsigned beat_bytes) {
  using Field = EventField;
  EventFormat format;
  format.kinds = {
      {"ISSUE*",
       "the hardware thread of this number issues an instruction",
       {{"i", Field::Operand::a, "number of the instruction, from 0, labels included"},
        {"k", Field::Operand::b, "its kind"}}},
      {"RESULT*",
       "the result of a DPAS of this thread may be used from this cycle on",
       {{"i", Field::Operand::a, "number of the instruction"}}},
      {"MESSAGE*",
       "a load, store or fence of this thread is answered",
       {{"i", Field::Operand::a, "number of the instruction"}}},
      axi_read_address_info(),
      axi_write_address_info(),
      axi_write_data_info(),
      axi_read_data_info(),
      axi_write_response_info(),
  };
  format.data = [beat_bytes](std::string& text, const Event& event) {
    append_hex(text, event.data, beat_bytes);
  };
  return format;
}

}  // namespace tactus::dpas

// The widths that descriptions of the TCU's signals depend on.
#pragma once

#include "isa/tcu/layout.h"
#include "models/sim/trace/signals.h"

namespace tactus {

struct TcuWidths final : trace::Widths {
  TcuWidths(const tcu::Architecture& architecture, unsigned axi_data_bits)
      : Widths(architecture.array_size, info(architecture.data_type).width_bits,
               info(architecture.data_type).storage_bytes, axi_data_bits),
        layout(architecture) {}
  tcu::InstructionLayout layout;
};

/// The instruction layout of the TCU to which a trace::Scope or trace::Payload belongs.
template <typename Description>
[[nodiscard]] const tcu::InstructionLayout& layout_of(const Description& description) {
  return dynamic_cast<const TcuWidths&>(description.widths()).layout;
}

}  // namespace tactus

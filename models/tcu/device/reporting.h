// Errors of a device as SystemC reports.
#pragma once

#include <systemc>

#include "isa/support/error.h"

namespace tactus {

/// Message type of the SystemC reports of a device: warnings about memories that refuse accesses,
/// errors that end the simulation.
inline constexpr const char* device_message_type = "/tactus/tcu_device";

/// Runs a part of the simulation. A UserError becomes a SystemC report: the kernel would turn an
/// exception that leaves a process into a report without a type. Returns `otherwise` if a handler
/// of reports lets the simulation go on.
template <typename Result, typename Run>
Result reporting(Result otherwise, const Run& run) {
  try {
    return run();
  } catch (const UserError& error) {
    SC_REPORT_ERROR(device_message_type, error.what());
  }
  return otherwise;
}

}  // namespace tactus

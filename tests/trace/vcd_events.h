// Converts the handshakes in a waveform to the lines of an event log.
#pragma once

#include <string>
#include <vector>

#include "models/tcu/events.h"
#include "tests/trace/vcd_reader.h"

namespace tactus {

/// Returns the lines of the reader's current cycle, sorted, in the text form of hardware spec
/// section 17. Uses only valid, ready, payload, the program counter and the timeout output. Throws
/// std::runtime_error if the array's inputs and its control disagree.
[[nodiscard]] std::vector<std::string> events_of_cycle(const VcdReader& vcd,
                                                       const TcuEventFormat& format);

}  // namespace tactus

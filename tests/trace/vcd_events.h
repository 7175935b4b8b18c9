// Turns the handshakes of a waveform back into the lines of an event log.
#pragma once

#include <string>
#include <vector>

#include "models/tcu/events.h"
#include "tests/trace/vcd_reader.h"

namespace tactus {

/// The lines of the reader's present cycle, sorted, in the text form of hardware spec section 17.
/// Only valid, ready, payload, the program counter and the timeout output are looked at. Throws
/// std::runtime_error if the array's inputs and its control disagree.
[[nodiscard]] std::vector<std::string> events_of_cycle(const VcdReader& vcd,
                                                       const TcuEventFormat& format);

}  // namespace tactus

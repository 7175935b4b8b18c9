// Options of waveforms of `tactus run`.
#pragma once

#include <vector>

#include "firmware/cli/args.h"
#include "firmware/report/waveform.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Depth and windows of a waveform; the triggers are options of their own.
[[nodiscard]] const ParameterTable<TraceOptions>& trace_parameters();

[[nodiscard]] std::vector<Args::Option> trace_options();
/// Throws UserError for combinations that say nothing.
[[nodiscard]] TraceOptions read_trace_options(const Args& args);

}  // namespace tactus

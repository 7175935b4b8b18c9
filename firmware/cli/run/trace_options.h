// Options of waveforms of `tactus run`.
#pragma once

#include <vector>

#include "firmware/cli/args.h"
#include "firmware/report/waveform.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Parameters of a waveform's depth and window; triggers are options of their own.
[[nodiscard]] const ParameterTable<TraceOptions>& trace_parameters();

[[nodiscard]] std::vector<Args::Option> trace_options();
/// Reads the options. Throws UserError for combinations without effect.
[[nodiscard]] TraceOptions read_trace_options(const Args& args);

}  // namespace tactus

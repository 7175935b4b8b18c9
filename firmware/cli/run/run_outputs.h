// Options of `tactus run` for the files that a run writes about itself, and their texts.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/report/run_recorder.h"

namespace tactus {

/// The options of a group, with those of its window.
[[nodiscard]] std::vector<Args::Option> run_output_options(RunOutput::Group group,
                                                           const MachineInfo& machine);
/// Reads all groups. Throws UserError for options without effect.
[[nodiscard]] RunOutputs read_run_outputs(const Args& args, const MachineInfo& machine);
/// Throws UserError for a file that cannot be written, before the simulation. Call after inputs
/// have been read.
void claim_outputs(RunOutputs& outputs);

/// Stream for the summary: standard error if figures or events go to standard output.
[[nodiscard]] std::FILE* screen(const RunOutputs& outputs);
/// Prints notes and warnings about files, after RunRecorder::write().
void tell_notes(const RunRecorder& recorder);
/// The table of layers, after an empty line.
[[nodiscard]] std::string layers_text(const RunDocument& document);

}  // namespace tactus

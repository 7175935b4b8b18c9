// Kernels of DPAS machines in the commands asm, disasm and info.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/cli/args.h"
#include "isa/dpas/program.h"

namespace tactus {

/// True if the file is vISA text or a vISA container, judged by its name and first bytes.
[[nodiscard]] bool is_visa_file(const std::string& path);

/// Reads the profile of --machine, a name of configs/dpas or a path. Throws UserError with the list
/// of known machines, those of `others` first.
[[nodiscard]] dpas::Profile read_machine_profile(const std::string& machine,
                                                 const std::vector<std::string_view>& others = {});

/// Options of the three commands for such files, besides --output.
[[nodiscard]] std::vector<Args::Option> visa_options();
/// Refuses these options and --native, for other files.
void refuse_visa_options(const Args& args);

/// Reads and resolves a file, with the options --visa-pred16, --strict and --allow-overlap. Prints
/// warnings.
[[nodiscard]] dpas::Program read_visa_program(const Args& args, const std::string& path,
                                              const dpas::Profile& profile);
/// Checks the text against --machine, writes a container, and prints a line about it.
void assemble_visa(const Args& args, const std::string& source, const std::string& output);
/// Returns a file's text; with --native, its dpas instructions as the machine encodes them.
[[nodiscard]] std::string disassemble_visa(const Args& args, const std::string& path);
/// Prints kernels: instructions, registers, MACs; with --machine also figures of the machine's
/// profile.
void print_visa_info(const Args& args, const std::string& path);
/// Prints a profile of configs/dpas.
void print_profile(const std::string& path);

}  // namespace tactus

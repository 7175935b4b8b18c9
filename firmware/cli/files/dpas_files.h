// Kernels of DPAS machines in the commands asm, disasm and info.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/cli/args.h"
#include "isa/dpas/program.h"

namespace tactus {

/// Whether the file is vISA text or a vISA container, by its name and first bytes.
[[nodiscard]] bool is_visa_file(const std::string& path);

/// The profile of a --machine, by name of configs/dpas or path. Throws UserError that names the
/// machines there are, those of `others` first.
[[nodiscard]] dpas::Profile read_machine_profile(const std::string& machine,
                                                 const std::vector<std::string_view>& others = {});

/// What the three commands take for such files, beside --output.
[[nodiscard]] std::vector<Args::Option> visa_options();

/// Reads and resolves a file, by --visa-pred16, --strict and --allow-overlap; prints warnings.
[[nodiscard]] dpas::Program read_visa_program(const Args& args, const std::string& path,
                                              const dpas::Profile& profile);
/// Checks the text against --machine and writes a container. Prints what it wrote.
void assemble_visa(const Args& args, const std::string& source, const std::string& output);
/// The text of a file; with --native its dpas instructions as the machine encodes them.
[[nodiscard]] std::string disassemble_visa(const Args& args, const std::string& path);
/// Prints kernels: instructions, registers, MACs; with --machine of the machine's profile, too.
void print_visa_info(const Args& args, const std::string& path);
/// Prints a profile of configs/dpas.
void print_profile(const std::string& path);

}  // namespace tactus

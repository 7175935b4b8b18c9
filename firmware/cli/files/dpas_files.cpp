#include "firmware/cli/files/dpas_files.h"
#include "firmware/cli/files/info_line.h"
#include "firmware/cli/verbosity.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "firmware/config/config_files.h"
#include "isa/dpas/assembly.h"
#include "isa/dpas/container.h"
#include "isa/dpas/native.h"
#include "isa/dpas/profile_table.h"
#include "isa/dpas/program.h"
#include "isa/dpas/timing.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

dpas::Profile needed_profile(const Args& args) {
  const auto machine = args.text("machine");
  if (!machine) {
    user_error("tactus {}: --machine NAME is missing; allowed {}, or the path of a .json file",
               args.command(), fmt::join(config_names("dpas"), ", "));
  }
  return read_machine_profile(*machine);
}

dpas::LegalityOptions legality(const Args& args) {
  return {args.has("strict"), args.has("allow-overlap")};
}

dpas::Program parse(const Args& args, const std::string& path) {
  const auto bytes = read_file(path);
  if (dpas::is_container(bytes) || ends_with(path, ".isa")) {
    return dpas::read_container(bytes, path, args.has("visa-pred16"));
  }
  return parse_as(FileKind::visa_assembly, path, as_text(bytes),
                  [&] { return dpas::assemble(as_text(bytes), path); });
}

dpas::Program parse_and_check(const Args& args, const std::string& path,
                              const dpas::Profile& profile) {
  dpas::Program program = parse(args, path);
  dpas::resolve(program, profile, legality(args));
  for (const std::string& warning : program.warnings) {
    if (verbosity() != Verbosity::silent) fmt::print(stderr, "{}\n", warning);
  }
  return program;
}

std::string hexadecimal(const dpas::NativeBits& bits) {
  std::string text;
  for (const std::uint8_t byte : bits) text += fmt::format("{:02x}", byte);
  return text;
}

std::string native_listing(const dpas::Program& program, const dpas::Profile& profile) {
  const dpas::NativeForm form{profile.grf_bytes};
  std::string text;
  for (const dpas::Kernel& kernel : program.kernels) {
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
      if (!kernel.instructions[i].is_dpas()) continue;
      const std::string where = program.source + ":" + program.location(kernel, i);
      const dpas::NativeDpas native = to_native(profile, kernel.instructions[i], where);
      text += fmt::format("{}  {}\n", hexadecimal(encode_native(native, form)),
                          native_text(native, form));
    }
  }
  return text;
}

void print_kernel(const dpas::Kernel& kernel) {
  info_line("kernel", "{}: {} instructions", kernel.name, kernel.instructions.size());
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t macs = 0;
  for (const dpas::Instruction& i : kernel.instructions) {
    ++counts[std::string(name(i.opcode))];
    if (i.is_dpas() && dpas::ops_per_channel(i.w, i.a) != 0) macs += dpas::shape_of(i).macs();
  }
  for (const auto& [kind, count] : counts) info_line("", "{} {}", count, kind);
  info_line("  MACs", "{}, each instruction once", macs);
  for (const dpas::Input& input : kernel.inputs) {
    info_line("  input", "{}: {} bytes at byte {} of the registers",
              kernel.variable(input.variable)->name, input.size, input.offset);
  }
}

void print_variables(const dpas::Kernel& kernel, const dpas::Profile& profile) {
  info_line("  registers", "{} of {}", kernel.registers_used, profile.grf_count);
  for (const dpas::Variable& v : kernel.variables) {
    info_line("  variable", "{}: {} x {} at r{}.{}", v.name, v.elements, info(v.type).name,
              v.address / profile.grf_bytes, v.address % profile.grf_bytes);
  }
}

/// Latencies for RC = 1..8 as text, "21 22 23 ...".
std::string latencies(const dpas::Profile& profile, dpas::LatencyModel model) {
  std::string text;
  for (unsigned rc = 1; rc <= 8; ++rc) {
    text += fmt::format("{}{}", rc == 1 ? "" : " ", latency(profile, rc, model));
  }
  return text;
}

void print(const dpas::Profile& profile) {
  info_line("machine", "{}: {}", profile.name, profile.title);
  info_line("execution size", "{} channels", profile.execution_size);
  info_line("registers", "{} of {} bytes a thread, {} threads, {} tokens", profile.grf_count,
            profile.grf_bytes, profile.threads, profile.tokens);
  info_line("precisions", "{}", profile.precision_list());
  info_line("array", "{} stages, {} pass{}; at most {} int8 MAC a cycle", profile.array_depth,
            profile.passes(), profile.passes() == 1 ? "" : "es", peak_macs(profile, 4));
  info_line("latency, RC = 1..8", "{} cycles (model)",
            latencies(profile, dpas::LatencyModel::model));
  info_line("", "{} cycles (igc)", latencies(profile, dpas::LatencyModel::igc));
  info_line("operand buffers", "src1 {} bytes, src2 {} bytes", profile.src1_buffer_bytes,
            profile.src2_buffer_bytes);
  for (const auto& parameter : dpas::profile_parameters()) {
    const auto from = profile.provenance.find(parameter.key);
    if (from == profile.provenance.end()) continue;
    info_line(parameter.key.c_str(), "{}  ({}: {})", to_text(parameter, parameter.get(profile)),
              to_text(from->second.kind), from->second.text);
  }
}

}  // namespace

bool is_visa_file(const std::string& path) {
  if (ends_with(path, ".visaasm") || ends_with(path, ".isa")) return true;
  if (is_pipe(path)) return false;
  const FileKind kind = kind_of_file(path, as_text(read_file(path)));
  return kind == FileKind::visa_container || kind == FileKind::visa_assembly;
}

dpas::Profile read_machine_profile(const std::string& machine,
                                   const std::vector<std::string_view>& others) {
  const bool is_path = machine.find('/') != std::string::npos || ends_with(machine, ".json");
  const std::vector<std::string> names = config_names("dpas");
  if (!is_path && std::find(names.begin(), names.end(), machine) == names.end()) {
    std::vector<std::string_view> all = others;
    all.insert(all.end(), names.begin(), names.end());
    user_error("--machine {} is not allowed; allowed: {}, or the path of a .json file{}",
               quote(machine), quote_list(all), suggestion(machine, all));
  }
  return dpas::read_profile(is_path ? machine : config_path("dpas", machine));
}

void refuse_visa_options(const Args& args) {
  const char* const why = "is not for this file; allowed with vISA files (.visaasm, .isa)";
  args.refuse({"native"}, why);
  args.refuse_all(visa_options(), why);
}

dpas::Program read_visa_program(const Args& args, const std::string& path,
                                const dpas::Profile& profile) {
  return parse_and_check(args, path, profile);
}

std::vector<Args::Option> visa_options() {
  const std::string group = "vISA files";
  return {{"machine", "NAME|F.json",
           "machine whose rules are checked, of configs/dpas (default: none)", false, 0, group},
          {"strict", "", "also refuse what only some tools refuse: E_DPAS_SIGN", false, 0, group},
          {"allow-overlap", "", "let dst overlap src1: all is read before anything is written",
           false, 0, group},
          {"visa-pred16", "", "containers of tools from April 2026 on, 2 bytes more a dpas", false,
           0, group}};
}

void assemble_visa(const Args& args, const std::string& source, const std::string& output) {
  const dpas::Program program = args.text("machine")
                                    ? parse_and_check(args, source, needed_profile(args))
                                    : parse(args, source);
  const auto bytes = write_container(program, args.has("visa-pred16"));
  write_file_atomically(output, bytes);
  std::size_t instructions = 0;
  for (const dpas::Kernel& kernel : program.kernels) instructions += kernel.instructions.size();
  fmt::print("{}: {} kernel{}, {} instructions, {} bytes\n", output, program.kernels.size(),
             program.kernels.size() == 1 ? "" : "s", instructions, bytes.size());
}

std::string disassemble_visa(const Args& args, const std::string& path) {
  if (args.has("native")) {
    const dpas::Profile profile = needed_profile(args);
    return native_listing(parse_and_check(args, path, profile), profile);
  }
  if (args.text("machine")) {
    return disassemble(parse_and_check(args, path, needed_profile(args)));
  }
  return disassemble(parse(args, path));
}

void print_visa_info(const Args& args, const std::string& path) {
  if (!args.text("machine")) {
    for (const dpas::Kernel& kernel : parse(args, path).kernels) print_kernel(kernel);
    return;
  }
  const dpas::Profile profile = needed_profile(args);
  for (const dpas::Kernel& kernel : parse_and_check(args, path, profile).kernels) {
    print_kernel(kernel);
    print_variables(kernel, profile);
  }
}

void print_profile(const std::string& path) { print(dpas::read_profile(path)); }

}  // namespace tactus

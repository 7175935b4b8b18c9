// tactus asm and disasm: program text to bytes and back.
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/files/dpas_files.h"
#include "firmware/cli/machine_options.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/folders.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"
#include "isa/tcu/assembler.h"
#include "isa/tcu/disassembler.h"
#include "isa/tcu/model_file.h"

namespace tactus {
namespace {

void print_or_write(const Args& args, const std::string& text) {
  if (const auto output = args.text("output")) {
    write_file_atomically(*output, text);
  } else {
    fmt::print("{}", text);
  }
}

std::vector<Args::Option> with_visa_options(std::vector<Args::Option> options) {
  for (Args::Option& option : visa_options()) options.push_back(std::move(option));
  return options;
}

/// Returns a program's text with a comment above each layer. `text` has comments at its top and
/// then one line for each instruction.
std::string with_layers(const std::string& text, const std::vector<tcu::LayerEntry>& layers) {
  std::string result;
  std::uint64_t index = 0;
  auto layer = layers.begin();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); result += line + "\n") {
    if (line.rfind('#', 0) == 0) continue;
    for (; layer != layers.end() && layer->first <= index; ++layer) {
      result += fmt::format("# layer {}: instructions {} to {}\n", printable(layer->name, 200),
                            layer->first, layer->first + layer->count - 1);
    }
    ++index;
  }
  return result;
}

}  // namespace

int asm_command(const Words& words) {
  Args args(
      "asm",
      "Assembles a program. `tactus explain asm` describes the text form, `tactus explain\n"
      "instructions` what instructions do; of kernels for DPAS machines with --machine dpas.",
      with_visa_options({{"arch", "NAME|F.tarch", "architecture (required for .tasm)"},
                         {"output", "F.tprog|F.isa", "where to write the program (required)"},
                         {"permissive", "", "accept addresses and sizes beyond the architecture"}}),
      "FILE.tasm|FILE.visaasm");
  if (!args.parse(words)) return exit_ok;
  const std::string source = only_file(args);
  if (args.text("machine") || is_visa_file(source)) {
    args.refuse({"arch", "permissive"}, "is not for vISA files");
    assemble_visa(args, source, args.required("output", "F.isa"));
    return exit_ok;
  }
  refuse_visa_options(args);
  const std::string arch = args.required("arch", "F.tarch");
  const std::string output = args.required("output", "F.tprog");
  const tcu::Architecture architecture = read_architecture_option(arch);
  const auto checks =
      args.has("permissive") ? tcu::AssemblerChecks::encoding : tcu::AssemblerChecks::strict;
  const std::string text = read_text(source);
  const auto bytes = parse_as(FileKind::assembly, source, text, [&] {
    return tcu::assemble_bytes(architecture, text, source, checks);
  });
  write_file_atomically(output, bytes);
  const std::size_t size = tcu::InstructionLayout(architecture).instruction_bytes();
  fmt::print("{}: {}, {} bytes\n", output, counted(bytes.size() / size, "instruction"),
             bytes.size());
  return exit_ok;
}

int disasm_command(const Words& words) {
  Args args("disasm", "Prints a program as assembly text, which assembles to the same bytes.",
            with_visa_options({{"arch", "NAME|F.tarch", "architecture of a .tprog"},
                               {"output", "F.tasm", "where to write (default: standard output)"},
                               {"plain", "", "no comments (vISA texts have none)"},
                               {"native", "", "dpas instructions as --machine encodes them", false,
                                0, "vISA files"}}),
            "FILE.tprog|FILE.tmodel|FILE.isa|FILE.visaasm");
  if (!args.parse(words)) return exit_ok;
  std::string path = only_file(args);
  if (is_visa_file(path)) {
    args.refuse({"arch"}, "is not for vISA files");
    print_or_write(args, disassemble_visa(args, path));
    return exit_ok;
  }
  refuse_visa_options(args);
  tcu::Architecture architecture;
  std::vector<tcu::LayerEntry> layers;
  if (path.size() > 7 && path.compare(path.size() - 7, 7, ".tmodel") == 0) {
    const tcu::ModelFile model = tcu::read_model_file(path);
    architecture = model.arch;
    if (!args.has("plain")) layers = model.layers;
    path = resolve_part(path, model.prog.file_name);
  } else if (const auto arch = args.text("arch")) {
    architecture = read_architecture_option(*arch);
  } else {
    refuse_other_kind(path, read_text(path), FileKind::program);
    user_error("tactus disasm: --arch F.tarch is missing (a .tmodel brings its own)");
  }
  std::string text;
  try {
    text = tcu::disassemble_program(architecture, read_file(path), !args.has("plain"));
  } catch (const UserError& error) {
    const std::string what = error.what();
    if (what.rfind(path, 0) == 0) throw;
    user_error("{}: {}", path, what);
  }
  print_or_write(args, layers.empty() ? text : with_layers(text, layers));
  return exit_ok;
}

}  // namespace tactus

// tactus asm and disasm: program text to bytes and back.
#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/tcu/assembler.h"
#include "isa/tcu/disassembler.h"
#include "isa/tcu/model_file.h"

namespace tactus {
namespace {

std::string only_file(const Args& args, const char* command) {
  if (args.positional().size() == 1) return args.positional().front();
  user_error("tactus {}: name exactly one file", command);
}

}  // namespace

int asm_command(const Words& words) {
  Args args("asm", "Assembles a program. The text form is described in isa/tcu/assembler.h.",
            {{"arch", "F.tarch", "architecture (required)"},
             {"output", "F.tprog", "where to write the program (required)"},
             {"permissive", "", "accept addresses and sizes beyond the architecture"}},
            "FILE.tasm");
  if (!args.parse(words)) return exit_ok;
  const std::string source = only_file(args, "asm");
  const auto arch = args.text("arch");
  const auto output = args.text("output");
  if (!arch) user_error("tactus asm: --arch F.tarch is missing");
  if (!output) user_error("tactus asm: --output F.tprog is missing");
  const tcu::Architecture architecture = tcu::read_architecture(*arch);
  const auto checks =
      args.has("permissive") ? tcu::AssemblerChecks::encoding : tcu::AssemblerChecks::strict;
  const std::string text = read_text(source);
  const auto bytes = parse_as(FileKind::assembly, source, text, [&] {
    return tcu::assemble_bytes(architecture, text, source, checks);
  });
  write_file_atomically(*output, bytes);
  fmt::print("{}: {} instructions, {} bytes\n", *output,
             bytes.size() / tcu::InstructionLayout(architecture).instruction_bytes(), bytes.size());
  return exit_ok;
}

int disasm_command(const Words& words) {
  Args args("disasm", "Prints a program as assembly text, which assembles to the same bytes.",
            {{"arch", "F.tarch", "architecture of a .tprog"},
             {"output", "F.tasm", "where to write (default: standard output)"},
             {"plain", "", "no comments"}},
            "FILE.tprog|FILE.tmodel");
  if (!args.parse(words)) return exit_ok;
  std::string path = only_file(args, "disasm");
  tcu::Architecture architecture;
  if (path.size() > 7 && path.compare(path.size() - 7, 7, ".tmodel") == 0) {
    const tcu::ModelFile model = tcu::read_model_file(path);
    architecture = model.arch;
    path = resolve_beside(path, model.prog.file_name);
  } else if (const auto arch = args.text("arch")) {
    architecture = tcu::read_architecture(*arch);
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
  if (const auto output = args.text("output")) {
    write_file_atomically(*output, text);
  } else {
    fmt::print("{}", text);
  }
  return exit_ok;
}

}  // namespace tactus

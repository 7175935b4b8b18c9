// tactus pack: a compiled model as a DarwiNN package.
#include <algorithm>

#include <fmt/core.h>

#include "firmware/bench/estimator.h"
#include "firmware/cli/darwinn/darwinn_commands.h"
#include "firmware/driver/darwinn/pack.h"
#include "firmware/report/version.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/text.h"
#include "isa/tcu/instruction.h"
#include "isa/tcu/layout.h"

namespace tactus {

int pack_command(const Words& words) {
  Args args(
      "pack",
      "Packs a compiled model (.tmodel) as a DarwiNN package for the TCU: program, constants, "
      "DMA hints and layers in one file, to be linked wherever its memory is put.",
      {{"output", "M.dwn1", "where to write (required)"},
       {"chip", "NAME",
        "the architecture's name, behind \"tcu-\" (default: the board the "
        "model was compiled for)"},
       {"profile", "a|b",
        "a: inputs and outputs lie in scratch memory, beside the variables; b: each lies wherever "
        "the host puts it, and Configure instructions between them are linked (default a)"},
       {"cache-parameters", "",
        "constants go to the device once and stay: executables PARAMETER_CACHING and "
        "EXECUTION_ONLY"},
       {"token", "N",
        "of parameter caching: packages of one token stay on the device together (default: one of "
        "the model's own)"}},
      "M.tmodel");
  if (!args.parse(words)) return exit_ok;
  const std::string output = args.required("output", "M.dwn1");
  const Model model = read_model(only_file(args), ProgramChecks::strict);
  PackOptions options;
  options.version = version;
  if (const auto chip = args.text("chip")) {
    const bool allowed =
        !chip->empty() && chip->size() <= 64 && std::all_of(chip->begin(), chip->end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '_' || c == '-' || c == '.';
        });
    if (!allowed) {
      user_error(
          "tactus pack: --chip {} is not allowed; allowed: 1 to 64 letters, digits, \"_\", \"-\", "
          "\".\"",
          quote(*chip));
    }
    options.chip = *chip;
  } else if (model.file.board) {
    options.chip = model.file.board->name;
  }
  if (options.chip.empty()) {
    user_error("tactus pack: {} does not name its board; --chip NAME is needed", model.path);
  }
  if (const auto profile = args.text("profile")) {
    if (*profile != "a" && *profile != "b") {
      user_error("tactus pack: --profile {} is not allowed; allowed: a, b", quote(*profile));
    }
    options.profile = *profile == "b" ? PackProfile::b : PackProfile::a;
  }
  options.cache_parameters = args.has("cache-parameters");
  if (!options.cache_parameters) args.refuse({"token"}, "belongs to --cache-parameters");
  if (const auto token = args.text("token")) {
    options.token = parse_address(*token, "tactus pack: --token");
    if (options.token == 0) user_error("tactus pack: --token 0 is not allowed; allowed: any other");
  }
  const tcu::InstructionLayout layout(model.file.arch);
  options.estimated_cycles = static_cast<std::int64_t>(
      bench::estimate(model.file.arch, decode_program(layout, model.program)).aggregate.cycles);
  const PackedModel packed = pack_model(model, options);
  write_file_atomically(output, packed.bytes);
  fmt::print(
      "{}: for chip tcu-{}, {} bytes; in the program {} Configure instructions, and {} reads "
      "behind "
      "writes\n",
      output, printable(options.chip), packed.bytes.size(), packed.configures, packed.read_backs);
  return exit_ok;
}

}  // namespace tactus

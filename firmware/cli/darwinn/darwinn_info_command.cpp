// tactus darwinn info, verify: the contents of a package, and whether it can be run.

#include <fmt/core.h>

#include "firmware/cli/darwinn/darwinn_commands.h"
#include "firmware/cli/files/info_line.h"
#include "firmware/cli/table.h"
#include "isa/darwinn/json.h"
#include "isa/darwinn/relayout.h"
#include "isa/darwinn/verify.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using darwinn::Executable;
using darwinn::Layer;

std::string operators_text(const darwinn::TfliteModel& model) {
  std::string text;
  for (const auto& [name, count] : model.operators) {
    if (name == "edgetpu-custom-op") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text.empty() ? "none besides the Edge TPU's" : text + ", which are the host's";
}

void print_container(const darwinn::File& file) {
  const darwinn::Package& package = file.package();
  info_line("file", "{}: {}, {} bytes", file.name(),
            file.tflite() != nullptr ? "TensorFlow Lite model" : "bare package", file.file_bytes());
  if (file.tflite() != nullptr) info_line("operators", "{}", operators_text(*file.tflite()));
  info_line("package", "{} bytes at {}, runtime {} or newer, compiler {}", package.bytes,
            file.package_offset(), package.min_runtime_version,
            package.compiler_version.empty() ? "not named" : printable(package.compiler_version));
  info_line("chip", "{}", printable(*package.main().chip));
}

std::string fields_text(const darwinn::Chunk& chunk) {
  std::size_t counts[4] = {};
  for (const darwinn::Field& field : chunk.fields) {
    ++counts[static_cast<std::size_t>(field.meta->desc)];
  }
  std::string text;
  for (std::int16_t base = 0; base < 4; ++base) {
    const std::size_t count = counts[static_cast<std::size_t>(base)];
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, darwinn::base_name(base));
  }
  return text.empty() ? "none" : text;
}

std::string hint_text(const Executable& executable, const darwinn::Hint& hint) {
  switch (hint.kind) {
    case darwinn::HintKind::descriptor: {
      const std::string_view layer = hint.meta->name.value_or("");
      return fmt::format("{:<8}{:<10} {:>9} bytes from {}{}{}",
                         darwinn::direction_name(hint.direction),
                         darwinn::base_name(hint.meta->desc), hint.size, hint.offset,
                         layer.empty() ? "" : " of " + printable(layer),
                         hint.meta->batch != 0 ? fmt::format(", batch {}", hint.meta->batch) : "");
    }
    case darwinn::HintKind::instruction:
      return fmt::format("{:<8}{:<10} {:>9} bytes, chunk {}", "INFEED", "CODE",
                         executable.chunks[static_cast<std::size_t>(hint.number)].code.size(),
                         hint.number);
    case darwinn::HintKind::interrupt:
      return fmt::format("INTERRUPT {}", hint.number);
    case darwinn::HintKind::fence:
    case darwinn::HintKind::none:
      break;
  }
  return "FENCE";
}

std::string shape_text(const Layer& layer) {
  if (!layer.shape) return fmt::format("{}x{}x{}", layer.y, layer.x, layer.z);
  std::string text;
  for (const darwinn::Range& range : *layer.shape) {
    text += fmt::format("{}{}", text.empty() ? "" : "x", range.extent());
  }
  return text;
}

void print_layers(const char* side, const std::vector<Layer>& layers) {
  for (const Layer& layer : layers) {
    fmt::print("  {:<8}{} {} {}, {} bytes ({} padded), zero point {}, factor {:.6g}{}\n", side,
               printable(*layer.name), shape_text(layer), darwinn::data_type_name(layer.data_type),
               layer.actual_bytes(), layer.padded_bytes(), layer.numerics->zero_point,
               layer.numerics->factor,
               layer.kind == darwinn::AnyLayer::output
                   ? fmt::format(", {}", darwinn::name(darwinn::relayout_method(layer)))
                   : "");
  }
}

void print_traffic(const Executable& executable) {
  const darwinn::Traffic traffic = darwinn::traffic_of(executable);
  const std::int64_t all = traffic.in() + traffic.out();
  std::string text;
  const auto part = [&](const char* name, std::int64_t bytes) {
    if (bytes == 0) return;
    text += fmt::format("{}{} {} ({:.1f} %)", text.empty() ? "" : ", ", name, bytes,
                        100.0 * static_cast<double>(bytes) / static_cast<double>(all));
  };
  part("instructions", traffic.instructions);
  part("inputs", traffic.inputs);
  part("parameters", traffic.parameters);
  part("scratch in", traffic.scratch_in);
  part("outputs", traffic.outputs);
  part("scratch out", traffic.scratch_out);
  info_line("  traffic", "{} bytes: {}", all, text);
}

void print_executable(const Executable& executable) {
  fmt::print("\n{}\n", darwinn::type_name(executable.type));
  info_line("  token", "{:#018x}", executable.token);
  info_line("  parameters", "{} bytes", executable.parameters.size());
  if (executable.scratch_bytes != 0) info_line("  scratch", "{} bytes", executable.scratch_bytes);
  info_line("  narrow memory", "{} bytes of each tile", executable.narrow_memory_bytes);
  const std::uint64_t cycles = executable.cycle_estimate();
  info_line("  estimated cycles", "{}", cycles == 0 ? "not given" : std::to_string(cycles));
  for (std::size_t i = 0; i < executable.chunks.size(); ++i) {
    info_line(fmt::format("  chunk {}", i).c_str(), "{} bytes, fields: {}",
              executable.chunks[i].code.size(), fields_text(executable.chunks[i]));
  }
  print_traffic(executable);
  info_line("  DMA hints", "{}, {}", executable.hints.size(),
            executable.fully_deterministic ? "fully deterministic" : "not fully deterministic");
  for (const darwinn::Hint& hint : executable.hints) {
    fmt::print("    {}\n", hint_text(executable, hint));
  }
  print_layers("input", executable.inputs);
  print_layers("output", executable.outputs);
}

darwinn::VerifyOptions verify_options(const Args& args) {
  darwinn::VerifyOptions options;
  options.chip = args.text("chip").value_or("");
  options.check_signature = args.has("signature");
  options.needs_hints = args.has("needs-hints");
  if (const auto token = args.text("token")) {
    options.resident_token = parse_address(*token, "tactus " + args.command() + ": --token");
  }
  return options;
}

}  // namespace

int darwinn_info(const Words& words) {
  Args args("darwinn info",
            "Explains a DarwiNN package: executables, chunks and fields, DMA hints, layers.",
            {{"json", "", "print everything as JSON"},
             {"token", "N",
              "token of the parameters that are on the chip already, for a package with "
              "EXECUTION_ONLY alone"}},
            "FILE");
  if (!args.parse(words)) return exit_ok;
  const darwinn::File file(only_file(args));
  print_warnings(file.warnings());
  print_warnings(darwinn::verify(file.package(), file.name(), verify_options(args)));
  if (args.has("json")) {
    fmt::print("{}", darwinn::to_json(file));
    return exit_ok;
  }
  print_container(file);
  for (const Executable& executable : file.package().executables) print_executable(executable);
  return exit_ok;
}

int darwinn_verify(const Words& words) {
  Args args("darwinn verify",
            "Checks every rule of the format. The first that is broken is an error with its code, "
            "executable, index and value.",
            {{"chip", "NAME", "of the unit it is to run on (default: any that is known)"},
             {"signature", "", "refuse a signed package, because its signature cannot be verified"},
             {"needs-hints", "", "refuse a package without fully deterministic hints, as USB does"},
             {"token", "N",
              "token of the parameters that are on the chip already, for a package with "
              "EXECUTION_ONLY alone"}},
            "FILE...");
  if (!args.parse(words)) return exit_ok;
  if (args.positional().empty()) user_error("tactus darwinn verify: name a file");
  for (const std::string& path : args.positional()) {
    const darwinn::File file(path);
    print_warnings(file.warnings());
    print_warnings(darwinn::verify(file.package(), path, verify_options(args)));
    fmt::print("{}: sound, for chip {}\n", path, printable(*file.package().main().chip));
  }
  return exit_ok;
}

}  // namespace tactus

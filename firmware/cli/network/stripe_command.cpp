// tactus stripe: programs of the polyhedral representation: print, check, run, passes, lower.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

#include "firmware/cli/args.h"
#include "firmware/cli/command_table.h"
#include "firmware/cli/machine_options.h"
#include "firmware/cli/verbosity.h"
#include "firmware/compiler/stripe/hardware_model.h"
#include "firmware/compiler/stripe/interpret.h"
#include "firmware/compiler/stripe/passes/pass.h"
#include "firmware/compiler/stripe/template.h"
#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "firmware/compiler/targets/tcu/stripe/hardware_model.h"
#include "firmware/compiler/targets/tcu/stripe/lower.h"
#include "firmware/onnx/tensor_files.h"
#include "isa/support/array_file.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/located.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture.h"

namespace tactus {
namespace {

using stripe::Program;

const std::string& one_file(const Args& args, std::string_view what) {
  if (args.positional().size() != 1) {
    user_error("tactus stripe {}: name one {}", args.command().substr(7), what);
  }
  return args.positional().front();
}

Program read_file_as_program(const std::string& path) {
  return stripe::read_program(read_text(path), path);
}

void write_or_print(const std::optional<std::string>& output, std::string_view text) {
  if (output) {
    write_file_atomically(*output, text);
  } else {
    fmt::print("{}", text);
  }
}

std::string in_form(const Program& program, const std::string& form) {
  if (form == "text") return stripe::print(program);
  if (form == "slides") return stripe::print(program, stripe::Dialect::slides);
  if (form == "protobuf") return stripe::print_protobuf_text(program);
  user_error("tactus stripe: --form {} is not known; allowed are text, slides, protobuf",
             quote(form));
}

const Args::Option form_option{"form", "FORM", "text (default), slides or protobuf"};

int print_program(const Words& words) {
  Args args("stripe print", "Prints a Stripe program, from either printed text or protobuf text.",
            {form_option, {"output", "F", "where to write it"}}, "FILE");
  if (!args.parse(words)) return exit_ok;
  const Program program = read_file_as_program(one_file(args, "file"));
  write_or_print(args.text("output"), in_form(program, args.text("form").value_or("text")));
  return exit_ok;
}

// ---- hardware model, templates ------------------------------------------------------------------

stripe::TemplateValues template_values(const Args& args) {
  stripe::TemplateValues values;
  for (const std::string& word : args.texts("set")) {
    const std::size_t equals = word.find('=');
    std::size_t used = 0;
    double value = 0;
    try {
      if (equals != std::string::npos) value = std::stod(word.substr(equals + 1), &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (equals == 0 || used == 0 || equals + 1 + used != word.size()) {
      user_error("tactus stripe: --set {}: expected NAME=NUMBER", quote(word));
    }
    if (!values.emplace(word.substr(0, equals), value).second) {
      user_error("tactus stripe: --set {}: the parameter is given twice", quote(word));
    }
  }
  return values;
}

/// Reads a configuration and fills in its template.
std::string read_configuration(const Args& args, const std::string& path,
                               const stripe::TemplateValues& values) {
  std::string text = read_text(path);
  const bool slides = args.has("slides");
  if (slides) text = stripe::normalise_slide_text(text);
  const bool is_template = text.find("{{") != std::string::npos ||
                           text.find("{%") != std::string::npos ||
                           text.find("##") != std::string::npos;
  if (is_template) text = stripe::render(text, values, path);
  return slides ? stripe::normalise_slide_text(text) : text;
}

/// The hardware model of --model or --arch; empty if neither is given.
std::optional<stripe::HardwareModel> model_of(const Args& args,
                                              const stripe::TemplateValues& values) {
  const auto model = args.text("model");
  const auto arch = args.text("arch");
  if (model && arch) user_error("tactus stripe: give --model or --arch, not both");
  if (arch) {
    tcu::ModelParameters parameters;
    parameters.clock_mhz = args.number("clock-mhz", parameters.clock_mhz, 1, 100000);
    parameters.axi_bytes = args.number("axi-bytes", parameters.axi_bytes, 1, 1024);
    return located(
        *arch, [&] { return tcu::hardware_model(read_architecture_option(*arch), parameters); });
  }
  if (!model) return std::nullopt;
  return stripe::read_hardware_model(read_configuration(args, *model, values), *model);
}

const std::vector<Args::Option> model_options{
    {"model", "M.json", "hardware model"},
    {"arch", "NAME|F.tarch", "architecture to derive a hardware model from"},
    {"clock-mhz", "N", "clock of a derived model (default 150)"},
    {"axi-bytes", "N", "bytes a cycle and direction of its DRAM ports (default 8)"},
    {"set", "NAME=N", "value of a template's parameter", true},
    {"slides", "",
     "repair typographic quotes and missing commas of the slides' JSON (passes, hardware models); "
     "programs are read as they are"},
};

std::vector<Args::Option> with_model(std::vector<Args::Option> options) {
  options.insert(options.end(), model_options.begin(), model_options.end());
  return options;
}

struct Counts {
  std::size_t blocks = 0, statements = 0, refinements = 0, deepest = 0;
};

void count(const stripe::Block& block, std::size_t depth, Counts& counts) {
  ++counts.blocks;
  counts.statements += block.statements.size();
  counts.refinements += block.refs.size();
  counts.deepest = std::max(counts.deepest, depth);
  for (const stripe::Statement& stmt : block.statements) {
    if (const stripe::Block* nested = stmt.block()) count(*nested, depth + 1, counts);
  }
}

int check_program(const Words& words) {
  Args args(
      "stripe check",
      "Checks a Stripe program: names, accesses, scalars, dependencies, sizes; with a hardware "
      "model also locations and transfers. Without a program: checks and prints the model.",
      with_model({}), "[FILE]");
  if (!args.parse(words)) return exit_ok;
  const stripe::TemplateValues values = template_values(args);
  if (!args.has("model")) args.refuse({"set", "slides"}, "belongs to --model");
  auto model = model_of(args, values);
  if (args.positional().empty()) {
    if (!model) user_error("tactus stripe check: name a file, or give --model or --arch");
    fmt::print("{}", stripe::to_json(*model));
    return exit_ok;
  }
  const std::string& path = one_file(args, "file");
  const Program program = read_file_as_program(path);
  stripe::verify(program, path);
  if (const auto arch = args.text("arch")) {
    // On the unit, the data type of the architecture stands for all types, fp32 among them.
    const std::uint64_t scalar = tcu::info(read_architecture_option(*arch).data_type).storage_bytes;
    for (auto& [name, memory] : model->mem_units) {
      memory.size_KiB = memory.size_KiB * stripe::byte_width(stripe::DataType::fp32) / scalar;
    }
  }
  if (model) located(path, [&] { stripe::check_against(*model, program); });
  Counts counts;
  count(program.block(), 1, counts);
  fmt::print("{}: legal; {} blocks, at most {} deep, {} statements, {} refinements\n", path,
             counts.blocks, counts.deepest, counts.statements, counts.refinements);
  return exit_ok;
}

// ---- run ----------------------------------------------------------------------------------------

/// Numbers of a tensor file, or of a text of numbers between commas, blanks or semicolons.
stripe::Tensor read_buffer(const std::string& path) {
  if (nn::is_tensor_file(path)) {
    return nn::parse_numbers(read_array_file(path, {ArrayForm::npy, ArrayForm::pb})).values;
  }
  std::string text = read_text(path);
  for (char& c : text) {
    if (c == ',' || c == ';') c = ' ';
  }
  std::istringstream numbers(text);
  stripe::Tensor tensor;
  std::string word;
  while (numbers >> word) {
    std::size_t used = 0;
    double value = 0;
    try {
      value = std::stod(word, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != word.size()) {
      user_error("{}: number {}: {} is no number", path, tensor.size() + 1, quote(word));
    }
    tensor.push_back(value);
  }
  return tensor;
}

/// Throws UserError for a number that a buffer of an integer type cannot have.
void check_integers(const stripe::Tensor& values, stripe::DataType type, const std::string& path) {
  const std::string_view name = stripe::type_name(type);
  const bool is_signed = name.front() == 'i';
  if ((!is_signed && name.front() != 'u') || type == stripe::DataType::unknown) return;
  const double bits = 8 * static_cast<double>(stripe::byte_width(type));
  const double beyond = std::exp2(is_signed ? bits - 1 : bits), least = is_signed ? -beyond : 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= least && values[i] < beyond && std::trunc(values[i]) == values[i]) continue;
    user_error("{}: number {}: {} is not allowed; allowed in {}: whole numbers {} to {}", path,
               i + 1, values[i], name, least, beyond - 1);
  }
}

/// The words NAME=FILE of an option.
std::vector<std::pair<std::string, std::string>> named_files(const Args& args,
                                                             const std::string& option) {
  std::vector<std::pair<std::string, std::string>> files;
  std::set<std::string> names;
  for (const std::string& word : args.texts(option)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      user_error("tactus {}: --{} {}: expected NAME=FILE", args.command(), option, quote(word));
    }
    files.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    if (!names.insert(files.back().first).second) {
      user_error("tactus {}: --{} {}: the buffer is given twice", args.command(), option,
                 quote(word));
    }
  }
  return files;
}

stripe::Tensors inputs_of(const Args& args, const Program& program) {
  stripe::Tensors inputs = stripe::sample_inputs(program);
  const auto buffers = stripe::user_buffers(program);
  for (const auto& [name, path] : named_files(args, "input")) {
    stripe::Tensor& values = inputs[name] = read_buffer(path);
    const auto buffer = buffers.find(name);
    // With --arch the data type of the unit stands for all types.
    if (buffer != buffers.end() && !args.has("arch")) {
      check_integers(values, buffer->second.type, path);
    }
  }
  return inputs;
}

stripe::InterpretOptions interpret_options(const Args& args) {
  stripe::InterpretOptions options;
  if (args.has("shuffle")) options.shuffle_seed = args.number("shuffle", 1, 0, UINT64_MAX);
  options.check_conflicts = args.has("conflicts");
  if (const auto arch = args.text("arch")) {
    options.fixed_point = compiler::number_format(read_architecture_option(*arch));
  }
  return options;
}

int run_program(const Words& words) {
  Args args("stripe run",
            "Interprets a Stripe program and prints its buffers, a line each. Buffers without "
            "--input get whole numbers from -7 to 7, drawn from their names.",
            {{"input", "NAME=F", "numbers of a buffer, in the order of its dimensions", true},
             {"shuffle", "SEED", "run positions in a random order drawn from this seed"},
             {"arch", "NAME|F.tarch", "compute in the number format of this architecture"},
             {"conflicts", "",
              "refuse programs in which two positions write one element without aggregation, or "
              "one reads what another writes"},
             {"output", "F", "where to write the buffers"}},
            "FILE");
  if (!args.parse(words)) return exit_ok;
  const std::string& path = one_file(args, "file");
  const Program program = read_file_as_program(path);
  stripe::verify(program, path);
  const stripe::Tensors inputs = inputs_of(args, program);
  const stripe::InterpretOptions options = interpret_options(args);
  const auto outputs = located(path, [&] { return stripe::interpret(program, inputs, options); });
  std::string text;
  for (const auto& [name, tensor] : outputs) {
    text += name;
    for (const double value : tensor) text += fmt::format(" {}", value);
    text += '\n';
  }
  write_or_print(args.text("output"), text);
  return exit_ok;
}

// ---- passes -------------------------------------------------------------------------------------

void write_dumps(const std::string& folder, const std::string& form,
                 const std::vector<std::pair<std::string, std::string>>& dumps) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) user_error("{}: cannot be made: {}", folder, error.message());
  for (const auto& [name, text] : dumps) {
    std::string file = name;
    for (char& c : file) {
      if (c == '/') c = '_';
    }
    write_file_atomically(folder + "/" + file + (form == "protobuf" ? ".pbtxt" : ".stripe"), text);
  }
}

int run_passes(const Words& words) {
  Args args(
      "stripe passes",
      "Runs passes on a Stripe program and prints it. Without a program: lists all passes with "
      "their options.",
      with_model(
          {{"config", "F.json", "the passes, in the slides' form or PlaidML 0.7.0's"},
           form_option,
           {"dump", "DIR", "write the program after every pass, as NN_NAME.stripe or .pbtxt"},
           {"check", "", "interpret before and after every pass and compare"},
           {"output", "F", "where to write the program"}}),
      "[FILE]");
  if (!args.parse(words)) return exit_ok;
  if (args.positional().empty()) {
    fmt::print("{}", stripe::list_passes());
    return exit_ok;
  }
  const std::string& path = one_file(args, "file");
  const std::string config = args.required("config", "F.json");
  stripe::TemplateValues values = template_values(args);
  auto model = model_of(args, values);
  if (model) {
    for (const auto& [name, value] : model->params)
      values.emplace(name, static_cast<double>(value));
  }
  const std::string text = read_configuration(args, config, values);
  // A configuration may contain the hardware model and the passes.
  if (!model && text.find("\"mem_units\"") != std::string::npos) {
    model = stripe::read_hardware_model(text, config);
  }
  const auto passes = stripe::read_passes(text, config, model ? &*model : nullptr);
  Program program = read_file_as_program(path);
  stripe::verify(program, path);
  const std::string form = args.text("form").value_or("text");
  stripe::Tensors inputs, expected;
  if (args.has("check")) {
    inputs = stripe::sample_inputs(program);
    expected = located(path, [&] { return stripe::interpret(program, inputs); });
  }
  std::vector<std::pair<std::string, std::string>> dumps;
  int code = exit_ok;
  std::string before = in_form(program, "text");
  const auto after_pass = [&](std::size_t number, const stripe::ConfiguredPass& pass) {
    if (verbosity() == Verbosity::verbose) {
      std::string after = in_form(program, "text");
      if (after == before) {
        note("{:02}_{}: changes nothing: no block has its tags, or none gains by it", number,
             pass.name);
      }
      before = std::move(after);
    }
    if (args.has("dump")) {
      dumps.emplace_back(fmt::format("{:02}_{}", number, pass.name), in_form(program, form));
    }
    if (args.has("check") && stripe::interpret(program, inputs) != expected) {
      fmt::print(stderr, "{:02}_{}: the program computes something else\n", number, pass.name);
      code = exit_mismatch;
    }
  };
  located(path, [&] { stripe::run_passes(program, passes, after_pass); });
  if (const auto folder = args.text("dump")) write_dumps(*folder, form, dumps);
  write_or_print(args.text("output"), in_form(program, form));
  return code;
}

// ---- lower --------------------------------------------------------------------------------------

void print_counts(const compiler::LoweredStripe& lowered) {
  fmt::print("{:<10}{:<36}{:>12}{:>14}{:>14}{:>12}\n", "device", "block", "invocations", "points",
             "slots", "vectors");
  for (const compiler::BlockCounts& c : lowered.counts) {
    fmt::print("{:<10}{:<36}{:>12}{:>14}{:>14}{:>12}\n", c.device.empty() ? "-" : c.device, c.name,
               c.invocations, c.points, c.slots, c.vectors);
  }
  fmt::print("{:<46}{:>12}{:>14}\n", "kernel", "first", "instructions");
  for (const compiler::LayerInfo& layer : lowered.model.layers) {
    fmt::print("{:<46}{:>12}{:>14}\n", layer.name, layer.first_instruction, layer.instructions);
  }
}

int lower_program(const Words& words) {
  Args args(
      "stripe lower",
      "Lowers a Stripe program to instructions of a tensor compute unit. A model file comes "
      "with its program and data beside it; its layers are the kernels, its inputs and "
      "outputs the user's buffers.",
      {{"arch", "NAME|F.tarch", "architecture"},
       {"axi-bytes", "N", "bytes a cycle and direction of its DRAM ports, for tiles (default 8)"},
       {"constant", "NAME=F", "numbers of a buffer that is part of the model", true},
       {"output", "P", "P.tmodel, P.tprog (the program alone) or P.stripe (as lowered)", true},
       {"no-passes", "", "refuse contractions that are not tiled and located yet"},
       {"no-reuse", "", "load data again even if local memory or the array holds it already"},
       {"counts", "",
        "print what every block and kernel came to, without invocations that constraints leave no "
        "point"}},
      "FILE");
  if (!args.parse(words)) return exit_ok;
  const std::string& path = one_file(args, "file");
  const std::string arch = args.required("arch", "A.tarch");
  const std::vector<std::string> outputs = args.texts("output");
  if (outputs.empty() && !args.has("counts")) {
    user_error(
        "tactus stripe lower: nothing to do: give -o P.tmodel, P.tprog or P.stripe, or "
        "--counts");
  }
  for (const std::string& output : outputs) {
    const std::string ending = std::filesystem::path(output).extension().string();
    if (ending != ".tmodel" && ending != ".tprog" && ending != ".stripe") {
      user_error("tactus stripe lower: -o {}: the ending may be .tmodel, .tprog or .stripe",
                 quote(output));
    }
    if (std::filesystem::exists(output) && std::filesystem::equivalent(output, path)) {
      user_error("tactus stripe lower: -o {} is the input", quote(output));
    }
  }
  const tcu::Architecture architecture = read_architecture_option(arch);
  const Program program = read_file_as_program(path);
  stripe::verify(program, path);
  compiler::LowerOptions options;
  options.reuse = !args.has("no-reuse");
  options.complete = !args.has("no-passes");
  options.axi_bytes = args.number("axi-bytes", options.axi_bytes, 1, 1024);
  for (const auto& [name, path] : named_files(args, "constant")) {
    const stripe::Tensor tensor = read_buffer(path);
    options.constants.emplace(name, std::vector<float>(tensor.begin(), tensor.end()));
  }
  const compiler::LoweredStripe lowered =
      located(path, [&] { return compiler::lower(program, architecture, options); });
  for (const std::string& output : outputs) {
    const std::filesystem::path file(output);
    if (file.extension() == ".tprog") {
      write_file_atomically(output, lowered.model.program);
    } else if (file.extension() == ".stripe") {
      write_file_atomically(output, stripe::print(lowered.program));
    } else {
      const std::string folder = file.parent_path().empty() ? "." : file.parent_path().string();
      (void)write_artefacts(lowered.model, folder, file.stem().string());
    }
  }
  if (args.has("counts")) print_counts(lowered);
  return exit_ok;
}

}  // namespace

const CommandGroup& stripe_commands() {
  static const CommandGroup group = {
      "tactus stripe",
      "tactus stripe COMMAND [options] FILE     tactus stripe COMMAND --help",
      "Programs in Stripe, the polyhedral form of PlaidML.",
      {
          {"print", "a program in another of its forms", print_program},
          {"check", "whether a program is legal, and fits a hardware model", check_program},
          {"run", "what a program computes", run_program},
          {"passes", "run passes, or list them", run_passes},
          {"lower", "instructions of a tensor compute unit", lower_program},
      }};
  return group;
}

int stripe_command(const Words& words) { return run_group(stripe_commands(), words); }

}  // namespace tactus

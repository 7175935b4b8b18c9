#include "firmware/cli/run_plan.h"

#include <algorithm>
#include <utility>

#include "firmware/cli/input_vectors.h"
#include "firmware/cli/machine_options.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

/// Bytes that a 32-bit AXI address reaches.
constexpr std::uint64_t bank_bytes = std::uint64_t{1} << 32;
constexpr std::uint64_t most_regions = 10000;

std::vector<std::uint8_t> read_bank(const Args& args, const std::string& option) {
  const auto path = args.text(option);
  if (!path) return {};
  std::vector<std::uint8_t> bytes = read_file(*path);
  if (bytes.size() > bank_bytes) {
    user_error("{}: {} bytes; allowed: up to 2^32, what the 32-bit AXI address reaches", *path,
               bytes.size());
  }
  return bytes;
}

void plan_program(const Args& args, RunPlan& plan) {
  const auto arch = args.text("arch");
  if (!arch && !args.has("board")) {
    user_error("tactus run: --program needs --arch F.tarch or --board NAME");
  }
  if (args.has("input")) user_error("tactus run: --input belongs to --model; use --dram0 F.bin");
  if (args.has("output")) user_error("tactus run: --output belongs to --model; use --dump dram0=F");
  if (arch) plan.config.architecture = tcu::read_architecture(*arch);
  plan.program_path = *args.text("program");
  plan.program = read_file(plan.program_path);
  check_program(plan.config.architecture, plan.program, plan.program_path, plan.checks);
  plan.dram[0] = read_bank(args, "dram0");
  plan.dram[1] = read_bank(args, "dram1");
  plan.images.emplace_back();
}

/// "NAME=F" for an input of the model, else a plain path for its only input.
std::pair<std::string, std::string> split_input(const std::vector<Tensor>& inputs,
                                                const std::string& text) {
  for (const Tensor& tensor : inputs) {
    if (text.rfind(tensor.name + "=", 0) == 0) {
      return {tensor.name, text.substr(tensor.name.size() + 1)};
    }
  }
  if (inputs.size() == 1) return {inputs[0].name, text};
  std::vector<std::string_view> names;
  for (const Tensor& tensor : inputs) names.push_back(tensor.name);
  user_error("tactus run: --input {}: the model has {} inputs; write NAME=F with one of {}",
             quote(text), inputs.size(), quote_list(names));
}

/// One tensor's file, cut into images.
void add_input(RunPlan& plan, const Tensor& tensor, const std::string& path) {
  const tcu::Architecture& architecture = plan.config.architecture;
  std::vector<std::uint8_t> data = read_input_vectors(path, architecture);
  const std::uint64_t image_bytes = tensor.size * architecture.vector_bytes();
  const std::uint64_t vectors = data.size() / architecture.vector_bytes();
  if (vectors == 0 || vectors % tensor.size != 0) {
    user_error("{}: {} vectors for input {}, whose images have {}; allowed: a multiple of {}", path,
               vectors, quote(tensor.name), tensor.size, tensor.size);
  }
  const std::uint64_t count = vectors / tensor.size;
  if (plan.images.empty()) plan.images.resize(count);
  if (plan.images.size() != count) {
    user_error("{}: {} images of input {}, but {} of the inputs before it", path, count,
               quote(tensor.name), plan.images.size());
  }
  if (count == 1) {
    plan.images[0][tensor.name] = std::move(data);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto first = data.begin() + static_cast<std::ptrdiff_t>(i * image_bytes);
    plan.images[i][tensor.name].assign(first, first + static_cast<std::ptrdiff_t>(image_bytes));
  }
}

void plan_model(const Args& args, RunPlan& plan) {
  for (const char* option : {"dram0", "dram1"}) {
    if (args.has(option)) user_error("tactus run: --{} belongs to --program, not --model", option);
  }
  plan.model = read_model(*args.text("model"), plan.checks);
  const auto arch = args.text("arch");
  if (arch || args.has("board")) {
    const std::string differences = architecture_differences(
        plan.model->file.arch, arch ? tcu::read_architecture(*arch) : plan.config.architecture);
    if (!differences.empty()) {
      user_error("{}: the model was compiled for another architecture; (model, {}) differ in: {}",
                 arch ? *arch : *args.text("board"), arch ? "file" : "board", differences);
    }
  }
  plan.config.architecture = plan.model->file.arch;
  const std::vector<Tensor> inputs = tensors(plan.model->file.inputs);
  std::map<std::string, std::string> files;
  for (const std::string& text : args.texts("input")) {
    const auto [name, path] = split_input(inputs, text);
    if (!files.emplace(name, path).second) {
      user_error("tactus run: input {} is given twice", quote(name));
    }
  }
  for (const Tensor& tensor : inputs) {
    const auto file = files.find(tensor.name);
    if (file == files.end()) {
      user_error("tactus run: input {} ({} vectors) is missing; add --input {}=F.csv",
                 quote(tensor.name), tensor.size, tensor.name);
    }
    add_input(plan, tensor, file->second);
  }
  if (plan.images.empty()) plan.images.emplace_back();
}

Dump parse_dump(const std::string& text) {
  std::string allowed;
  const std::vector<MemoryInfo>& memories = tcu_machine_info().memories;
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const std::string prefix = fmt::format("{}=", memories[i].name);
    if (text.rfind(prefix, 0) == 0 && text.size() > prefix.size()) {
      return {i, text.substr(prefix.size())};
    }
    allowed += fmt::format("{}{}", i == 0 ? "" : ", ", memories[i].name);
  }
  user_error("tactus run: --dump {} is not MEMORY=F; allowed memories: {}", quote(text), allowed);
}

/// Rather than the name of a file; also a number that is not allowed.
bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("+-.0123456789") == std::string::npos &&
         text.find_first_of("0123456789") != std::string::npos;
}

/// Equal slices, as far as the number of instructions allows.
std::vector<tcu::LayerEntry> equal_slices(std::uint64_t slices, std::uint64_t instructions) {
  std::vector<tcu::LayerEntry> regions;
  for (std::uint64_t i = 0; i < slices; ++i) {
    const std::uint64_t first = instructions / slices * i + std::min(i, instructions % slices);
    const std::uint64_t count = instructions / slices + (i < instructions % slices ? 1 : 0);
    regions.push_back({fmt::format("instructions {}..{}", first, first + count - 1), first, count});
  }
  return regions;
}

void plan_regions(const Args& args, RunPlan& plan) {
  if (plan.model) plan.regions = plan.model->file.layers;
  const auto text = args.text("regions");
  if (!text) return;
  const std::vector<std::uint8_t>& program = plan.model ? plan.model->program : plan.program;
  const std::uint64_t instructions =
      program.size() / tcu::InstructionLayout(plan.config.architecture).instruction_bytes();
  if (is_number(*text)) {
    plan.regions = equal_slices(
        args.number("regions", 1, 1, std::min<std::uint64_t>(instructions, most_regions)),
        instructions);
    return;
  }
  plan.regions = tcu::read_layers_file(*text);
  check_regions(plan.regions, instructions, *text);
}

void plan_timeline(const Args& args, RunPlan& plan) {
  plan.timeline = args.text("timeline");
  for (const char* option :
       {"timeline-from", "timeline-to", "timeline-min", "timeline-max-events"}) {
    if (args.has(option) && !plan.timeline) {
      user_error("tactus run: --{} needs --timeline F.json", option);
    }
  }
  constexpr std::uint64_t most = ~std::uint64_t{0};
  TimelineOptions& options = plan.timeline_options;
  options.from = args.number("timeline-from", 0, 0, most);
  options.to = args.number("timeline-to", most, 0, most);
  options.min_duration = args.number("timeline-min", 1, 1, most);
  options.max_events = args.number("timeline-max-events", options.max_events, 1, most);
  if (options.from >= options.to) {
    user_error(
        "tactus run: the window --timeline-from {} --timeline-to {} is empty; cycle numbers "
        "count from 0, and the second is the first cycle after the window",
        options.from, options.to);
  }
}

/// Whatever cannot be written where it is wanted costs no simulation. Inputs have been read.
void claim_outputs(const RunPlan& plan) {
  for (const auto& path : {plan.stats, plan.retire_log, plan.events, plan.samples, plan.trace.vcd,
                           plan.trace.gtkw, plan.timeline, plan.report}) {
    if (path) claim_output(*path);
  }
  for (const Dump& dump : plan.dumps) claim_output(dump.path);
}

}  // namespace

std::vector<Args::Option> run_options() {
  std::vector<Args::Option> options = {
      {"model", "F.tmodel", "compiled model to run"},
      {"input", "[NAME=]F", ".csv or .bin vectors of an input; k times its size runs k images",
       true},
      {"program", "F.tprog", "bare program to run, instead of a model"},
      {"arch", "F.tarch", "architecture of a program; for a model it must match"},
      {"dram0", "F.bin", "initial bytes of DRAM0 for a program"},
      {"dram1", "F.bin", "initial bytes of DRAM1 for a program"},
      {"mode", "plain|driver",
       "driver: configuration and completion probe as real drivers do "
       "(default plain)"},
      {"permissive", "", "run instructions that exceed the architecture as the RTL would"},
      {"output", "DIR", "write each output as .csv and .bin"},
      {"stats", "F.json", "write all figures"},
      {"retire-log", "F",
       "write every instruction's retire cycle (of the machine, all images), little-endian uint32"},
      {"events", "F", "write every event, one a line"},
      {"dump", "MEMORY=F", "write dram0, dram1, local or acc at the end, raw little-endian", true},
      {"regions", "F.json|N",
       "figures by parts of the program: a file {\"layers\": [{\"name\", \"first\", \"count\"}]}, "
       "or N equal parts (default: the model's layers)"},
      {"report", "F.html", "write a page with everything about the run, for any browser"},
      {"timeline", "F.json", "write what happened when, for Perfetto or chrome://tracing"},
      {"timeline-from", "CYCLE", "first cycle of the timeline (default 0)"},
      {"timeline-to", "CYCLE", "first cycle after it (default: the end)"},
      {"timeline-min", "CYCLES", "leave out shorter slices (default 1: none)"},
      {"timeline-max-events", "N", "end the timeline after N events (default 2000000)"},
      {"max-cycles", "N", "stop after N cycles of an image"},
  };
  for (Args::Option& option : sample_options()) options.push_back(std::move(option));
  for (Args::Option& option : trace_options()) options.push_back(std::move(option));
  for (Args::Option& option : machine_options()) options.push_back(std::move(option));
  return options;
}

RunPlan plan_run(const Args& args) {
  if (args.has("model") == args.has("program")) {
    user_error("tactus run: give either --model F.tmodel or --program F.tprog --arch F.tarch");
  }
  RunPlan plan;
  plan.checks = args.has("permissive") ? ProgramChecks::permissive : ProgramChecks::strict;
  const std::string mode = args.text("mode").value_or("plain");
  if (mode != "plain" && mode != "driver") {
    user_error("tactus run: --mode {} is not allowed; allowed: plain, driver", quote(mode));
  }
  plan.mode = mode == "driver" ? HostMode::driver : HostMode::plain;
  (void)read_board_option(args, plan.config);
  if (args.has("model")) {
    plan_model(args, plan);
  } else if (plan.mode == HostMode::driver) {
    user_error("tactus run: --mode driver needs a --model");
  } else {
    plan_program(args, plan);
  }
  read_machine_options(args, plan.config);
  plan.output = args.text("output");
  plan.stats = args.text("stats");
  plan.retire_log = args.text("retire-log");
  plan.events = args.text("events");
  plan.samples = args.text("samples");
  read_sample_options(args, plan.config);
  plan.trace = read_trace_options(args);
  plan.report = args.text("report");
  plan_regions(args, plan);
  plan_timeline(args, plan);
  plan.max_cycles = args.number("max-cycles", 0, 1, ~std::uint64_t{0});
  for (const std::string& text : args.texts("dump")) plan.dumps.push_back(parse_dump(text));
  claim_outputs(plan);
  return plan;
}

}  // namespace tactus

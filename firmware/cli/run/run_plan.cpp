#include "firmware/cli/run/run_plan.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "firmware/cli/machine_options.h"
#include "firmware/cli/network/network_commands.h"
#include "firmware/cli/parameter_options.h"
#include "firmware/cli/run/input_vectors.h"
#include "firmware/cli/run/layer_windows.h"
#include "firmware/cli/run/run_config.h"
#include "firmware/cli/run/run_parameters.h"
#include "firmware/cli/run/run_report.h"
#include "firmware/cli/run/serving_run.h"
#include "firmware/config/config_files.h"
#include "firmware/driver/darwinn/package_device.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/energy/tcu.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/located.h"
#include "isa/support/text.h"
#include "isa/tcu/accesses.h"
#include "isa/tcu/vectors_file.h"
#include "isa/tcu/written_vectors.h"

namespace tactus {
namespace {

constexpr std::uint64_t most_regions = 10000;

const std::string usage =
    "tactus run: name a compiled model F.tmodel, or give --program F.tprog --arch F.tarch, or name "
    "a "
    "package M.dwn1 with --link NAME";

/// Architecture and board as given by the command line and the file of --config.
struct Sources {
  RunConfig file;
  /// Board of --board, else the board that the file names, if it is needed.
  std::optional<Board> board;
  std::optional<std::string> arch;

  /// The requested architecture, and the option or file that requests it.
  [[nodiscard]] std::optional<std::pair<tcu::Architecture, std::string>> architecture(
      const Args& args) const {
    if (arch) return {{read_architecture_option(*arch), *arch}};
    if (args.has("board")) return {{board->architecture, *args.text("board")}};
    if (file.architecture) return {{*file.architecture, file.path}};
    if (board) return {{board->architecture, file.board}};
    return std::nullopt;
  }
};

/// Plans the outputs of a bare program: for each bank a dump, in the folder of --output, from the
/// first to the last vector that the program writes.
void plan_program_outputs(RunPlan& plan) {
  const tcu::InstructionLayout layout(plan.config.architecture);
  struct Bank {
    std::uint64_t depth;
    std::uint64_t offset = 0;  // in bytes
    std::uint64_t first = ~std::uint64_t{0}, end = 0;
  } banks[] = {{plan.config.architecture.dram0_depth}, {plan.config.architecture.dram1_depth}};
  const std::uint64_t vector_bytes = plan.config.architecture.vector_bytes();
  for (const tcu::Instruction& instruction : decode_program(layout, plan.program)) {
    if (const auto offset = bank_offset(layout, instruction)) {
      banks[offset->bank].offset = offset->bytes();
    }
    const tcu::VectorWalk to = flow_of(plan.config.architecture, layout, instruction).to;
    const bool bank0 = to.memory == tcu::VectorMemory::dram0;
    if (!bank0 && to.memory != tcu::VectorMemory::dram1) continue;
    Bank& bank = banks[bank0 ? 0 : 1];
    const std::uint64_t first = to.first.address;
    if (first >= bank.depth) continue;
    const std::uint64_t end =
        std::min(first + (to.size << to.first.stride) + 1, std::uint64_t{bank.depth});
    bank.first = std::min(bank.first, first + bank.offset / vector_bytes);
    bank.end = std::max(bank.end, end + (bank.offset + vector_bytes - 1) / vector_bytes);
  }
  for (std::size_t b = 0; b < 2; ++b) {
    if (banks[b].first >= banks[b].end) continue;
    for (const char* extension : {".csv", ".bin"}) {
      plan.program_outputs.push_back({b, fmt::format("{}/dram{}{}", *plan.output, b, extension),
                                      banks[b].first, banks[b].end - banks[b].first});
    }
  }
}

void plan_program(const Args& args, const Sources& sources, RunPlan& plan) {
  const auto architecture = sources.architecture(args);
  if (!architecture) {
    const std::vector<std::uint8_t> program = read_file(plan.workload.program);
    refuse_other_kind(plan.workload.program, as_text(program), FileKind::program);
    user_error("tactus run: --program needs --arch NAME|F.tarch or --board NAME");
  }
  args.refuse({"input"}, "belongs to --model; use --dram0 F.bin");
  if (!plan.workload.inputs.empty()) {
    user_error("{}:/workload/inputs: belongs to a model, not to a program; use \"dram0\"",
               sources.file.path);
  }
  plan.config.architecture = architecture->first;
  plan.program = read_file(plan.workload.program);
  check_program(plan.config.architecture, plan.program, plan.workload.program, plan.checks);
  plan.dram[0] = read_bank(plan.workload.dram0, plan.config.architecture);
  plan.dram[1] = read_bank(plan.workload.dram1, plan.config.architecture);
  plan.images.emplace_back();
}

/// Merges inputs: those of the command line replace those of the file one by one.
std::map<std::string, std::string> merge_inputs(const Args& args, const RunConfig& file,
                                                const std::vector<Tensor>& inputs,
                                                const Workload& workload) {
  for (const auto& [name, path] : workload.inputs) {
    const bool known = std::any_of(inputs.begin(), inputs.end(),
                                   [name = name](const Tensor& t) { return t.name == name; });
    if (known) continue;
    std::vector<std::string_view> names;
    for (const Tensor& tensor : inputs) names.push_back(tensor.name);
    user_error("{}:/workload/inputs: the model has no input {}; allowed {}", file.path, quote(name),
               quote_list(names));
  }
  std::map<std::string, std::string> given;
  for (const std::string& text : args.texts("input")) {
    const auto [name, path] = split_input(inputs, text);
    if (!given.emplace(name, path).second) {
      user_error("tactus run: input {} is given twice", quote(name));
    }
  }
  for (const auto& [name, path] : workload.inputs) given.emplace(name, path);
  return given;
}

/// Throws UserError if a model was compiled for another architecture than the requested one.
void check_architecture(const Args& args, const Sources& sources, const Model& model) {
  const auto wanted = sources.architecture(args);
  if (!wanted) return;
  const std::string differences = architecture_differences(model.file.arch, wanted->first);
  if (differences.empty()) return;
  const bool board = !sources.arch && args.has("board");
  user_error("{}: the model was compiled for another architecture; (model, {}) differ in: {}",
             wanted->second, board ? "board" : "file", differences);
}

void plan_model(const Args& args, const Sources& sources, RunPlan& plan) {
  for (const auto& [name, path] :
       {std::pair("dram0", &plan.workload.dram0), std::pair("dram1", &plan.workload.dram1)}) {
    if (!path->empty()) user_error("tactus run: --{} belongs to --program, not to --model", name);
  }
  plan.model = read_model(plan.workload.model, plan.checks);
  check_architecture(args, sources, *plan.model);
  plan.tensors = compiler::read_model_tensors(plan.workload.model, plan.model->file);
  plan.config.architecture = plan.model->file.arch;
  std::vector<Tensor> inputs = tensors(plan.model->file.inputs);
  if (plan.tensors && plan.tensors->host_before != nullptr) {
    inputs.clear();
    for (const nn::ValueInfo& info : plan.tensors->model_inputs())
      inputs.push_back({info.name, {}, 0});
  }
  auto given = merge_inputs(args, sources.file, inputs, plan.workload);
  compiler::PackedImages images =
      read_images(plan.config.architecture, inputs, given,
                  {plan.tensors ? &*plan.tensors : nullptr, plan.workload.model});
  plan.images = std::move(images.inputs);
  plan.carried = std::move(images.carried);
  plan.host_before_seconds = images.host_seconds;
  plan.workload.inputs.assign(given.begin(), given.end());
}

/// Returns the model named by the only word that is no option, if it is one.
std::optional<std::string> model_of(const Args& args) {
  const auto models = models_of(args);
  if (models.size() > 1) {
    user_error("tactus run: {} models are named; allowed: one, with this option", models.size());
  }
  if (models.empty()) return std::nullopt;
  return models.front().second;
}

/// Plans the packages, which are named by words that are no options.
void plan_packages(const Args& args, const Sources& sources, RunPlan& plan) {
  plan.host = read_packages(args);
  plan.model = plan.host.packages.front().model;
  check_architecture(args, sources, *plan.model);
  plan.config.architecture = plan.model->file.arch;
  plan.images = plan.host.packages.front().images;
}

/// Sets the board's values: those of --board, else of the file, else of the board the model was
/// compiled for. Options replace single values later.
void plan_board(const Args& args, const Sources& sources, RunPlan& plan) {
  BoardInUse& board = plan.board;
  const bool kept = plan.model && plan.model->file.board;
  if (kept) board = {plan.model->file.board->name, plan.model->file.board->values, true};
  if (sources.board) {
    board = {sources.board->name, *sources.board, false};
  } else if (!sources.file.board.empty()) {
    board = {sources.file.board, sources.file.values, false};
  }
  board.of_model = kept && board.name == plan.model->file.board->name;
  BoardValues& values = plan.config;
  values = board.values;
  if (args.has("board")) return;
  const std::vector<std::string>& given = sources.file.given;
  for (const auto& parameter : board_parameters()) {
    if (std::find(given.begin(), given.end(), parameter.key) == given.end()) continue;
    if (parameter.read_json) {
      values.board_memory = sources.file.values.board_memory;
    } else {
      parameter.set(values, parameter.get(sources.file.values));
    }
  }
  const auto says = [&](std::string_view key) {
    return std::find(given.begin(), given.end(), key) != given.end();
  };
  if (!says("memory_model") && std::any_of(given.begin(), given.end(), is_fixed_latency)) {
    values.memory_model = MemoryModel::fixed;
  }
}

/// Name of the file with the board's memory, for errors.
std::string memory_file(const Sources& sources, const RunPlan& plan) {
  const std::vector<std::string>& given = sources.file.given;
  if (std::find(given.begin(), given.end(), "memory") != given.end()) {
    return sources.file.path + ":/board";
  }
  if (sources.board) return sources.board->path + ":";
  return plan.model && plan.model->file.board ? plan.model->path + ":/board" : "";
}

/// Reads the board named on the command line or, if its values are needed, in the file.
void read_sources_board(const Args& args, Sources& sources, bool has_architecture) {
  if (const auto name = args.text("board")) {
    sources.board = read_board(*name);
  } else if (sources.file.needs_board(has_architecture)) {
    const std::string& wanted = sources.file.board;
    sources.board = located(sources.file.path + ":/board/name", [&] {
      const bool path = config_path("boards", wanted) == wanted;
      return read_board(path ? resolve_beside(sources.file.path, wanted) : wanted);
    });
  }
}

/// Equal slices, as far as the number of instructions allows.
std::vector<tcu::LayerEntry> equal_slices(std::uint64_t slices, std::uint64_t instructions) {
  std::vector<tcu::LayerEntry> regions;
  for (std::uint64_t i = 0; i < slices; ++i) {
    const std::uint64_t first = instructions / slices * i + std::min(i, instructions % slices);
    const std::uint64_t count = instructions / slices + (i < instructions % slices ? 1 : 0);
    regions.push_back(
        {{fmt::format("instructions {}..{}", first, first + count - 1), first, count}, 0, 0});
  }
  return regions;
}

void plan_regions(RunPlan& plan) {
  if (plan.model) plan.regions = plan.model->file.layers;
  const std::string& text = plan.regions_wanted;
  if (text.empty()) return;
  const std::vector<std::uint8_t>& program = plan.model ? plan.model->program : plan.program;
  const std::uint64_t instructions =
      program.size() / tcu::InstructionLayout(plan.config.architecture).instruction_bytes();
  if (!is_number(text)) {
    plan.regions = tcu::read_layers_file(text);
    check_regions(plan.regions, instructions, text);
    return;
  }
  ParameterInfo slices;
  slices.whole = {1, std::min<std::uint64_t>(instructions, most_regions)};
  const ParameterValue value = parse_parameter(slices, "tactus run: --regions", text);
  plan.regions = equal_slices(std::get<std::uint64_t>(value), instructions);
}

/// Finds reads of vectors that neither the programs nor the preparation of the machine have
/// written. Only the first image is checked: later ones find its data.
void find_unwritten_reads(RunPlan& plan) {
  const tcu::Architecture& architecture = plan.config.architecture;
  tcu::WrittenVectors written(architecture);
  const auto look = [&](const std::string& path, const std::vector<std::uint8_t>& program) {
    const UnwrittenReads reads = written.run(program);
    tell_unwritten(path, reads, plan.strict);
    plan.unwritten += reads;
  };
  if (!plan.model) return look(plan.workload.program, plan.program);
  if (plan.host.packages.empty()) {
    (void)written.run(constants_to_local(*plan.model, tcu::InstructionLayout(architecture)));
    return look(plan.model->path, plan.model->program);
  }
  for (const PlannedPackage& package : plan.host.packages) {
    (void)written.run(packaged_preload(*package.file));
    look(package.model.path, package.model.program);
  }
}

/// Throws UserError unless each unit of --tcus has an image, all share the board's memory, and its
/// arbitration names no others.
void check_units(const RunPlan& plan) {
  TcuUnits::check_ports(plan.config, plan.tcus);
  if (plan.tcus == 1) return;
  if (!plan.model || !plan.host.packages.empty()) {
    user_error(
        "tactus run: --tcus shares the images of a --model among units; allowed for a --program: "
        "1");
  }
  TcuUnits::check_deal(plan.config, plan.tcus, plan.run_count(), *plan.model);
}

void read_request(const Args& args, RunRequest& request) {
  if (args.has("permissive") && args.has("checks")) {
    user_error("tactus run: give --checks or --permissive, not both");
  }
  read_options(request_parameters(Asker::command), args, request);
  if (args.has("permissive")) request.checks = ProgramChecks::permissive;
}

void plan_sampling(const Args& args, RunPlan& plan) {
  const bool samples = args.has("samples");
  const auto options = parameter_options(sampler_parameters().section(), "");
  if (!samples) args.refuse_all(options, "needs --samples F.tsample");
  read_options(sampler_parameters(), args, plan.sampling);
  if (!samples) return;
  plan.config.sample_interval = plan.sampling.interval;
  plan.config.sample_block_size = plan.sampling.block;
  plan.config.sample_pause = plan.sampling.pause;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> models_of(const Args& args) {
  std::vector<std::pair<std::string, std::string>> models;
  const std::vector<std::string>& words = args.positional();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool named = equals != std::string::npos && equals != 0 && word.find('/') > equals &&
                       !std::filesystem::exists(word);
    const std::string path = named ? word.substr(equals + 1) : word;
    check_exists("run", path);
    const std::string content = is_pipe(path) ? "" : read_text(path);
    if (kind_of_file(path, content) != FileKind::model) {
      if (content.empty() && !is_pipe(path)) user_error("{}: the file is empty", path);
      refuse_other_kind(path, content, {FileKind::model, FileKind::package});
      if (!models.empty()) {
        user_error("tactus run: {} is a compiled model and {} a package; allowed: one kind",
                   models.front().second, path);
      }
      continue;
    }
    if (models.size() != static_cast<std::size_t>(&word - words.data())) {
      user_error("tactus run: {} is a package and {} a compiled model; allowed: one kind",
                 words.front(), path);
    }
    for (const char* other : {"model", "program"}) {
      if (args.has(other)) {
        user_error("tactus run: {} is a compiled model, and --{} names what is run, too", path,
                   other);
      }
    }
    models.emplace_back(
        named ? word.substr(0, equals) : std::filesystem::path(path).stem().string(), path);
  }
  return models;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("+-.0123456789") == std::string::npos &&
         text.find_first_of("0123456789") != std::string::npos;
}

std::string RunPlan::board_text() const {
  const std::string changed = board_parameters().differences(board.values, config);
  return board.name + (board.of_model ? ", which the model was compiled for" : "") +
         (changed.empty() ? "" : "; changed: " + changed);
}

std::vector<Args::Option> run_options() {
  std::vector<Args::Option> options;
  const auto add = [&](const std::string& group, std::vector<Args::Option> more) {
    for (Args::Option& option : more) {
      if (!group.empty()) option.group = group;
      options.push_back(std::move(option));
    }
  };
  add("What is run",
      {{"machine", "NAME|F.json",
        "the machine: tcu (default), or a DPAS profile of configs/dpas such as pvc, whose options "
        "tactus run --machine pvc --help tells"}});
  add("What is run", parameter_options(workload_parameters().section(), ""));
  add("What is run",
      {{"input", "[NAME=]F",
        "an input in the model's layout as .npy or .pb, or as .csv or .bin vectors; k times its "
        "size runs k images; random[:SEED]: values from -1 to 1, as without the option; of package "
        "N of several: N:[NAME=]F",
        true},
       {"arch", "NAME|F.tarch", "architecture of a program; for a model it must match"},
       {"config", "F.json",
        "read options from this file, which --print-config writes; options given here win"},
       {"print-config", "",
        "print the whole configuration for --config, and stop; files to be written and the windows "
        "of timeline and waveforms are no part of it"}});
  add("How it is run", parameter_options(request_parameters(Asker::command).section(), ""));
  add("Several models, and requests that arrive", serving_options());
  add("How it is run", {{"permissive", "", "the same as --checks permissive"}});
  add("Packages behind a host link", package_options());
  add("What is written",
      {{"output", "DIR",
        "write each output as .csv and .bin, the model's outputs in its layout as .npy and .pb; of "
        "a program what it writes into DRAM0 and DRAM1, from the first vector to the last"}});
  using Group = RunOutput::Group;
  for (const Group group : {Group::files, Group::layers, Group::samples}) {
    add("What is written", run_output_options(group, tcu_machine_info()));
  }
  add("What is written", parameter_options(sampler_parameters().section(), ""));
  add("Timeline", run_output_options(Group::timeline, tcu_machine_info()));
  add("Timeline", {layer_option("timeline")});
  add("Waveforms", run_output_options(Group::waveform, tcu_machine_info()));
  add("Waveforms", {layer_option("trace")});
  add("", machine_options());
  return options;
}

RunPlan plan_machine(const Args& args) {
  RunPlan plan;
  Sources sources;
  if (const auto path = args.text("config")) sources.file = read_run_config(*path, plan);
  sources.arch = args.text("arch");
  if (args.has("program")) plan.workload = {};
  read_options(workload_parameters(), args, plan.workload);
  if (const auto named = model_of(args)) plan.workload.model = *named;
  const std::string& model = plan.workload.model;
  read_sources_board(args, sources, !model.empty() || sources.arch.has_value());
  if (!model.empty()) {
    plan.model = read_model(model, ProgramChecks::permissive);
    plan.config.architecture = plan.model->file.arch;
  } else if (const auto architecture = sources.architecture(args)) {
    plan.config.architecture = architecture->first;
  } else {
    user_error(
        "tactus run: --trace-list needs --arch F.tarch or --model F.tmodel, or --board or --config "
        "that names one");
  }
  plan_board(args, sources, plan);
  read_machine_options(args, plan.config, memory_file(sources, plan));
  plan_sampling(args, plan);
  plan_regions(plan);
  return plan;
}

RunPlan plan_one_model(const Args& args, const std::string& model) {
  RunPlan plan;
  Sources sources;
  sources.arch = args.text("arch");
  plan.workload.model = model;
  read_request(args, plan);
  read_sources_board(args, sources, true);
  plan_model(args, sources, plan);
  plan_board(args, sources, plan);
  read_machine_options(args, plan.config, memory_file(sources, plan));
  find_unwritten_reads(plan);
  return plan;
}

RunPlan plan_run(const Args& args) {
  RunPlan plan;
  Sources sources;
  sources.arch = args.text("arch");
  const std::optional<std::string> named_model = model_of(args);
  const bool has_packages = !named_model && !args.positional().empty();
  if (!has_packages) refuse_package_options(args);
  if (const auto path = args.text("config")) sources.file = read_run_config(*path, plan);
  // A model or program on the command line replaces the file's workload.
  if (named_model || args.has("model") || args.has("program")) plan.workload = {};
  read_options(workload_parameters(), args, plan.workload);
  if (named_model) plan.workload.model = *named_model;
  if (!has_packages && plan.workload.model.empty() == plan.workload.program.empty()) {
    if (plan.workload.model.empty()) throw UserError(usage);
    user_error("tactus run: --model and --program both name what is run; allowed: one of them");
  }
  read_request(args, plan);
  const bool has_model = !plan.workload.model.empty();
  if (plan.images_wanted && (has_packages || !has_model)) {
    user_error("tactus run: --images needs a --model{}",
               has_packages ? "; packages have --requests" : "");
  }
  read_sources_board(args, sources, has_packages || has_model || sources.arch.has_value());
  if (has_packages) {
    plan_packages(args, sources, plan);
  } else if (has_model) {
    plan_model(args, sources, plan);
  } else if (plan.mode == HostMode::driver) {
    user_error("tactus run: --mode driver needs a --model");
  } else {
    plan_program(args, sources, plan);
  }
  plan_board(args, sources, plan);
  read_machine_options(args, plan.config, memory_file(sources, plan));
  plan_sampling(args, plan);
  check_units(plan);
  find_unwritten_reads(plan);
  plan.output = args.text("output");
  static_cast<RunOutputs&>(plan) = read_run_outputs(args, tcu_machine_info());
  plan_regions(plan);
  plan.meter = energy::meter_of(plan.energy, plan.config.architecture);
  plan.vectors_text = [architecture = plan.config.architecture](const auto& bytes) {
    return tcu::to_csv(bytes, architecture);
  };
  if (plan.output && !plan.model) plan_program_outputs(plan);
  plan_layer_windows(args, plan);
  claim_outputs(plan);
  if (plan.host.link_timeline) claim_output(*plan.host.link_timeline);
  return plan;
}

}  // namespace tactus

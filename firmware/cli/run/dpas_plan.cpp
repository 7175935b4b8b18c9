#include "firmware/cli/run/dpas_plan.h"

#include <algorithm>

#include "firmware/cli/files/dpas_files.h"
#include "firmware/cli/machine_options.h"
#include "firmware/cli/parameter_options.h"
#include "firmware/cli/run/run_report.h"
#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/config/port_memory.h"
#include "firmware/driver/dpas/simulation_parameters.h"
#include "firmware/energy/dpas.h"
#include "firmware/onnx/tensor_files.h"
#include "isa/dpas/profile_table.h"
#include "isa/dpas/unwritten.h"
#include "isa/support/array_file.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

constexpr std::uint64_t address_space = std::uint64_t{1} << 32;

std::pair<std::string, std::string> split(const std::string& option, const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    user_error("tactus run: --{} {} is not allowed; allowed: NAME=...", option, quote(text));
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

std::optional<std::int64_t> number(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  const auto value = read_decimal_or_hex(text);
  if (!value) return {};
  return negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
}

/// Parses NAME=F or NAME=BYTES.
DpasBinding parse_binding(const std::string& text) {
  DpasBinding binding;
  std::string value;
  std::tie(binding.name, value) = split("bind", text);
  if (std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    const auto size = number(value);
    if (!size || *size < 1 || static_cast<std::uint64_t>(*size) > address_space) {
      user_error("tactus run: --bind {}: {} bytes; allowed 1..2^32", quote(binding.name), value);
    }
    binding.size = static_cast<std::uint64_t>(*size);
    return binding;
  }
  binding.path = value;
  ArrayFile file = read_array_file(value, {ArrayForm::bytes, ArrayForm::npy});
  binding.bytes = file.form == ArrayForm::npy ? nn::npy_bytes(file) : std::move(file.bytes);
  binding.size = binding.bytes.size();
  if (binding.size == 0) user_error("{}: it is empty; a buffer has 1 byte or more", value);
  return binding;
}

DpasValue parse_value(const std::string& text) {
  DpasValue result;
  std::string list;
  std::tie(result.name, list) = split("set", text);
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    const std::string item = list.substr(from, comma - from);
    const auto value = number(item);
    if (!value) {
      user_error(
          "tactus run: --set {}: {} is no whole number; allowed: decimal or 0x..., one or "
          "one for each thread, with commas",
          quote(result.name), quote(item));
    }
    result.values.push_back(*value);
    from = comma + 1;
  }
  return result;
}

const dpas::Kernel& choose_kernel(const DpasPlan& plan) {
  std::vector<std::string_view> names;
  for (const dpas::Kernel& kernel : plan.program.kernels) {
    if (kernel.name == plan.kernel_name) return kernel;
    names.push_back(kernel.name);
  }
  if (plan.kernel_name.empty() && names.size() == 1) return plan.program.kernels.front();
  if (plan.kernel_name.empty()) {
    user_error("{}: {} kernels; choose one by --kernel: {}", plan.program_path, names.size(),
               quote_list(names));
  }
  user_error("{}: there is no kernel {}; allowed {}{}", plan.program_path, quote(plan.kernel_name),
             quote_list(names), suggestion(plan.kernel_name, names));
}

/// Throws UserError unless every input is bound or set exactly once, and nothing else is.
void check_inputs(const DpasPlan& plan) {
  std::vector<std::string_view> inputs;
  for (const dpas::Input& input : plan.kernel->inputs) {
    inputs.push_back(plan.kernel->variable(input.variable)->name);
  }
  std::vector<std::string> given;
  const auto take = [&](const char* option, const std::string& name) {
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end()) {
      user_error("tactus run: --{} {}: kernel {} has no such input; allowed {}{}", option,
                 quote(name), quote(plan.kernel->name),
                 inputs.empty() ? "none" : quote_list(inputs), suggestion(name, inputs));
    }
    if (std::find(given.begin(), given.end(), name) != given.end()) {
      user_error("tactus run: input {} is given twice", quote(name));
    }
    given.push_back(name);
  };
  for (const DpasBinding& binding : plan.bindings) take("bind", binding.name);
  for (const DpasValue& value : plan.values) {
    take("set", value.name);
    const std::size_t count = value.values.size();
    if (count != 1 && count != plan.config.machine.threads) {
      user_error("tactus run: --set {}: {} numbers for {} threads; allowed 1, or one for each",
                 quote(value.name), count, plan.config.machine.threads);
    }
  }
  for (const dpas::Input& input : plan.kernel->inputs) {
    const std::string& name = plan.kernel->variable(input.variable)->name;
    if (std::find(given.begin(), given.end(), name) != given.end()) continue;
    user_error(
        "tactus run: input {} of kernel {} ({} bytes) is missing; add --bind {}=F for a "
        "buffer with these contents, --bind {}=BYTES for one of zeros, or --set {}=N",
        quote(name), quote(plan.kernel->name), input.size, name, name, name);
  }
}

/// Parses --save NAME=F.
void parse_save(const std::string& text, DpasPlan& plan) {
  const auto [name, path] = split("save", text);
  (void)array_form(path, {ArrayForm::bytes});
  std::vector<std::string_view> names;
  for (DpasBinding& binding : plan.bindings) {
    names.push_back(binding.name);
    if (binding.name != name) continue;
    binding.save = path;
    return;
  }
  user_error("tactus run: --save {}: no buffer of this name is bound; allowed {}{}", quote(name),
             names.empty() ? "none" : quote_list(names), suggestion(name, names));
}

}  // namespace

std::vector<Args::Option> dpas_run_options() {
  std::vector<Args::Option> options;
  const auto add = [&](const std::string& group, std::vector<Args::Option> more) {
    for (Args::Option& option : more) {
      if (!group.empty()) option.group = group;
      options.push_back(std::move(option));
    }
  };
  add("What is run",
      {{"machine", "NAME|F.json", "a profile of configs/dpas, or a file of that form"},
       {"program", "F", "vISA text (.visaasm) or container (.isa)"},
       {"kernel", "NAME", "which of several kernels"},
       {"bind", "NAME=F|BYTES",
        "an input of the kernel points to a buffer: the bytes of a file (.bin), the elements of an "
        ".npy, or this many zeros",
        true},
       {"set", "NAME=N[,N...]", "an input of the kernel is this number, or one for each thread",
        true},
       {"visa-pred16", "", "an .isa file of tools from April 2026 on, whose dpas have a predicate"},
       {"strict", "",
        "also refuse programs that only some tools refuse (E_DPAS_SIGN), and reads of registers "
        "that nothing has written"},
       {"allow-overlap", "", "let dst overlap src1: all is read before anything is written"}});
  std::vector<Args::Option> how =
      parameter_options(request_parameters(Asker::kernels).section(), "");
  how.front().help =
      "stop the run after this many cycles (default no limit)";  // shorter, without the range
  how.push_back({"print-config", "", "print the whole configuration, and stop"});
  add("How it is run", how);
  add("What is written", {{"save", "NAME=F", "write a bound buffer at the end", true}});
  using Group = RunOutput::Group;
  add("What is written", run_output_options(Group::files, dpas_machine_info()));
  add("Timeline", run_output_options(Group::timeline, dpas_machine_info()));
  add("Waveforms", run_output_options(Group::waveform, dpas_machine_info()));
  add("", dpas_machine_options());
  return options;
}

std::vector<Args::Option> dpas_machine_options() {
  Args::Option board{"board", "NAME|F.json",
                     "a board of configs/boards or a file: the values below, which other options "
                     "replace; the port has the path of its dram0"};
  board.group = "Board";
  std::vector<Args::Option> options =
      parameter_options(dpas_machine_parameters().section(), "Machine");
  for (const auto& section : {parameter_options(dpas_profile_overrides().section(), "Profile"),
                              std::vector<Args::Option>{board},
                              parameter_options(board_parameters().section(), "Board")}) {
    options.insert(options.end(), section.begin(), section.end());
  }
  return options;
}

void refuse_unused_memory(const Args& args, bool ideal) {
  args.refuse({"stream"}, "is for TCUs; a DPAS machine's instructions are always there");
  // With ideal memory a board would set the clock only, which has an option of its own.
  if (ideal) {
    args.refuse({"axi-data-bits", "read-latency", "write-latency", "memory", "ddr",
                 "port-clock-mhz", "port-data-bits", "interconnect-ns", "board"},
                "needs --memory-port axi");
  } else {
    args.refuse({"ideal-latency", "ideal-bytes"}, "needs --memory-port ideal");
  }
}

DpasSimulationConfig plan_dpas_machine(const Args& args, const std::string& machine) {
  DpasSimulationConfig config;
  config.machine.profile = read_machine_profile(machine, {"tcu"});
  if (const auto name = args.text("board")) static_cast<BoardValues&>(config) = read_board(*name);
  read_memory_options(args, config);
  read_options(dpas_machine_parameters(), args, config.machine);
  read_options(dpas_profile_overrides(), args, config.machine);
  dpas::check_profile(config.machine.profile, machine + ", as options change it");
  const bool ideal = config.machine.memory == dpas::MemoryKind::ideal;
  refuse_unused_memory(args, ideal);
  if (!ideal) config.resolved_ddr = resolve_port_memory(config);
  return config;
}

DpasPlan plan_dpas_run(const Args& args, const std::string& machine) {
  DpasPlan plan;
  plan.machine = machine;
  plan.config = plan_dpas_machine(args, machine);
  plan.board = args.text("board").value_or("");
  const auto program = args.text("program");
  if (!program) user_error("tactus run: --machine {} needs --program F.visaasm or F.isa", machine);
  plan.program_path = *program;
  plan.kernel_name = args.text("kernel").value_or("");
  plan.program = read_visa_program(args, *program, plan.config.machine.profile);
  plan.kernel = &choose_kernel(plan);
  for (const std::string& text : args.texts("bind")) plan.bindings.push_back(parse_binding(text));
  for (const std::string& text : args.texts("set")) plan.values.push_back(parse_value(text));
  check_inputs(plan);
  for (const std::string& text : args.texts("save")) parse_save(text, plan);
  read_options(request_parameters(Asker::kernels), args, static_cast<RunRequest&>(plan));
  if (args.has("energy")) {
    plan.meter.emplace(energy::read_table(plan.energy), energy::machine_of(plan.config));
  }
  plan.unwritten = unwritten_reads(plan.program, *plan.kernel, plan.config.machine.profile);
  tell_unwritten(plan.program_path, plan.unwritten, args.has("strict"));
  static_cast<RunOutputs&>(plan) = read_run_outputs(args, dpas_machine_info());
  claim_outputs(plan);
  for (const DpasBinding& binding : plan.bindings) {
    if (!binding.save.empty()) claim_output(binding.save);
  }
  return plan;
}

}  // namespace tactus

// tactus dais: programs of combinational distributed arithmetic, as da4ml writes them.
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/command_table.h"
#include "firmware/cli/files/info_line.h"
#include "firmware/cli/verbosity.h"
#include "firmware/onnx/tensor_files.h"
#include "isa/dais/binary.h"
#include "isa/dais/cost.h"
#include "isa/dais/disassembler.h"
#include "isa/dais/fast_executor.h"
#include "isa/dais/file.h"
#include "isa/dais/samples_file.h"
#include "isa/support/array_file.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using Options = std::vector<Args::Option>;

const Args::Option dialect_option{
    "dialect", "NAME", "seed, v0, v1 or auto (default: the one the file fits; JSON: v1)"};

/// Index of the option's value in `names`, or `fallback` if it is not given.
std::size_t choice(const Args& args, const char* command, const std::string& option,
                   std::size_t fallback, const std::vector<std::string_view>& names) {
  const auto given = args.text(option);
  if (!given) return fallback;
  const auto found = std::find(names.begin(), names.end(), *given);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  user_error("tactus dais {}: --{} {} is not allowed; allowed {}{}", command, option, quote(*given),
             quote_list(names), suggestion(*given, names));
}

std::optional<dais::Dialect> dialect_of(const Args& args, const char* command) {
  const std::size_t index = choice(args, command, "dialect", 3, {"seed", "v0", "v1", "auto"});
  if (index == 3) return std::nullopt;
  return static_cast<dais::Dialect>(index);
}

// ---- info ---------------------------------------------------------------------------------------

std::string operation_counts(const dais::Program& program) {
  constexpr std::array<const char*, 12> names{
      "copy",     "add", "subtract", "relu",   "quantise",  "add constant",
      "constant", "mux", "multiply", "lookup", "bit unary", "bit binary"};
  std::array<std::size_t, names.size()> counts{};
  for (const dais::Op& op : program.ops) {
    ++counts[static_cast<std::size_t>(*dais::kind_of(op.opcode))];
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (counts[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], names[i]);
  }
  return text.empty() ? "none" : text;
}

void print_ports(const char* what, const std::vector<dais::Port>& ports) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const dais::Port& port = ports[i];
    if (port.width() == 0) {
      fmt::print("  {}{:<6} always 0\n", what, i);
    } else {
      fmt::print("  {}{:<6} {:<8} {:>2} bits, {} .. {}\n", what, i, dais::type_text(port.type),
                 port.width(), port.range.min, port.range.max);
    }
  }
}

void print_program(const dais::Program& program, bool is_json, bool half_price_mux) {
  std::int64_t widest = 0;
  for (const dais::Op& op : program.ops) widest = std::max(widest, op.type.width());
  dais::CostOptions options;
  options.half_price_mux = half_price_mux;
  const dais::Cost stated = dais::estimate_cost(program, options);
  options.as_stated = false;
  const dais::Cost cost = dais::estimate_cost(program, options);
  const dais::FastExecutor fast(program);
  info_line("shape", "{} inputs, {} outputs, {} operations, {} tables", program.input_count(),
            program.output_count(), program.ops.size(), program.tables.size());
  info_line("operations", "{}", operation_counts(program));
  info_line("widest value", "{} bits", widest);
  info_line("estimated logic", "{} LUT (adder size 1, all values of each type)", cost.lut);
  info_line("estimated latency", "{}..{} levels of adders", cost.latency_min, cost.latency_max);
  if (is_json) {
    info_line("da4ml's estimate",
              "{}, latency {}..{} (adder size {}, carry size {}, ranges of "
              "the file)",
              stated.lut, stated.latency_min, stated.latency_max, program.adder_size,
              program.carry_size);
  }
  info_line("simulation", "lanes of {} bits, blocks of {} samples, {} values in flight",
            fast.lane_bits(), fast.block(), fast.slots());
}

int info(const Words& words) {
  Args args("dais info", "Explains a DAIS program: shape, estimates and ports.",
            {dialect_option,
             {"half-price-mux", "", "estimate a mux at half an adder, as da4ml does from 0.6 on"}},
            "FILE");
  if (!args.parse(words)) return exit_ok;
  const std::string path = only_file(args);
  const dais::File file = dais::read_file(path, dialect_of(args, "info"));
  const auto& stages = file.pipeline.stages;
  const std::string rules(dais::name(stages.front().dialect));
  info_line("file", "{}: {}", path,
            file.is_json ? fmt::format("JSON {}, rules of {}",
                                       file.is_pipeline ? "pipeline" : "program", rules)
                         : "binary program, dialect " + rules);
  if (file.is_pipeline) info_line("stages", "{}", stages.size());
  const std::uint64_t registers = dais::register_bits(file.pipeline);
  if (file.is_pipeline) {
    info_line("estimated registers", "{} bits (at the inputs and behind every stage)", registers);
  } else {
    info_line("estimated registers",
              "{} bits at the outputs, as a block of a TCU has; {} as da4ml counts, with those at "
              "the inputs",
              dais::register_bits(file.pipeline, false), registers);
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (file.is_pipeline) fmt::print("stage {}\n", i);
    print_program(stages[i], file.is_json, args.has("half-price-mux"));
  }
  fmt::print("ports\n");
  print_ports("in", dais::input_ports(stages.front()));
  print_ports("out", dais::output_ports(stages.back()));
  return exit_ok;
}

// ---- run ----------------------------------------------------------------------------------------

struct Batch {
  const dais::Pipeline& pipeline;
  const std::vector<double>& inputs;
  std::vector<double>& outputs;
  std::size_t samples;
};

void run_plain(const Batch& batch, dais::MuxCompare mux, bool check_types) {
  dais::ExecutorOptions options;
  options.mux = mux;
  options.check_types = check_types;
  dais::PipelineExecutor(batch.pipeline, options)
      .run(batch.inputs.data(), batch.outputs.data(), batch.samples);
}

/// Runs a batch in threads. Each thread executes one contiguous part; of several errors that of the
/// earliest part is reported.
void run_fast(const Batch& batch, dais::MuxCompare mux, std::size_t threads) {
  dais::FastOptions options;
  options.mux = mux;
  const dais::FastPipelineExecutor executor(batch.pipeline, options);
  std::vector<std::exception_ptr> errors(threads);
  const auto part = [&](std::size_t index) {
    const std::size_t begin = batch.samples * index / threads;
    const std::size_t end = batch.samples * (index + 1) / threads;
    try {
      executor.run(batch.inputs.data() + begin * batch.pipeline.input_count(),
                   batch.outputs.data() + begin * batch.pipeline.output_count(), end - begin,
                   begin);
    } catch (...) {
      errors[index] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(part, i);
  part(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

void execute(const Args& args, const std::string& path, const Batch& batch) {
  const auto mux =
      static_cast<dais::MuxCompare>(choice(args, "run", "mux", 0, {"documented", "v0.3", "v0.6"}));
  const bool plain =
      choice(args, "run", "executor", 0, {"fast", "plain"}) == 1 || args.has("check-types");
  const std::uint64_t threads = args.number("threads", 1, 1, 256);
  try {
    if (plain) {
      run_plain(batch, mux, args.has("check-types"));
    } else {
      run_fast(batch, mux, static_cast<std::size_t>(threads));
    }
  } catch (const UserError& error) {
    user_error("{}: {}", path, error.what());
  }
}

/// Rows of inputs, from text, raw doubles, or an array whose last dimension is a row.
std::vector<double> read_rows(const std::string& path, std::size_t columns) {
  using Form = ArrayForm;
  const ArrayFile file = read_array_file(path, {Form::csv, Form::doubles, Form::npy, Form::pb});
  if (file.form == Form::csv || file.form == Form::doubles) {
    return dais::parse_samples(file, columns);
  }
  nn::Numbers numbers = nn::parse_numbers(file);
  if (numbers.shape.empty() || static_cast<std::size_t>(numbers.shape.back()) != columns) {
    user_error("{}: has shape {}; allowed: {} numbers in the last dimension, the program's inputs",
               path, nn::to_string(numbers.shape), columns);
  }
  dais::check_finite(numbers.values, columns, path);
  return std::move(numbers.values);
}

int run(const Words& words) {
  Args args(
      "dais run",
      "Computes the outputs of a DAIS program or pipeline for rows of real numbers: .csv is text, "
      ".f64 raw doubles; inputs may also be an array, .npy or .pb.",
      {{"input", "F.csv|F.f64|F.npy", "rows of inputs (required)"},
       {"output", "F.csv|F.f64",
        "where to write the rows of outputs (default: text to standard "
        "output)"},
       dialect_option,
       {"mux", "NAME",
        "how unsigned conditions compare: documented (default), or as da4ml's "
        "interpreter did: v0.3 (to 0.5), v0.6"},
       {"check-types", "", "refuse values that do not fit their types (plain executor)"},
       {"executor", "NAME", "fast (default) or plain"},
       {"threads", "N", "threads of the fast executor (default 1)"}},
      "FILE");
  if (!args.parse(words)) return exit_ok;
  const std::string path = only_file(args);
  const std::string input = args.required("input", "F.csv, F.f64 or F.npy");
  const auto output = args.text("output");
  if (output) dais::check_samples_name(*output);
  const dais::File file = dais::read_file(path, dialect_of(args, "run"));
  const dais::Pipeline& pipeline = file.pipeline;
  const std::vector<double> inputs = read_rows(input, pipeline.input_count());
  if (output) claim_output(*output);
  const std::size_t samples = inputs.size() / pipeline.input_count();
  std::vector<double> outputs(samples * pipeline.output_count());

  const auto start = std::chrono::steady_clock::now();
  execute(args, path, {pipeline, inputs, outputs, samples});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;

  if (output) {
    dais::write_samples(*output, outputs, pipeline.output_count());
  } else if (!outputs.empty()) {
    fmt::print("{}", dais::samples_to_csv(outputs, pipeline.output_count()));
  }
  const double seconds = std::max(time.count(), 1e-9);
  fmt::print(output ? stdout : stderr, "{} samples in {:.3g} ms, {:.3g} million samples/s\n",
             samples, seconds * 1e3, static_cast<double>(samples) / seconds / 1e6);
  return exit_ok;
}

// ---- disasm, convert ----------------------------------------------------------------------------

int disasm(const Words& words) {
  Args args("dais disasm", "Prints a DAIS program or pipeline as readable text.",
            {dialect_option, {"output", "F.txt", "where to write (default: standard output)"}},
            "FILE");
  if (!args.parse(words)) return exit_ok;
  const std::string path = only_file(args);
  const std::string text =
      dais::disassemble(dais::read_file(path, dialect_of(args, "disasm")).pipeline);
  if (const auto output = args.text("output")) {
    write_file_atomically(*output, text);
  } else {
    fmt::print("{}", text);
  }
  return exit_ok;
}

int convert(const Words& words) {
  Args args("dais convert", "Writes a DAIS program or pipeline in another form.",
            {{"to", "FORM", "seed, v0, v1 or json (required)"},
             {"output", "F", "where to write (required)"},
             dialect_option},
            "FILE");
  if (!args.parse(words)) return exit_ok;
  const std::string path = only_file(args);
  (void)args.required("to", "FORM");
  const std::string output = args.required("output", "F");
  const auto form =
      static_cast<dais::Form>(choice(args, "convert", "to", 0, {"seed", "v0", "v1", "json"}));
  const dais::File file = dais::read_file(path, dialect_of(args, "convert"));
  const auto bytes = dais::encode_file(file, form, path);
  // JSON is read by the rules of v1 unless an option names another dialect.
  const dais::Dialect rules =
      form == dais::Form::json ? dais::Dialect::v1 : static_cast<dais::Dialect>(form);
  for (const dais::Program& stage : file.pipeline.stages) {
    for (const std::string& note : dais::conversion_notes(stage, rules)) {
      tactus::note("note: {}:{}", path, note);
    }
  }
  write_file_atomically(output, bytes);
  fmt::print("{}: {}, {} bytes\n", output, dais::name(form), bytes.size());
  return exit_ok;
}

}  // namespace

const CommandGroup& dais_commands() {
  static const CommandGroup group = {
      "tactus dais",
      "tactus dais COMMAND [options] FILE     tactus dais COMMAND --help",
      "Programs of combinational fixed-point logic (DAIS), as da4ml writes them: binary files of "
      "the\n"
      "dialects seed, v0 and v1, and JSON programs and pipelines.",
      {
          {"info", "shape, estimated cost, ports", info},
          {"run", "compute outputs for rows of inputs", run},
          {"disasm", "print as text", disasm},
          {"convert", "write in another form", convert},
      }};
  return group;
}

int dais_command(const Words& words) { return run_group(dais_commands(), words); }

}  // namespace tactus

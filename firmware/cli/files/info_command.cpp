// tactus info: facts of a file, such as the sizes and layouts that follow from an architecture.
#include <array>
#include <filesystem>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/files/dpas_files.h"
#include "firmware/cli/files/info_line.h"
#include "firmware/cli/machine_options.h"
#include "firmware/compiler/model_tensors.h"
#include "firmware/config/architectures.h"
#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/config/ddr_presets.h"
#include "firmware/driver/tcu/model.h"
#include "isa/dais/cost.h"
#include "isa/dais/file.h"
#include "isa/support/board_values.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/tcu/instruction_set.h"
#include "isa/tcu/layout.h"
#include "isa/tcu/lookup.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

std::uint64_t resident_vectors(const tcu::ModelFile& file) {
  std::uint64_t sum = 0;
  for (const tcu::ResidentEntry& entry : file.resident) sum += entry.size;
  return sum;
}

std::string axi_widths(const tcu::Architecture& architecture) {
  std::string text;
  for (auto bits = static_cast<unsigned>(axi_width_range.min); bits <= axi_width_range.max;
       bits *= 2) {
    try {
      check_axi_width(architecture, bits);
    } catch (const UserError&) {
      continue;
    }
    text += fmt::format("{}{} ({} beats a vector)", text.empty() ? "" : ", ", bits,
                        architecture.vector_bytes() * 8 / bits);
  }
  return text.empty() ? "none fits" : text;
}

std::string kilobytes(std::uint64_t vectors, const tcu::Architecture& architecture) {
  const double bytes =
      static_cast<double>(vectors) * static_cast<double>(architecture.vector_bytes());
  return fmt::format("{} vectors, {:.1f} KiB", vectors, bytes / 1024);
}

void print_dais_block(const tcu::Architecture& architecture, unsigned number) {
  const tcu::DaisBlockEntry& block = architecture.dais_blocks[number];
  const dais::File& file = *block.file;
  double lut = 0;
  dais::CostOptions options;
  options.as_stated = false;  // the same in every form of the program
  for (const dais::Program& stage : file.pipeline.stages) {
    lut += dais::estimate_cost(stage, options).lut;
  }
  info_line("DAIS block", "{}: {}, {}", number, block.name, block.path);
  info_line("  shape", "{} inputs, {} outputs: {} vectors in, {} out a sample", block.input_count(),
            block.output_count(), block.input_vectors(architecture.array_size),
            block.output_vectors(architecture.array_size));
  info_line("  latency", "{} cycles ({})", block.latency(),
            file.is_pipeline ? fmt::format("pipeline of {} stages", file.pipeline.stages.size())
                             : "one combinational program");
  info_line("  estimate", "{} LUT, {} bits of registers ({})", lut,
            dais::register_bits(file.pipeline, file.is_pipeline),
            file.is_pipeline ? "at the inputs and behind every stage" : "at the outputs");
}

void print_architecture(const tcu::Architecture& architecture) {
  const tcu::InstructionLayout layout(architecture);
  const tcu::DataTypeInfo& type = info(architecture.data_type);
  const unsigned n = architecture.array_size;
  info_line("data type", "{}: {} bits, {} of them fraction, {} bytes in memory", type.name,
            type.width_bits, type.binary_point, type.storage_bytes);
  info_line("array", "{0} x {0}: {1} multiply-accumulates a cycle", n, n * n);
  info_line("vector", "{} scalars, {} bytes", n, architecture.vector_bytes());
  info_line("local memory", "{}, addresses of {} bits",
            kilobytes(architecture.local_depth, architecture), layout.local_address);
  info_line("accumulators", "{}, addresses of {} bits",
            kilobytes(architecture.accumulator_depth, architecture), layout.accumulator_address);
  info_line("DRAM0", "{}, addresses of {} bits", kilobytes(architecture.dram0_depth, architecture),
            layout.dram0_address);
  info_line("DRAM1", "{}, addresses of {} bits", kilobytes(architecture.dram1_depth, architecture),
            layout.dram1_address);
  info_line("SIMD registers", "{} a lane", architecture.simd_registers_depth);
  info_line("strides", "1..2^{} on operand 0, 1..2^{} on operand 1", architecture.stride0_depth - 1,
            architecture.stride1_depth - 1);
  info_line("AXI data bits", "{}", axi_widths(architecture));
  info_line("instruction", "{} bytes, header last", layout.instruction_bytes());
  info_line("  operand0", "{} bits: address {}, stride {} above it", layout.operand0,
            layout.operand0_address, layout.stride0);
  info_line("  operand1", "{} bits: address {}, stride {} above it", layout.operand1,
            layout.operand1_address, layout.stride1);
  info_line("  operand2", "{} bits: size or SIMD sub-instruction ({} bits)", layout.operand2,
            layout.simd);
  info_line("  header", "{} bits: opcode 4, flags 4", layout.header);
  for (unsigned i = 0; i < architecture.dais_blocks.size(); ++i) print_dais_block(architecture, i);
  if (const tcu::LookupTables& tables = architecture.lookup_tables; tables.count > 0) {
    info_line("lookup tables", "{} of {} entries, {} vectors each; keys in steps of 2^-{}",
              tables.count, tables.depth, lookup_vectors(architecture), tables.key_binary_point);
  }
  if (architecture.dma_queue != 0) info_line("DRAM queue", "{} transfers", architecture.dma_queue);
  if (architecture.activation_unit)
    info_line("activation unit", "between accumulators and local memory");
  if (architecture.shadow_weights != tcu::ShadowWeights::off) {
    info_line("shadow weights", architecture.shadow_weights == tcu::ShadowWeights::own_reads
                                    ? "new weights come beside products, by reads of their own"
                                    : "new weights do not wait until the array has drained");
  }
  warn_about_dais_blocks(architecture);
}

void print_model(const Model& model) {
  const tcu::ModelFile& file = model.file;
  const tcu::InstructionLayout layout(file.arch);
  info_line("model", "{}", file.name);
  if (file.board) {
    const BoardValues& board = file.board->values;
    info_line("compiled for board", "{}: {:g} MHz, AXI {} bits, {}", file.board->name,
              board.clock_mhz, board.axi_data_bits, memory_text(board));
  }
  std::array<std::uint64_t, 16> counts{};
  const std::vector<tcu::Instruction> program = decode_program(layout, model.program);
  for (const tcu::Instruction& instruction : program) ++counts[instruction.opcode];
  info_line("program", "{}: {} instructions, {} bytes", file.prog.file_name, program.size(),
            model.program.size());
  using O = tcu::Opcode;
  for (const O opcode : {O::no_op, O::mat_mul, O::data_move, O::load_weights, O::simd, O::dais,
                         O::load_activation, O::load_lut}) {
    const tcu::InstructionInfo& words = tcu::info(opcode);
    const std::uint64_t count = counts[static_cast<std::size_t>(opcode)];
    if (count > 0 && has(layout, words.needs())) info_line("", "{} {}", count, words.mnemonic);
  }
  for (const tcu::ConstantsEntry& entry : file.consts) {
    info_line("constants", "{}: {} at DRAM1 vector {}", entry.file_name,
              kilobytes(entry.size, file.arch), entry.base);
  }
  for (const tcu::TensorEntry& entry : file.inputs) {
    info_line("input", "{}: {} at DRAM0 vector {}", entry.name, kilobytes(entry.size, file.arch),
              entry.base);
  }
  for (const tcu::TensorEntry& entry : file.outputs) {
    info_line("output", "{}: {} at DRAM0 vector {}", entry.name, kilobytes(entry.size, file.arch),
              entry.base);
  }
  if (const auto tensors = compiler::read_model_tensors(model.path, model.file)) {
    for (const auto* layouts : {&tensors->inputs, &tensors->outputs}) {
      for (const compiler::TensorLayout& tensor : *layouts) {
        info_line("layout", "{}: {}", tensor.name, describe(tensor, file.arch.array_size));
      }
    }
    if (tensors->host_before != nullptr) {
      std::vector<std::string_view> made;
      for (const nn::ValueInfo& input : tensors->host_before->outputs)
        made.emplace_back(input.name);
      info_line("host, before", "{} nodes, which make {}", tensors->host_before->nodes.size(),
                fmt::join(made, ", "));
    }
    if (tensors->host != nullptr) {
      info_line("left to the host", "{} nodes, which make {}", tensors->host->nodes.size(),
                fmt::join(tensors->model_outputs, ", "));
    }
  }
  if (file.batch > 1) info_line("images of a run", "{}", file.batch);
  info_line("constants in local", "{}",
            file.load_consts_to_local.value_or(false) ? "yes, copied before the first image"
            : file.resident.empty()
                ? "no"
                : fmt::format("{} vectors, copied before the first image", resident_vectors(file)));
}

/// Provenance of a value; empty if the file does not state it.
std::string origin(const ProvenanceByKey& provenance, const std::string& key) {
  const auto found = provenance.find(key);
  if (found == provenance.end()) return {};
  const Provenance& from = found->second;
  return fmt::format("  ({}{}: {})", to_text(from.kind), from.date.empty() ? "" : " " + from.date,
                     from.text);
}

void print_board(const Board& board) {
  info_line("board", "{}: {}", board.name, board.title);
  info_line("file", "{}", board.path);
  for (const Parameter<BoardValues>& parameter : board_parameters()) {
    if (parameter.optional && board.provenance.count(parameter.key) == 0 &&
        parameter.get(board) == parameter.initial) {
      continue;
    }
    info_line(parameter.key.c_str(), "{} {}{}", to_text(parameter, parameter.get(board)),
              parameter.unit, origin(board.provenance, parameter.key));
  }
  if (board.board_memory) {
    const nlohmann::ordered_json memory = encode_board_memory(*board.board_memory);
    for (const auto& item : memory.items()) {
      info_line(("memory " + item.key()).c_str(), "{}{}", text_of_json(item.value()),
                origin(board.provenance, "memory." + item.key()));
    }
  }
  info_line("architecture", "{}", origin(board.provenance, "array_size"));
  print_architecture(board.architecture);
}

void print_dram(const DdrPreset& preset) {
  const DdrConfig& config = preset.config;
  info_line("DRAM", "{}: {}", preset.name, preset.title);
  info_line("file", "{}", preset.path);
  info_line("size", "{} MiB", config.bytes() >> 20);
  info_line("bandwidth", "{:.2f} GB/s at most", config.bus_bits / 8.0 * 2e3 / config.tck_ps);
  for (const Parameter<DdrConfig>& parameter : ddr_parameters()) {
    const ParameterValue value = parameter.get(config);
    const auto* count = std::get_if<std::uint64_t>(&value);
    const std::string ns = count != nullptr && parameter.unit == "clocks"
                               ? fmt::format(" = {:g} ns", *count * config.tck_ps / 1e3)
                               : "";
    info_line(parameter.key.c_str(), "{} {}{}{}", to_text(parameter, value), parameter.unit, ns,
              origin(preset.provenance, parameter.key));
  }
}

/// The kind of file that a name of configs/ stands for. A file with this name takes precedence.
std::optional<FileKind> kind_of_name(const std::string& name) {
  std::error_code ignored;
  const bool file = name.find('/') != std::string::npos || std::filesystem::exists(name, ignored);
  if (file) return std::nullopt;
  if (is_config_name("boards", name)) return FileKind::board;
  if (is_config_name("dram", name)) return FileKind::dram;
  if (is_config_name("arch", name, ".tarch")) return FileKind::architecture;
  return std::nullopt;
}

}  // namespace

int info_command(const Words& words) {
  Args args(
      "info",
      "Explains an architecture, a board or a DRAM (its name, .tarch or .json), a model\n"
      "(.tmodel), a kernel (.visaasm, .isa) or a machine with a DPAS array (.json, --machine\n"
      "alone).",
      visa_options(), "NAME|FILE.tarch|FILE.tmodel|FILE.json|FILE.isa|FILE.visaasm");
  if (!args.parse(words)) return exit_ok;
  const auto machine = args.text("machine");
  if (args.positional().empty() && machine) {
    print_profile(config_path("dpas", *machine));
    return exit_ok;
  }
  const std::string path = only_file(args);
  const std::optional<FileKind> named = kind_of_name(path);
  if (!named && is_visa_file(path)) {
    print_visa_info(args, path);
    return exit_ok;
  }
  refuse_visa_options(args);
  if (path.size() > 3 && path.compare(path.size() - 3, 3, ".pb") == 0) {
    user_error("{}: is a TensorFlow graph or an ONNX tensor; tactus compile takes both", path);
  }
  const FileKind kind = named           ? *named
                        : is_pipe(path) ? FileKind::unknown
                                        : kind_of_file(path, as_text(read_file(path)));
  if (kind == FileKind::dpas_profile) {
    print_profile(path);
    return exit_ok;
  }
  if (kind == FileKind::board) {
    print_board(read_board(path));
    return exit_ok;
  }
  if (kind == FileKind::dram) {
    print_dram(read_ddr_preset(path));
    return exit_ok;
  }
  if (path.size() > 7 && path.compare(path.size() - 7, 7, ".tmodel") == 0) {
    const Model model = read_model(path, ProgramChecks::strict);
    print_model(model);
    print_architecture(model.file.arch);
  } else {
    std::string defaults;
    print_architecture(read_named_architecture(path, &defaults));
    if (!defaults.empty()) info_line("left to defaults", "{}", defaults);
  }
  return exit_ok;
}

}  // namespace tactus

#include "firmware/driver/tcu/host.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/accesses.h"

namespace tactus {
namespace {

constexpr std::uint32_t driver_timeout_cycles = 100;

/// Throws UserError for vectors beyond 32-bit AXI addresses; their addresses would wrap to the
/// bank's beginning without notice.
void check_reach(const std::string& what, std::uint64_t base, std::uint64_t size,
                 std::uint64_t vector_bytes) {
  const std::uint64_t reach = (std::uint64_t{1} << 32) / vector_bytes;
  if (base > reach || size > reach - base) {
    user_error("{} needs vectors {}..{}; allowed 0..{}, what the 32-bit AXI address reaches", what,
               base, base + size - 1, reach - 1);
  }
}

}  // namespace

std::vector<std::uint8_t> constants_to_local(const Model& model,
                                             const tcu::InstructionLayout& layout) {
  const std::uint64_t depth = model.file.arch.local_depth;
  std::vector<tcu::Instruction> program;
  for (const tcu::ResidentEntry& entry : model.file.resident) {
    program.push_back(tcu::make_data_move(layout, tcu::DataMoveKind::dram1_to_local,
                                          {entry.local, 0}, {entry.base, 0}, entry.size));
  }
  if (!model.file.load_consts_to_local.value_or(false)) return encode_program(layout, program);
  for (const tcu::ConstantsEntry& entry : model.file.consts) {
    if (entry.base + entry.size > depth) {
      user_error(
          "{}: constants of {} vectors at {} do not fit local memory, where the model wants "
          "them; local_depth is {}",
          model.path, entry.size, entry.base, depth);
    }
    if (entry.size == 0) continue;
    program.push_back(tcu::make_data_move(layout, tcu::DataMoveKind::dram1_to_local,
                                          {entry.base, 0}, {entry.base, 0}, entry.size));
  }
  return encode_program(layout, program);
}

Host::Host(TcuSimulation& simulation, const Model& model, HostMode mode, const HostPlace& place)
    : simulation_(simulation),
      model_(model),
      mode_(mode),
      place_(place),
      architecture_(simulation.config().architecture),
      layout_(architecture_),
      inputs_(tensors(model.file.inputs)),
      outputs_(tensors(model.file.outputs)),
      probe_(architecture_.vector_bytes(), 0xFF) {
  const std::uint64_t bytes = architecture_.vector_bytes();
  for (const auto& entry : model.file.inputs)
    check_reach(entry.name, entry.base, entry.size, bytes);
  for (const auto& entry : model.file.outputs)
    check_reach(entry.name, entry.base, entry.size, bytes);
  for (const auto& entry : model.file.consts) {
    check_reach(entry.file_name, entry.base, entry.size, bytes);
  }
  if (mode_ == HostMode::plain) return;
  check_probe_place();
  const std::vector<std::uint8_t> probe = probe_program();
  with_probe_ = model.program;
  with_probe_.insert(with_probe_.end(), probe.begin(), probe.end());
}

/// Refuses a model that uses the probe's vectors. Real drivers write the probe there in any case;
/// outputs, constants or the sign of completion would be wrong without notice.
void Host::check_probe_place() const {
  const std::uint64_t depth = architecture_.dram0_depth;
  if (depth < 2) {
    user_error("driver mode needs 2 DRAM0 vectors for its probe; dram0_depth is {}", depth);
  }
  const std::string remedy = fmt::format(
      "the driver's completion probe takes DRAM0 vectors {} and {} (bytes {}..{}) and local vector "
      "{}; allowed: plain mode, or a model that leaves them free",
      depth - 2, depth - 1, address(depth - 2), address(depth) - 1, architecture_.local_depth - 1);
  for (const auto* entries : {&model_.file.inputs, &model_.file.outputs}) {
    for (const tcu::TensorEntry& entry : *entries) {
      if (entry.size == 0 || entry.base + entry.size <= depth - 2) continue;
      user_error("{}: {} {} lies in DRAM0 vectors {}..{}, and {}", model_.path,
                 entries == &model_.file.inputs ? "input" : "output", quote(entry.name), entry.base,
                 entry.base + entry.size - 1, remedy);
    }
  }
  if (model_.file.load_consts_to_local.value_or(false)) {
    for (const tcu::ConstantsEntry& entry : model_.file.consts) {
      if (entry.size == 0 || entry.base + entry.size < architecture_.local_depth) continue;
      user_error("{}: constants are copied to local vectors {}..{}, and {}", model_.path,
                 entry.base, entry.base + entry.size - 1, remedy);
    }
  }
  for (const tcu::ResidentEntry& entry : model_.file.resident) {
    if (entry.local + entry.size < architecture_.local_depth) continue;
    user_error("{}: constants are copied to local vectors {}..{}, and {}", model_.path, entry.local,
               entry.local + entry.size - 1, remedy);
  }
  check_program_leaves_probe(remedy);
}

/// Refuses a program that writes the probe's vectors, or that does not leave the offset of DRAM0 as
/// the driver has set it: the probe would go elsewhere, and a real driver would wait for ever.
void Host::check_program_leaves_probe(const std::string& remedy) const {
  const std::uint64_t depth = architecture_.dram0_depth;
  const std::vector<tcu::Instruction> program = decode_program(layout_, model_.program);
  std::uint64_t offset = 0;  // of DRAM0, in bytes
  std::size_t set_by = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const tcu::Instruction& instruction = program[i];
    if (const auto set = bank_offset(layout_, instruction); set && set->bank == 0) {
      offset = set->bytes();
      set_by = i;
    }
    const tcu::VectorWalk to = flow_of(architecture_, layout_, instruction).to;
    if (to.memory != tcu::VectorMemory::dram0) continue;
    const tcu::Operand dram = to.first;
    const std::uint64_t step = std::uint64_t{1} << dram.stride;
    const std::uint64_t last = dram.address + std::min(to.size, depth) * step;
    if (offset + address(last + 1) <= address(depth - 2)) continue;
    for (std::uint64_t vector = dram.address; vector <= last; vector += step) {
      const std::uint64_t at = offset + address(vector % depth);
      if (at + address(1) <= address(depth - 2) || at >= address(depth)) continue;
      user_error("{}: instruction {} writes DRAM0 bytes {}..{}, and {}", model_.path, i, at,
                 at + address(1) - 1, remedy);
    }
  }
  if (offset == 0) return;
  user_error(
      "{}: instruction {} sets Dram0Offset to {} and nothing sets it back to 0, so the completion "
      "probe behind the program would miss the vectors that the driver looks at; allowed: plain "
      "mode, or a program that ends with Configure Dram0Offset = 0",
      model_.path, set_by, offset >> 16U);
}

std::uint64_t Host::address(std::uint64_t vector) const {
  return vector * architecture_.vector_bytes();
}

/// Byte address at which the host finds a vector of the model's bank.
std::uint64_t Host::place_of(unsigned port, std::uint64_t vector) const {
  return place_.offset[port] * HostPlace::offset_bytes + address(vector);
}

/// A machine's banks have address spaces of their own, so the offsets are 0 unless models share it.
std::vector<std::uint8_t> Host::configuration_program() const {
  std::vector<tcu::Instruction> program{
      tcu::make_configure(layout_, tcu::ConfigRegister::dram0_offset, place_.offset[0]),
      tcu::make_configure(layout_, tcu::ConfigRegister::dram1_offset, place_.offset[1])};
  if (mode_ == HostMode::driver) {
    program.push_back(
        tcu::make_configure(layout_, tcu::ConfigRegister::timeout, driver_timeout_cycles));
  }
  return encode_program(layout_, program);
}

std::vector<std::uint8_t> Host::probe_program() const {
  const tcu::Operand local{architecture_.local_depth - 1, 0};
  return encode_program(layout_,
                        {tcu::make_data_move(layout_, tcu::DataMoveKind::dram0_to_local, local,
                                             {architecture_.dram0_depth - 1, 0}, 1),
                         tcu::make_data_move(layout_, tcu::DataMoveKind::local_to_dram0, local,
                                             {architecture_.dram0_depth - 2, 0}, 1)});
}

void Host::reset_probe() {
  simulation_.write_dram(0, place_of(0, architecture_.dram0_depth - 1), probe_);
  simulation_.write_dram(0, place_of(0, architecture_.dram0_depth - 2),
                         std::vector<std::uint8_t>(probe_.size(), 0));
}

bool Host::probe_arrived() {
  const std::vector<std::uint8_t> vector =
      simulation_.read_dram(0, place_of(0, architecture_.dram0_depth - 2), probe_.size());
  // The copy may differ from the probe, since the data path may be narrower than a stored scalar.
  // It has arrived when it differs from the zeroes that were written before the run.
  return std::any_of(vector.begin(), vector.end(), [](std::uint8_t byte) { return byte != 0; });
}

std::optional<TcuRunResult> Host::prepare() {
  load();
  return enter();
}

void Host::load() {
  for (std::size_t i = 0; i < model_.constants.size(); ++i) {
    simulation_.write_dram(1, place_of(1, model_.file.consts[i].base), model_.constants[i]);
  }
}

std::optional<TcuRunResult> Host::enter() {
  std::vector<std::uint8_t> program;
  if (mode_ == HostMode::driver || place_.shared) program = configuration_program();
  if (model_.file.preloads()) {
    const std::vector<std::uint8_t> preload = constants_to_local(model_, layout_);
    program.insert(program.end(), preload.begin(), preload.end());
  }
  if (program.empty()) return std::nullopt;
  TcuRunResult result = simulation_.run(program);
  if (result.end != RunEnd::finished) return result;
  if (model_.file.preloads()) constants_cycles_ = result.cycles;
  return std::nullopt;
}

ImageResult Host::run_image(const TensorData& inputs, const TcuRunOptions& options) {
  for (const Tensor& tensor : inputs_) {
    const std::vector<std::uint8_t>& data = inputs.at(tensor.name);
    const std::uint8_t* next = data.data();
    for (const tcu::TensorEntry& piece : tensor.pieces) {
      simulation_.write_dram(0, place_of(0, piece.base), next, address(piece.size));
      next += address(piece.size);
    }
  }
  ImageResult result;
  result.begin = simulation_.now();
  result.constants = constants_cycles_;
  TcuRunOptions run_options = options;
  if (mode_ == HostMode::driver) {
    reset_probe();
    run_options.on_write_response = [&](Cycle cycle) {
      if (!result.probe && probe_arrived()) result.probe = cycle;
    };
  }
  result.run =
      simulation_.run(mode_ == HostMode::driver ? with_probe_ : model_.program, run_options);
  if (result.run.end != RunEnd::finished) return result;
  if (mode_ == HostMode::driver && !result.probe) {
    internal_error("the machine is idle but the probe has not arrived in DRAM0");
  }
  for (const Tensor& tensor : outputs_) {
    std::vector<std::uint8_t>& data = result.outputs[tensor.name];
    for (const tcu::TensorEntry& piece : tensor.pieces) {
      const auto bytes = simulation_.read_dram(0, place_of(0, piece.base), address(piece.size));
      data.insert(data.end(), bytes.begin(), bytes.end());
    }
  }
  return result;
}

}  // namespace tactus

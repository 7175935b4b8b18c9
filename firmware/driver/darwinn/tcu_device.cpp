#include "firmware/driver/darwinn/tcu_device.h"

#include <algorithm>
#include <utility>

#include "isa/darwinn/relayout.h"
#include "isa/darwinn/tcu_package.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/instruction.h"

namespace tactus {
namespace {

using darwinn::Executable;
using darwinn::Layer;

/// What a 32-bit AXI address reaches, of each bank.
constexpr std::uint64_t bank_bytes = std::uint64_t{1} << 32;

std::vector<std::uint8_t> whole_program(const Executable& executable) {
  std::vector<std::uint8_t> program;
  for (const darwinn::Chunk& chunk : executable.chunks) {
    program.insert(program.end(), chunk.code.begin(), chunk.code.end());
  }
  return program;
}

/// Runs of vectors that hold the z of one element each: (y, x) by (y, x).
struct Lanes {
  Lanes(const Layer& layer, const tcu::Architecture& architecture)
      : element(darwinn::element_bytes(layer.data_type)),
        rows(static_cast<std::size_t>(layer.elements() / layer.z)),
        used(static_cast<std::size_t>(layer.z) * element) {
    const std::uint64_t lanes = architecture.array_size;
    row = static_cast<std::size_t>((static_cast<std::uint64_t>(layer.z) + lanes - 1) / lanes *
                                   lanes) *
          element;
  }
  std::size_t element, rows, used;
  std::size_t row = 0;  ///< bytes of whole vectors
};

const Tensor& find(const std::vector<Tensor>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Tensor& t) { return t.name == name; });
  if (found == all.end()) internal_error("no tensor {}", quote(name));
  return *found;
}

}  // namespace

Model packaged_model(const darwinn::File& file) {
  Model model;
  model.path = file.name();
  model.file = darwinn::tcu_model(file.package(), file.name());
  model.program = whole_program(file.package().main());
  check_program(model.file.arch, model.program, model.path, ProgramChecks::strict);
  if (!model.file.arch.dais_blocks.empty()) {
    user_error("{}: a package with DAIS blocks cannot be run", model.path);
  }
  const std::uint64_t instructions =
      model.program.size() / tcu::InstructionLayout(model.file.arch).instruction_bytes();
  // The text may be of the program alone.
  std::uint64_t ahead = 0;
  for (const darwinn::Field& field : file.package().main().chunks.front().fields) {
    const tcu::InstructionLayout layout(model.file.arch);
    ahead = std::max(
        ahead, static_cast<std::uint64_t>(field.offset_bit) / (8 * layout.instruction_bytes()) + 1);
  }
  for (tcu::LayerEntry& layer : model.file.layers) layer.first += ahead;
  const bool fits = std::all_of(
      model.file.layers.begin(), model.file.layers.end(), [&](const tcu::LayerEntry& layer) {
        return layer.first <= instructions && layer.count <= instructions - layer.first;
      });
  if (!fits) model.file.layers.clear();
  return model;
}

TcuDevice::TcuDevice(TcuSimulation& simulation,
                     const std::vector<const darwinn::Package*>& packages, unsigned arenas)
    : simulation_(simulation), dram0_(0, bank_bytes), dram1_(0, bank_bytes) {
  for (const darwinn::Package* const package : packages) {
    const Executable& main = package->main();
    Loaded loaded{package, darwinn::tcu_model(*package, "package"), {}, {}, {}};
    const std::uint64_t bytes =
        std::max(static_cast<std::uint64_t>(main.scratch_bytes), darwinn::tcu_block_bytes);
    for (unsigned i = 0; i < arenas; ++i) loaded.arenas.push_back(dram0_.allocate(bytes));
    if (!main.parameters.empty()) {
      loaded.parameters = dram1_.allocate(
          std::max<std::uint64_t>(main.parameters.size(), darwinn::tcu_block_bytes));
      simulation_.write_dram(1, *loaded.parameters, main.parameters.data(), main.parameters.size());
    }
    loaded_.push_back(std::move(loaded));
  }
  for (const darwinn::Package* const package : packages) {
    for (const Executable& executable : package->executables) {
      for (const darwinn::Chunk& chunk : executable.chunks)
        (void)dram0_.allocate(chunk.code.size());
    }
  }
}

std::uint64_t TcuDevice::bytes_of(std::uint64_t vectors) const {
  return vectors * simulation_.config().architecture.vector_bytes();
}

void TcuDevice::evict() {
  for (Loaded& loaded : loaded_) {
    if (loaded.cached) dram1_.release(*loaded.cached);
    loaded.cached.reset();
  }
}

std::vector<std::uint8_t> TcuDevice::linked(const Executable& executable,
                                            const darwinn::Addresses& addresses) const {
  // Tensors lie inside the arena, at no multiple of a block.
  darwinn::Addresses bases;
  bases.scratch = addresses.scratch;
  bases.parameters = addresses.parameters;
  const darwinn::Addresses blocks = darwinn::in_blocks(bases);
  std::vector<std::uint8_t> program;
  for (std::size_t i = 0; i < executable.chunks.size(); ++i) {
    const std::vector<std::uint8_t> chunk = link(executable, i, blocks);
    program.insert(program.end(), chunk.begin(), chunk.end());
  }
  return program;
}

TcuRunResult TcuDevice::cache_parameters(std::size_t package, const TcuRunOptions& options) {
  Loaded& loaded = loaded_[package];
  const Executable& caching = *loaded.package->caching();
  darwinn::Addresses addresses;
  if (!caching.parameters.empty()) {
    loaded.cached = dram1_.allocate(
        std::max<std::uint64_t>(caching.parameters.size(), darwinn::tcu_block_bytes));
    simulation_.write_dram(1, *loaded.cached, caching.parameters.data(), caching.parameters.size());
    addresses.parameters = loaded.cached;
  }
  program_ = linked(caching, addresses);
  return simulation_.run(program_, options);
}

darwinn::Addresses TcuDevice::addresses(std::size_t package, std::size_t arena) const {
  const Loaded& loaded = loaded_[package];
  const Executable& main = loaded.package->main();
  darwinn::Addresses addresses;
  addresses.scratch = loaded.arenas[arena];
  addresses.parameters = loaded.parameters ? loaded.parameters : loaded.cached;
  const auto add = [&](const std::vector<Layer>& layers,
                       const std::vector<tcu::TensorEntry>& entries,
                       std::vector<std::vector<std::uint64_t>>& to) {
    const std::vector<Tensor> all = tensors(entries);
    for (const Layer& layer : layers) {
      to.push_back({*addresses.scratch + bytes_of(find(all, *layer.name).pieces.front().base)});
    }
  };
  add(main.inputs, loaded.model.inputs, addresses.inputs);
  add(main.outputs, loaded.model.outputs, addresses.outputs);
  return addresses;
}

void TcuDevice::write_input(const Loaded& loaded, const Layer& layer, std::uint64_t arena,
                            std::vector<std::uint8_t> vectors) {
  const Lanes lanes(layer, simulation_.config().architecture);
  for (std::size_t i = 0; i < lanes.rows && (i + 1) * lanes.row <= vectors.size(); ++i) {
    std::fill_n(vectors.begin() + static_cast<std::ptrdiff_t>(i * lanes.row + lanes.used),
                lanes.row - lanes.used, std::uint8_t{0});
  }
  const std::vector<Tensor> all = tensors(loaded.model.inputs);
  const std::uint8_t* next = vectors.data();
  for (const tcu::TensorEntry& piece : find(all, *layer.name).pieces) {
    simulation_.write_dram(0, arena + bytes_of(piece.base), next, bytes_of(piece.size));
    next += bytes_of(piece.size);
  }
}

/// Out of the device's layout into the tensor, and that in whole vectors.
std::vector<std::uint8_t> TcuDevice::read_output(const Loaded& loaded, const Layer& layer,
                                                 std::uint64_t arena) {
  std::vector<std::uint8_t> device;
  const std::vector<Tensor> all = tensors(loaded.model.outputs);
  for (const tcu::TensorEntry& piece : find(all, *layer.name).pieces) {
    const auto bytes = simulation_.read_dram(0, arena + bytes_of(piece.base), bytes_of(piece.size));
    device.insert(device.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::uint8_t> tensor(static_cast<std::size_t>(layer.actual_bytes()));
  darwinn::Relayout(layer).run(device.data(), tensor.data());
  const Lanes lanes(layer, simulation_.config().architecture);
  std::vector<std::uint8_t> vectors(lanes.rows * lanes.row);
  for (std::size_t i = 0; i < lanes.rows; ++i) {
    std::copy_n(tensor.begin() + static_cast<std::ptrdiff_t>(i * lanes.used), lanes.used,
                vectors.begin() + static_cast<std::ptrdiff_t>(i * lanes.row));
  }
  return vectors;
}

ImageResult TcuDevice::run(std::size_t package, std::size_t arena, const TensorData& inputs,
                           const TcuRunOptions& options) {
  const Loaded& loaded = loaded_[package];
  const Executable& main = loaded.package->main();
  const std::uint64_t base = loaded.arenas[arena];
  for (const Layer& layer : main.inputs) {
    write_input(loaded, layer, base, inputs.at(std::string(*layer.name)));
  }
  program_ = linked(main, addresses(package, arena));
  ImageResult result;
  result.run = simulation_.run(program_, options);
  if (result.run.end != RunEnd::finished) return result;
  for (const Layer& layer : main.outputs) {
    result.outputs[std::string(*layer.name)] = read_output(loaded, layer, base);
  }
  return result;
}

}  // namespace tactus

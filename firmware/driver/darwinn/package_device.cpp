#include "firmware/driver/darwinn/package_device.h"

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

/// Bytes of a bank that 32-bit AXI addresses can reach.
constexpr std::uint64_t bank_bytes = std::uint64_t{1} << 32;

std::vector<std::uint8_t> whole_program(const Executable& executable) {
  std::vector<std::uint8_t> program;
  for (const darwinn::Chunk& chunk : executable.chunks) {
    program.insert(program.end(), chunk.code.begin(), chunk.code.end());
  }
  return program;
}

/// Layout of a layer in vectors: consecutive vectors, a row, hold the z of one element (y, x).
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
  std::size_t row = 0;  ///< bytes of a row, in whole vectors; `used` of them hold scalars
};

Tensor find(const std::vector<tcu::TensorEntry>& entries, std::string_view name) {
  std::vector<Tensor> all = tensors(entries);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Tensor& t) { return t.name == name; });
  if (found == all.end()) internal_error("no tensor {}", quote(name));
  return std::move(*found);
}

/// Start of each piece of a tensor, in vectors from the first piece. The pieces are consecutive if
/// the tensor has a buffer of its own; otherwise they have the distances of the model.
std::vector<std::uint64_t> places(const Tensor& tensor, bool based) {
  std::vector<std::uint64_t> starts;
  std::uint64_t size = 0;
  for (const tcu::TensorEntry& piece : tensor.pieces) {
    starts.push_back(based ? size : piece.base - tensor.pieces.front().base);
    size += piece.size;
  }
  return starts;
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
  // The layers in the package do not count the Configure instructions before the program.
  const tcu::InstructionLayout layout(model.file.arch);
  std::uint64_t ahead = 0;
  while (ahead < instructions &&
         tcu::decode(layout, model.program.data() + ahead * layout.instruction_bytes()).opcode ==
             static_cast<std::uint8_t>(tcu::Opcode::configure)) {
    ++ahead;
  }
  for (tcu::LayerEntry& layer : model.file.layers) layer.first += ahead;
  const bool fits = std::all_of(
      model.file.layers.begin(), model.file.layers.end(), [&](const tcu::LayerEntry& layer) {
        return layer.first <= instructions && layer.count <= instructions - layer.first;
      });
  if (!fits) model.file.layers.clear();
  return model;
}

std::vector<std::uint8_t> packaged_preload(const darwinn::File& file) {
  const Executable* const caching = file.package().caching();
  return caching != nullptr ? whole_program(*caching) : std::vector<std::uint8_t>();
}

PackageDevice::PackageDevice(TcuSimulation& simulation,
                             const std::vector<const darwinn::Package*>& packages, unsigned arenas)
    : simulation_(simulation), dram0_(0, bank_bytes), dram1_(0, bank_bytes) {
  for (const darwinn::Package* const package : packages) {
    const Executable& main = package->main();
    Loaded loaded{package,
                  darwinn::tcu_model(*package, "package"),
                  {},
                  darwinn::based_layers(main, darwinn::input),
                  darwinn::based_layers(main, darwinn::output),
                  {},
                  {}};
    for (unsigned i = 0; i < arenas; ++i) loaded.arenas.push_back(new_arena(loaded));
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

darwinn::Addresses PackageDevice::new_arena(const Loaded& loaded) {
  const Executable& main = loaded.package->main();
  const auto buffer = [&](std::int64_t bytes) {
    return dram0_.allocate(std::max(static_cast<std::uint64_t>(bytes), darwinn::tcu_block_bytes));
  };
  darwinn::Addresses arena;
  arena.scratch = buffer(main.scratch_bytes);
  const auto add =
      [&](const std::vector<Layer>& layers, const std::vector<tcu::TensorEntry>& entries,
          const std::set<std::string_view>& based, std::vector<std::vector<std::uint64_t>>& to) {
        for (const Layer& layer : layers) {
          to.push_back(
              {based.count(*layer.name) != 0
                   ? buffer(layer.padded_bytes())
                   : *arena.scratch + bytes_of(find(entries, *layer.name).pieces.front().base)});
        }
      };
  add(main.inputs, loaded.model.inputs, loaded.based_inputs, arena.inputs);
  add(main.outputs, loaded.model.outputs, loaded.based_outputs, arena.outputs);
  return arena;
}

std::uint64_t PackageDevice::bytes_of(std::uint64_t vectors) const {
  return vectors * simulation_.config().architecture.vector_bytes();
}

void PackageDevice::evict() {
  for (Loaded& loaded : loaded_) {
    if (loaded.cached) dram1_.release(*loaded.cached);
    loaded.cached.reset();
  }
}

std::vector<std::uint8_t> PackageDevice::linked(const Executable& executable,
                                                const darwinn::Addresses& addresses) const {
  // A tensor without a base of its own lies in the arena and needs no address; it may not start at
  // a block's beginning, as in_blocks() requires.
  darwinn::Addresses bases = addresses;
  const auto clear = [&](const std::vector<Layer>& layers, std::int16_t desc,
                         std::vector<std::vector<std::uint64_t>>& all) {
    const std::set<std::string_view> based = darwinn::based_layers(executable, desc);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (based.count(*layers[i].name) == 0) all[i] = {0};
    }
  };
  clear(executable.inputs, darwinn::input, bases.inputs);
  clear(executable.outputs, darwinn::output, bases.outputs);
  const darwinn::Addresses blocks = darwinn::in_blocks(std::move(bases));
  std::vector<std::uint8_t> program;
  for (std::size_t i = 0; i < executable.chunks.size(); ++i) {
    const std::vector<std::uint8_t> chunk = link(executable, i, blocks);
    program.insert(program.end(), chunk.begin(), chunk.end());
  }
  return program;
}

TcuRunResult PackageDevice::cache_parameters(std::size_t package, const TcuRunOptions& options) {
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

darwinn::Addresses PackageDevice::addresses(std::size_t package, std::size_t arena) const {
  const Loaded& loaded = loaded_[package];
  darwinn::Addresses addresses = loaded.arenas[arena];
  addresses.parameters = loaded.parameters ? loaded.parameters : loaded.cached;
  return addresses;
}

void PackageDevice::write_input(const Loaded& loaded, std::size_t index, std::uint64_t address,
                                std::vector<std::uint8_t> vectors) {
  const Layer& layer = loaded.package->main().inputs[index];
  const Lanes lanes(layer, simulation_.config().architecture);
  for (std::size_t i = 0; i < lanes.rows && (i + 1) * lanes.row <= vectors.size(); ++i) {
    std::fill_n(vectors.begin() + static_cast<std::ptrdiff_t>(i * lanes.row + lanes.used),
                lanes.row - lanes.used, std::uint8_t{0});
  }
  const Tensor tensor = find(loaded.model.inputs, *layer.name);
  const auto starts = places(tensor, loaded.based_inputs.count(*layer.name) != 0);
  const std::uint8_t* next = vectors.data();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::uint64_t bytes = bytes_of(tensor.pieces[i].size);
    simulation_.write_dram(0, address + bytes_of(starts[i]), next, bytes);
    next += bytes;
  }
}

/// Reads an output in the device's layout, converts it to the tensor, and that to whole vectors.
std::vector<std::uint8_t> PackageDevice::read_output(const Loaded& loaded, std::size_t index,
                                                     std::uint64_t address) {
  const Layer& layer = loaded.package->main().outputs[index];
  const Tensor pieces = find(loaded.model.outputs, *layer.name);
  const auto starts = places(pieces, loaded.based_outputs.count(*layer.name) != 0);
  std::vector<std::uint8_t> device;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto bytes =
        simulation_.read_dram(0, address + bytes_of(starts[i]), bytes_of(pieces.pieces[i].size));
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

ImageResult PackageDevice::run(std::size_t package, std::size_t arena, const TensorData& inputs,
                               const TcuRunOptions& options) {
  const Loaded& loaded = loaded_[package];
  const Executable& main = loaded.package->main();
  const darwinn::Addresses bound = addresses(package, arena);
  for (std::size_t i = 0; i < main.inputs.size(); ++i) {
    write_input(loaded, i, bound.inputs[i][0], inputs.at(std::string(*main.inputs[i].name)));
  }
  program_ = linked(main, bound);
  ImageResult result;
  result.run = simulation_.run(program_, options);
  if (result.run.end != RunEnd::finished) return result;
  for (std::size_t i = 0; i < main.outputs.size(); ++i) {
    result.outputs[std::string(*main.outputs[i].name)] =
        read_output(loaded, i, bound.outputs[i][0]);
  }
  return result;
}

}  // namespace tactus

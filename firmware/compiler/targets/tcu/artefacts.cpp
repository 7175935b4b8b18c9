// The compiled program as files, and tensors as the vectors that those programs read and write.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/model_tensors.h"
#include "firmware/onnx/writer.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/model_parts.h"

namespace tactus::compiler {
namespace {

/// Calls visit(position in memory in scalars, row-major index in the model) for each element.
template <typename Visit>
void for_each_element(const TensorLayout& layout, std::uint64_t n, Visit visit) {
  const std::size_t rank = layout.shape.size();
  if (rank == 0) {
    visit(0, 0);
    return;
  }
  std::vector<std::uint64_t> strides(rank, 1);
  for (std::size_t k = rank; k-- > 1;) {
    strides[k - 1] = strides[k] * static_cast<std::uint64_t>(layout.shape[k]);
  }
  const std::uint64_t lanes = layout.lanes();
  const std::uint64_t width = (lanes + n - 1) / n * n;
  const std::uint64_t rows = lanes == 0 ? 0 : layout.elements() / lanes;
  std::vector<std::int64_t> at(rank, 0);  // in memory order
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::uint64_t index = 0;
    for (std::size_t k = 0; k + 1 < rank; ++k) {
      index += static_cast<std::uint64_t>(at[k]) * strides[layout.order[k]];
    }
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
      visit(row * width + lane, index + lane * strides[layout.order.back()]);
    }
    for (std::size_t k = rank - 1; k-- > 0;) {
      if (++at[k] < layout.shape[layout.order[k]]) break;
      at[k] = 0;
    }
  }
}

/// Removes what it was told about, unless all went well.
class Cleanup {
 public:
  Cleanup() = default;
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;
  ~Cleanup() {
    // A link or a device of the user's stays.
    std::error_code ignored;
    for (const std::string& path : paths_) {
      const auto status = std::filesystem::symlink_status(path, ignored);
      if (std::filesystem::is_regular_file(status)) std::filesystem::remove(path, ignored);
    }
    for (const auto& folder : folders_) {
      if (std::filesystem::is_empty(folder, ignored)) std::filesystem::remove(folder, ignored);
    }
  }
  void add(const std::string& path) { paths_.push_back(path); }
  /// A folder that nothing else is in.
  void add_folder(const std::filesystem::path& path) { folders_.push_back(path); }
  void keep() {
    paths_.clear();
    folders_.clear();
  }

 private:
  std::vector<std::string> paths_;
  std::vector<std::filesystem::path> folders_;  ///< inner ones first
};

}  // namespace

std::uint64_t TensorLayout::elements() const {
  std::uint64_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

std::uint64_t TensorLayout::lanes() const {
  return order.empty() ? 1 : static_cast<std::uint64_t>(shape[order.back()]);
}

std::vector<float> to_lanes(const TensorLayout& layout, std::uint32_t array_size,
                            const std::vector<float>& values) {
  std::vector<float> lanes(layout.vectors * array_size, 0.0F);
  for_each_element(layout, array_size,
                   [&](std::uint64_t at, std::uint64_t index) { lanes[at] = values[index]; });
  return lanes;
}

std::vector<float> from_lanes(const TensorLayout& layout, std::uint32_t array_size,
                              const std::vector<float>& lanes) {
  std::vector<float> values(layout.elements());
  for_each_element(layout, array_size,
                   [&](std::uint64_t at, std::uint64_t index) { values[index] = lanes[at]; });
  return values;
}

std::vector<std::uint8_t> pack_tensor(const TensorLayout& layout,
                                      const tcu::Architecture& architecture,
                                      const std::vector<float>& values) {
  if (values.size() != layout.elements()) {
    user_error("{} values given for {}, which has shape [{}] and takes {}", values.size(),
               quote(layout.name), fmt::join(layout.shape, ","), layout.elements());
  }
  const std::uint64_t bytes = tcu::info(architecture.data_type).storage_bytes;
  std::vector<std::int64_t> unused;
  std::vector<std::uint8_t> image(layout.vectors * architecture.vector_bytes());
  const std::uint64_t mask = (std::uint64_t{1} << tcu::info(architecture.data_type).width_bits) - 1;
  for_each_element(layout, architecture.array_size, [&](std::uint64_t at, std::uint64_t index) {
    const std::uint64_t mantissa =
        static_cast<std::uint64_t>(tcu::quantise(architecture.data_type, values[index])) & mask;
    for (std::uint64_t b = 0; b < bytes; ++b) {
      image[at * bytes + b] = static_cast<std::uint8_t>(mantissa >> (8 * b));
    }
  });
  return image;
}

std::vector<float> unpack_tensor(const TensorLayout& layout, const tcu::Architecture& architecture,
                                 const std::vector<std::uint8_t>& image) {
  if (image.size() != layout.vectors * architecture.vector_bytes()) {
    user_error("{} bytes given for {}, which has {} vectors of {} bytes", image.size(),
               quote(layout.name), layout.vectors, architecture.vector_bytes());
  }
  const tcu::DataTypeInfo& type = tcu::info(architecture.data_type);
  std::vector<float> values(layout.elements());
  for_each_element(layout, architecture.array_size, [&](std::uint64_t at, std::uint64_t index) {
    std::uint64_t bits = 0;
    for (std::uint64_t b = 0; b < type.storage_bytes; ++b) {
      bits |= std::uint64_t{image[at * type.storage_bytes + b]} << (8 * b);
    }
    const std::uint64_t sign = std::uint64_t{1} << (type.width_bits - 1);
    const auto mantissa = static_cast<std::int64_t>(((bits & (2 * sign - 1)) ^ sign)) -
                          static_cast<std::int64_t>(sign);
    values[index] = static_cast<float>(tcu::to_real(architecture.data_type, mantissa));
  });
  return values;
}

std::string artefact_base_name(std::string_view model_path, std::string_view architecture_path) {
  const auto file_name = [](std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
  };
  std::string name;
  for (const char c : file_name(model_path)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = std::isalnum(byte) != 0 || c == ' ' || c == ':';
    name += kept ? c : '_';
  }
  const std::string_view architecture = file_name(architecture_path);
  const std::string end = "_" + std::string(architecture.substr(0, architecture.find('.')));
  // Longer ones, with an extension, are no names of files.
  constexpr std::size_t longest = 200;
  if (name.size() + end.size() > longest) name.resize(longest - std::min(longest, end.size()));
  return name + end;
}

tcu::ModelFile model_file(const Compiled& compiled, const std::string& base_name) {
  tcu::ModelFile model;
  model.name = base_name;
  model.prog = {base_name + ".tprog", compiled.program.size()};
  model.consts = {{base_name + ".tdata", 0, compiled.constant_vectors}};
  model.inputs = compiled.inputs;
  model.outputs = compiled.outputs;
  model.arch = compiled.architecture;
  model.load_consts_to_local = compiled.load_consts_to_local;
  model.resident = compiled.resident;
  model.batch = compiled.batch;
  if (compiled.compat) return model;
  model.board = compiled.board;
  for (const LayerInfo& layer : compiled.layers) {
    model.layers.push_back({{layer.name, layer.first_instruction, layer.instructions},
                            layer.predicted_cycles,
                            layer.bound_cycles,
                            layer.true_macs});
  }
  return model;
}

std::string write_artefacts(const Compiled& compiled, const std::string& directory,
                            const std::string& base_name) {
  std::error_code error;
  Cleanup cleanup;
  // Folders that are made for the files go with them.
  namespace fs = std::filesystem;
  for (fs::path at = fs::path(directory).lexically_normal();
       !at.empty() && fs::symlink_status(at, error).type() == fs::file_type::not_found;
       at = at.parent_path()) {
    cleanup.add_folder(at);
  }
  std::filesystem::create_directories(directory, error);
  if (error) user_error("{}: cannot make the directory: {}", directory, error.message());
  const std::string base = (std::filesystem::path(directory) / base_name).string();
  const auto write = [&](const char* extension, const auto& content) {
    const std::string path = base + extension;
    write_file_atomically(path, content);
    cleanup.add(path);
  };
  write(".tdata", compiled.constants);
  write(".tprog", compiled.program);
  if (!compiled.assembly.empty()) write(".tasm", compiled.assembly);
  if (!compiled.hir.empty()) write(".hir", compiled.hir);
  if (!compiled.lir.empty()) write(".lir", compiled.lir);
  if (!compiled.dot.empty()) write(".dot", compiled.dot);
  if (!compiled.compat) {
    HostFiles files;
    if (compiled.host_before) {
      write(".before.onnx", nn::write_graph(*compiled.host_before));
      files.before = base_name + ".before.onnx";
    }
    if (compiled.host) {
      write(".host.onnx", nn::write_graph(*compiled.host));
      files.after = base_name + ".host.onnx";
    }
    write(".tensors.json", to_json(tensors_of(compiled), files));
  }
  tcu::ModelFile model = model_file(compiled, base_name);
  // Files that the architecture and the board name become parts of the model, beside it.
  const auto copy = [&](std::string& name, const std::string& path, const std::string& part) {
    const std::string extension = "." + part + std::filesystem::path(path).extension().string();
    write(extension.c_str(), read_file(path));
    name = base_name + extension;
  };
  for (tcu::DaisBlockEntry& block : model.arch.dais_blocks) {
    copy(block.program, block.path, block.name);
  }
  int drams = 0;
  for (std::string* dram : tcu::dram_files(model)) {
    copy(*dram, *dram, fmt::format("ddr{}", ++drams));
  }
  tcu::write_model_file(base + ".tmodel", model);
  cleanup.keep();
  return base + ".tmodel";
}

}  // namespace tactus::compiler

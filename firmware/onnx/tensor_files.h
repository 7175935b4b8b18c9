// Single tensors as files: NumPy's .npy and .npz, ONNX's TensorProto .pb.
//
// Real numbers of any width are read as FLOAT, whole ones as INT64 (see Tensor). Little-endian
// arrays in C order only. Everything a file claims is checked against its bytes first; UserError
// names the file and what is allowed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

struct NamedTensor {
  std::string name;  ///< of the array in an archive, of the tensor in a .pb; may be empty
  Tensor tensor;
};

/// Whether the extension is one that read_tensor knows: .npy or .pb.
[[nodiscard]] bool is_tensor_file(std::string_view path);

/// By extension.
[[nodiscard]] NamedTensor read_tensor(const std::string& path);

/// All arrays of an .npz, stored or deflated, in the archive's order; names without ".npy".
[[nodiscard]] std::vector<NamedTensor> read_npz(const std::string& path);

/// By extension, in one step (see write_file_atomically). FLOAT and INT64.
void write_tensor(const std::string& path, const std::string& name, const Tensor& tensor);

}  // namespace tactus::nn

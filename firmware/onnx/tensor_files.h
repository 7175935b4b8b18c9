// Files with single tensors: NumPy's .npy and .npz, ONNX's TensorProto .pb.
//
// Real numbers of any width are read as FLOAT, integers as INT64 (see Tensor). Only little-endian
// arrays in C order are supported. Claims of a file are checked against its bytes first; UserError
// names the file and what is allowed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/onnx/graph.h"
#include "isa/support/array_file.h"

namespace tactus::nn {

struct NamedTensor {
  std::string name;  ///< name in the archive or .pb; may be empty
  Tensor tensor;
};

/// True if read_tensor() supports the extension: .npy or .pb.
[[nodiscard]] bool is_tensor_file(std::string_view path);

/// Reads a tensor; the extension tells the form.
[[nodiscard]] NamedTensor read_tensor(const std::string& path);
/// Does the same for a file that is already read, of form npy or pb.
[[nodiscard]] NamedTensor parse_tensor(const ArrayFile& file);

struct Numbers {
  Shape shape;
  std::vector<double> values;
};

/// The same values as doubles, which keep those of an f8.
[[nodiscard]] Numbers parse_numbers(const ArrayFile& file);

/// Bytes of the elements of an .npy, in their own type.
[[nodiscard]] std::vector<std::uint8_t> npy_bytes(const ArrayFile& file);

/// All arrays of an .npz, stored or deflated, in the archive's order; names without ".npy".
[[nodiscard]] std::vector<NamedTensor> read_npz(const std::string& path);

/// Writes a tensor; the extension tells the form. Replaces the file in one step (see
/// write_file_atomically). Elements have the tensor's type (type_of), but for BFLOAT16, which NumPy
/// lacks: an .npy has it as float32.
void write_tensor(const std::string& path, const std::string& name, const Tensor& tensor);

}  // namespace tactus::nn

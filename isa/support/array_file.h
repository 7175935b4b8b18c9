// Files with arrays of numbers, for every option that reads or writes one.
//
// The extension tells the form; the content tells that of a pipe, whose name says nothing. An
// option lists the forms that it takes, and all others are refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

enum class ArrayForm {
  csv,      ///< .csv: decimal numbers, a row on each line
  raw,      ///< .bin or .tdata: raw bytes of a known type
  bytes,    ///< .bin, .tdata, or a name without extension: raw bytes of any type
  doubles,  ///< .f64: raw little-endian doubles
  npy,      ///< .npy: an array of NumPy
  pb        ///< .pb: an ONNX TensorProto
};

struct ArrayFile {
  std::string path;
  ArrayForm form;
  std::vector<std::uint8_t> bytes;  ///< csv: UTF-8, perhaps with a byte order mark
};

/// Form of a file that is no pipe. Throws UserError "PATH: the name must end in ..." unless it is
/// among `allowed`.
[[nodiscard]] ArrayForm array_form(const std::string& path, const std::vector<ArrayForm>& allowed);

/// Reads a file of one of the forms. Throws UserError as array_form() and read_file() do.
[[nodiscard]] ArrayFile read_array_file(const std::string& path,
                                        const std::vector<ArrayForm>& allowed);

}  // namespace tactus

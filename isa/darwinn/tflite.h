// A TensorFlow Lite model that contains a package: finds the operator "edgetpu-custom-op" and
// extracts the package from its options, a FlexBuffer map.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/darwinn/package.h"
#include "isa/darwinn/refusal.h"

namespace tactus::darwinn {

/// A tensor that the operator reads or writes. Its members are views into the file.
struct TfliteTensor {
  std::string_view name;
  std::string type;  ///< "UINT8", ...
  IntView shape;
  View<float> scale;
  View<std::int64_t> zero_point;
};

/// The operator's options. Absent keys are not set.
struct OperatorOptions {
  std::optional<std::int64_t> data_version;          ///< key "1"
  std::optional<std::int64_t> execution_preference;  ///< key "5", for Android only
  std::optional<std::vector<std::int64_t>> chips;    ///< key "6"
  std::optional<std::size_t> further_packages;       ///< key "7"
  ByteView package;                                  ///< key "4"
};

struct TfliteModel {
  std::uint32_t version = 0;
  std::string_view description;
  std::size_t subgraphs = 0;
  /// number of operators of each name; the host runs the others
  std::map<std::string, std::size_t> operators;
  std::size_t subgraph = 0, operator_index = 0;  ///< position of the Edge TPU's operator
  std::int64_t options_offset = 0;               ///< offset in the file
  std::int64_t options_bytes = 0;
  int options_format = 0;
  std::vector<TfliteTensor> inputs, outputs;
  OperatorOptions options;
};

/// Name of an operator of TensorFlow Lite by its number, "CONV_2D"; "BUILTIN_n" for a new one.
[[nodiscard]] std::string builtin_operator_name(std::int32_t number);

/// Reads the options map. Throws PackageError (E_FLEX, E_MULTI_PKG); `file` stands for the file
/// name.
[[nodiscard]] OperatorOptions parse_options(ByteView flexbuffer, const std::string& file,
                                            std::vector<Warning>& warnings);

/// Reads a model. `bytes` must be aligned to 8 and outlive the result. Throws PackageError: E_TRUNC
/// for a broken FlatBuffer, E_TFL_NOOP, E_TFL_EXTOPT, and the errors of parse_options().
[[nodiscard]] TfliteModel parse_tflite(ByteView bytes, const std::string& file,
                                       std::vector<Warning>& warnings);

}  // namespace tactus::darwinn

// Numbers of ONNX's element types. Tensor keeps them as FLOAT or INT64.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

[[nodiscard]] float float_of_half(std::uint16_t bits);
[[nodiscard]] float float_of_brain(std::uint16_t bits);  ///< of BFLOAT16

/// True for FLOAT, DOUBLE, FLOAT16 and BFLOAT16.
[[nodiscard]] bool is_real_number(std::int64_t type);
/// True for INT8 to INT64, UINT8 to UINT32 and BOOL.
[[nodiscard]] bool is_whole_number(std::int64_t type);

/// ONNX's code of the tensor's element type.
[[nodiscard]] std::int32_t type_of(const Tensor& tensor);

/// NumPy's name of an element type with its byte order, such as "<f4"; empty for BFLOAT16, which
/// NumPy lacks.
[[nodiscard]] std::string numpy_type(std::int32_t type);
/// ONNX's code of NumPy's name without byte order, such as "f4"; 0: it has none.
[[nodiscard]] std::int32_t type_of_numpy(std::string_view name);

/// Wraps integers to the width of their type: 256 is 0 as UINT8. FLOAT and INT64 stay.
void wrap_integers(Tensor& tensor);

/// Rounds to the nearest number of a real type; an even last digit decides ties.
[[nodiscard]] float rounded_to(std::int32_t type, float value);

/// The tensor with elements of another type: real numbers are rounded to the nearest number of the
/// type; for whole numbers they saturate, and NaN becomes 0.
[[nodiscard]] Tensor as_type(const Tensor& tensor, std::int32_t type);

/// The elements, little-endian, as numbers of the tensor's own type.
[[nodiscard]] std::string raw_bytes_of(const Tensor& tensor);

}  // namespace tactus::nn

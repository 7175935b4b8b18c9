// Names of attribute kinds in messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Specialised for every type that an attribute of some format may have.
template <typename T>
inline constexpr std::string_view kind_name;
template <>
inline constexpr std::string_view kind_name<std::int64_t> = "an integer";
template <>
inline constexpr std::string_view kind_name<float> = "a float";
template <>
inline constexpr std::string_view kind_name<std::string> = "a text";
template <>
inline constexpr std::string_view kind_name<std::vector<std::int64_t>> = "a list of integers";
template <>
inline constexpr std::string_view kind_name<std::vector<float>> = "a list of floats";
template <>
inline constexpr std::string_view kind_name<std::vector<std::string>> = "a list of texts";
template <>
inline constexpr std::string_view kind_name<Tensor> = "a tensor";

}  // namespace tactus::nn

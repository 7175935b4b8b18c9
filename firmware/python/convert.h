// Converts between Python's objects and those of the library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <nlohmann/json.hpp>

#include "firmware/onnx/graph.h"
#include "isa/tcu/architecture.h"

namespace tactus::python {

namespace py = pybind11;

/// Converts JSON to the object that json.loads() would return.
[[nodiscard]] py::object to_python(const nlohmann::ordered_json& json);

/// Converts a tensor to a numpy array of its shape: float32, or int64 for whole numbers.
[[nodiscard]] py::array to_array(const nn::Tensor& tensor);

/// Converts an array of numbers to a tensor, of whole numbers if the array has such a type. Throws
/// UserError "WHERE: ...".
[[nodiscard]] nn::Tensor to_tensor(const py::object& values, const std::string& where);

/// Converts vectors in DRAM to an array of float64 with a row for each vector.
[[nodiscard]] py::array vectors_to_array(const std::vector<std::uint8_t>& bytes,
                                         const tcu::Architecture& architecture);

/// Converts an array with a row of array_size numbers for each vector to vectors in DRAM. Numbers
/// out of range saturate. Throws UserError "WHERE: ...".
[[nodiscard]] std::vector<std::uint8_t> array_to_vectors(const py::object& values,
                                                         const tcu::Architecture& architecture,
                                                         const std::string& where);

/// Returns a read-only array that shows a list of plain values without copying them. `owner` is the
/// Python object that keeps the list alive.
template <typename T>
[[nodiscard]] py::array_t<T> view_of(const std::vector<T>& values, const py::object& owner) {
  py::array_t<T> array(static_cast<py::ssize_t>(values.size()), values.data(), owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

}  // namespace tactus::python

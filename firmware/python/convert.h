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

/// Converts to the object that json.loads() would return.
[[nodiscard]] py::object to_python(const nlohmann::ordered_json& json);

/// Converts to a numpy array of the tensor's shape: float32, or int64.
[[nodiscard]] py::array to_array(const nn::Tensor& tensor);

/// Makes a tensor of an array of numbers; `where` is the subject of errors. Throws UserError.
[[nodiscard]] nn::Tensor to_tensor(const py::object& values, const std::string& where);

/// Vectors in DRAM as float64, one row a vector.
[[nodiscard]] py::array vectors_to_array(const std::vector<std::uint8_t>& bytes,
                                         const tcu::Architecture& architecture);

/// Converts an array of numbers, one row of array_size numbers per vector, to vectors in DRAM;
/// numbers out of range saturate. Throws UserError "WHERE: ...".
[[nodiscard]] std::vector<std::uint8_t> array_to_vectors(const py::object& values,
                                                         const tcu::Architecture& architecture,
                                                         const std::string& where);

/// A read-only view of a list of plain values without a copy; `owner` keeps them alive.
template <typename T>
[[nodiscard]] py::array_t<T> view_of(const std::vector<T>& values, const py::object& owner) {
  py::array_t<T> array(static_cast<py::ssize_t>(values.size()), values.data(), owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

}  // namespace tactus::python

#include "firmware/python/convert.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "firmware/onnx/number_types.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::python {
namespace {

/// Converts numbers of any type to T. Errors of numpy become UserErrors.
template <typename T>
py::array_t<T, py::array::c_style> numbers(const py::object& values, const std::string& where) {
  try {
    const auto array = py::array::ensure(values);
    if (array && std::string("biuf").find(array.dtype().kind()) != std::string::npos) {
      auto converted = py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(array);
      if (converted) return converted;
    }
  } catch (const py::error_already_set&) {  // NOLINT(bugprone-empty-catch)
    // The error is reported below.
  }
  PyErr_Clear();
  user_error(
      "{}: {} is no array of numbers; allowed: numpy arrays and nested lists of real numbers",
      where, std::string(py::str(py::type::of(values).attr("__name__"))));
}

std::string shape_text(const py::array& array) {
  return nn::to_string(nn::Shape(array.shape(), array.shape() + array.ndim()));
}

}  // namespace

py::object to_python(const nlohmann::ordered_json& json) {
  const std::string text = text_of_json(json);
  return py::module_::import("json").attr("loads")(text);
}

py::array to_array(const nn::Tensor& tensor) {
  const std::vector<py::ssize_t> shape(tensor.shape.begin(), tensor.shape.end());
  const std::string type = nn::numpy_type(nn::type_of(tensor));
  if (type.empty()) return py::array_t<float>(shape, tensor.floats.data());  // BFLOAT16
  const std::string bytes = nn::raw_bytes_of(tensor);
  return py::array(py::dtype(type), shape, bytes.data());
}

nn::Tensor to_tensor(const py::object& values, const std::string& where) {
  const auto tensor_of = [](const auto& array) {
    using T = std::decay_t<decltype(*array.data())>;
    return nn::Tensor::of(nn::Shape(array.shape(), array.shape() + array.ndim()),
                          std::vector<T>(array.data(), array.data() + array.size()));
  };
  const auto given = py::array::ensure(values);
  if (given && std::string("biu").find(given.dtype().kind()) != std::string::npos) {
    return tensor_of(numbers<std::int64_t>(given, where));
  }
  PyErr_Clear();
  return tensor_of(numbers<float>(values, where));
}

py::array vectors_to_array(const std::vector<std::uint8_t>& bytes,
                           const tcu::Architecture& architecture) {
  const tcu::DataType type = architecture.data_type;
  const std::size_t count = bytes.size() / info(type).storage_bytes;
  std::vector<std::uint8_t> lanes(bytes.size());
  tcu::vector_kernels(type).from_bytes(bytes.data(), lanes.data(), count);
  const auto columns = static_cast<py::ssize_t>(architecture.array_size);
  py::array_t<double> array({static_cast<py::ssize_t>(count) / columns, columns});
  for (std::size_t i = 0; i < count; ++i) {
    array.mutable_data()[i] = to_real(type, tcu::lane(type, lanes.data(), i));
  }
  return std::move(array);
}

std::vector<std::uint8_t> array_to_vectors(const py::object& values,
                                           const tcu::Architecture& architecture,
                                           const std::string& where) {
  const auto array = numbers<double>(values, where);
  if (array.ndim() != 2 || array.shape(1) != static_cast<py::ssize_t>(architecture.array_size)) {
    user_error("{}: has shape {}; allowed: [vectors,{}], a row for each vector", where,
               shape_text(array), architecture.array_size);
  }
  const tcu::DataType type = architecture.data_type;
  const auto count = static_cast<std::size_t>(array.size());
  const double one = 1.0 / to_real(type, 1);
  std::vector<std::uint8_t> lanes(count * info(type).storage_bytes), bytes(lanes.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double value = array.data()[i];
    if (std::isnan(value)) {
      user_error("{}: row {}, column {} is NaN; allowed are numbers", where,
                 i / architecture.array_size, i % architecture.array_size);
    }
    // A number that is exactly a mantissa is kept; any other is converted by the reference's rule.
    // Readers of files do the same.
    const double mantissa = value * one;
    const bool exact =
        mantissa ==
        static_cast<double>(static_cast<std::int64_t>(std::clamp(mantissa, -1e15, 1e15)));
    const auto clamped = static_cast<std::int64_t>(
        exact ? std::clamp(mantissa, static_cast<double>(info(type).min()),
                           static_cast<double>(info(type).max()))
              : 0);
    tcu::set_lane(type, lanes.data(), i,
                  exact ? clamped : tcu::quantise(type, static_cast<float>(value)));
  }
  tcu::vector_kernels(type).to_bytes(lanes.data(), bytes.data(), count);
  return bytes;
}

}  // namespace tactus::python

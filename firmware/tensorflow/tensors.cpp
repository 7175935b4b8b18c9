#include "firmware/tensorflow/tensors.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "firmware/tensorflow/graph_def.h"
#include "isa/support/error.h"

namespace tactus::tf {
namespace {

float half_to_float(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double value = std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 0) value = std::ldexp(fraction, -24);
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  }
  return static_cast<float>((bits & 0x8000) != 0 ? -value : value);
}

float brain_to_float(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

/// Reads elements from raw bytes, or from the type's list, which is extended with its last value.
class Elements {
 public:
  Elements(const proto::Tensor& message, std::int64_t count, const std::string& subject)
      : message_(message), count_(static_cast<std::size_t>(count)), subject_(subject) {}

  /// `Stored` is the element's type in raw bytes; `convert` makes a result from such an element or
  /// from a list element.
  template <typename Stored, typename Result, typename List, typename Convert>
  std::vector<Result> read(const List& list, Convert&& convert) const {
    std::vector<Result> result;
    const std::string& raw = message_.tensor_content();
    if (!raw.empty()) {
      if (!list.empty()) user_error("{}: has both raw and listed elements", subject_);
      if (raw.size() != count_ * sizeof(Stored)) {
        user_error("{}: has {} bytes of content, but its shape needs {}", subject_, raw.size(),
                   count_ * sizeof(Stored));
      }
      result.reserve(count_);
      for (std::size_t i = 0; i < count_; ++i) {
        Stored value{};
        std::memcpy(&value, raw.data() + i * sizeof value, sizeof value);
        result.push_back(convert(value));
      }
      return result;
    }
    const auto listed = static_cast<std::size_t>(list.size());
    if (listed > count_) {
      user_error("{}: has {} elements, but its shape needs {}", subject_, listed, count_);
    }
    if (listed < count_ && count_ > static_cast<std::size_t>(most_repeated_elements)) {
      user_error("{}: {} elements are to be made of {}; allowed are {}", subject_, count_, listed,
                 most_repeated_elements);
    }
    result.reserve(count_);
    for (const auto& value : list) result.push_back(convert(static_cast<Stored>(value)));
    // An empty list stands for zeroes.
    result.resize(count_, listed == 0 ? Result{} : Result{result.back()});
    return result;
  }

 private:
  const proto::Tensor& message_;
  std::size_t count_;
  const std::string& subject_;
};

template <typename Result, typename T>
Result plainly(T value) {
  return static_cast<Result>(value);
}

}  // namespace

nn::Tensor load_tensor(const proto::Tensor& message, const std::string& subject) {
  const std::optional<NumberType> type = number_type(message.dtype());
  if (!type) {
    user_error(
        "{}: elements are {}; supported are DT_FLOAT, DT_DOUBLE, DT_HALF, DT_BFLOAT16, DT_INT8 to "
        "DT_INT64, DT_UINT8 to DT_UINT32 and DT_BOOL",
        subject, name_of_type(message.dtype()));
  }
  nn::Tensor tensor;
  tensor.type = type->type;
  tensor.stored = type->stored;
  if (message.tensor_shape().unknown_rank()) user_error("{}: has no shape", subject);
  for (const auto& dim : message.tensor_shape().dim()) tensor.shape.push_back(dim.size());
  const Elements elements(message, nn::element_count(tensor.shape, subject), subject);
  const auto whole = [](auto value) { return static_cast<std::int64_t>(value); };
  switch (message.dtype()) {
    case tf_float:
      tensor.floats = elements.read<float, float>(message.float_val(), plainly<float, float>);
      break;
    case tf_double:
      tensor.floats = elements.read<double, float>(message.double_val(), plainly<float, double>);
      break;
    case tf_half:
      tensor.floats = elements.read<std::uint16_t, float>(message.half_val(), half_to_float);
      break;
    case tf_bfloat16:
      tensor.floats = elements.read<std::uint16_t, float>(message.half_val(), brain_to_float);
      break;
    case tf_int64:
      tensor.integers = elements.read<std::int64_t, std::int64_t>(message.int64_val(), whole);
      break;
    case tf_int32:
      tensor.integers = elements.read<std::int32_t, std::int64_t>(message.int_val(), whole);
      break;
    case tf_uint32:
      tensor.integers = elements.read<std::uint32_t, std::int64_t>(message.uint32_val(), whole);
      break;
    case tf_int16:
      tensor.integers = elements.read<std::int16_t, std::int64_t>(message.int_val(), whole);
      break;
    case tf_uint16:
      tensor.integers = elements.read<std::uint16_t, std::int64_t>(message.int_val(), whole);
      break;
    case tf_int8:
      tensor.integers = elements.read<std::int8_t, std::int64_t>(message.int_val(), whole);
      break;
    case tf_uint8:
      tensor.integers = elements.read<std::uint8_t, std::int64_t>(message.int_val(), whole);
      break;
    default:  // DT_BOOL
      tensor.integers = elements.read<std::uint8_t, std::int64_t>(
          message.bool_val(), [](std::uint8_t value) { return std::int64_t{value != 0}; });
  }
  return tensor;
}

void save_tensor(const nn::Tensor& tensor, proto::Tensor& message) {
  for (const std::int64_t size : tensor.shape) {
    message.mutable_tensor_shape()->add_dim()->set_size(size);
  }
  (void)message.mutable_tensor_shape();
  if (tensor.type == nn::ElementType::float32) {
    message.set_dtype(tf_float);
    message.set_tensor_content(tensor.floats.data(), tensor.floats.size() * sizeof(float));
    return;
  }
  // Integers are shapes and axes, which TensorFlow stores in 32 bits.
  message.set_dtype(tf_int32);
  for (const std::int64_t value : tensor.integers) {
    if (value < std::numeric_limits<std::int32_t>::min() ||
        value > std::numeric_limits<std::int32_t>::max()) {
      internal_error("a shape or axis of {} was to be written in 32 bits", value);
    }
    message.add_int_val(static_cast<std::int32_t>(value));
  }
}

}  // namespace tactus::tf

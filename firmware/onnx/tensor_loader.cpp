#include "firmware/onnx/tensor_loader.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>

#include "firmware/onnx/number_types.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/folders.h"
#include "isa/support/located.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

namespace fs = std::filesystem;

constexpr bool is_little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
static_assert(is_little_endian && std::numeric_limits<float>::is_iec559,
              "raw tensor data is copied as it is");

template <typename T>
std::vector<T> copied(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// Reads a decimal number of an external data entry.
std::uint64_t number(const std::string& text, std::string_view key, const std::string& subject) {
  if (const auto value = read_number<std::uint64_t>(text)) return *value;
  user_error("{}: external data {} is {}; a decimal number of bytes is allowed", subject, key,
             quote(text));
}

struct ExternalData {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

ExternalData external_entries(const onnx::TensorProto& proto, const std::string& subject) {
  ExternalData data;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") {
      data.location = entry.value();
    } else if (entry.key() == "offset") {
      data.offset = number(entry.value(), "offset", subject);
    } else if (entry.key() == "length") {
      data.length = number(entry.value(), "length", subject);
    } else if (entry.key() != "checksum") {  // optional in the standard, without a stated algorithm
      user_error(
          "{}: external data entry {} is unknown; allowed are location, offset, length, checksum",
          subject, quote(entry.key()));
    }
  }
  return data;
}

std::string external_bytes(const onnx::TensorProto& proto, std::uint64_t expected,
                           const std::string& subject, const std::string& file) {
  if (file.empty()) {
    user_error("{}: its data is in a side file, which is allowed only for models read from a file",
               subject);
  }
  const ExternalData data = external_entries(proto, subject);
  const std::string path =
      located(subject + ": external data", [&] { return resolve_part(file, data.location); });
  std::error_code error;
  const std::uint64_t file_bytes = fs::file_size(path, error);
  if (error) user_error("{}: {}: {}", subject, quote(path), error.message());
  if (data.offset > file_bytes || data.length.value_or(0) > file_bytes - data.offset) {
    user_error("{}: external data at offset {} goes beyond the end of {} ({} bytes)", subject,
               data.offset, quote(path), file_bytes);
  }
  const std::uint64_t length = data.length.value_or(file_bytes - data.offset);
  if (length != expected) {
    user_error("{}: external data has {} bytes, but the shape needs {}", subject, length, expected);
  }
  std::string bytes(static_cast<std::size_t>(length), '\0');
  note_input(path);
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(data.offset));
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(length))) {
    user_error("{}: {} cannot be read", subject, quote(path));
  }
  return bytes;
}

/// Bytes of an element in raw data; 0: type not supported.
std::size_t raw_bytes(std::int32_t type) {
  switch (type) {
    case onnx::TensorProto::BOOL:
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
      return 1;
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::UINT16:
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
      return 2;
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::UINT32:
      return 4;
    case onnx::TensorProto::DOUBLE:
    case onnx::TensorProto::INT64:
      return 8;
    default:
      return 0;
  }
}

/// Number of elements in the field for the type, and in all other fields.
struct FieldSizes {
  std::uint64_t own = 0;
  std::uint64_t foreign = 0;
};

FieldSizes field_sizes(const onnx::TensorProto& proto) {
  const auto all = static_cast<std::uint64_t>(proto.float_data_size()) +
                   static_cast<std::uint64_t>(proto.int32_data_size()) +
                   static_cast<std::uint64_t>(proto.int64_data_size()) +
                   static_cast<std::uint64_t>(proto.double_data_size()) +
                   static_cast<std::uint64_t>(proto.uint64_data_size()) +
                   static_cast<std::uint64_t>(proto.string_data_size());
  int own = proto.int32_data_size();
  if (proto.data_type() == onnx::TensorProto::FLOAT) own = proto.float_data_size();
  if (proto.data_type() == onnx::TensorProto::INT64) own = proto.int64_data_size();
  if (proto.data_type() == onnx::TensorProto::DOUBLE) own = proto.double_data_size();
  if (proto.data_type() == onnx::TensorProto::UINT32) own = proto.uint64_data_size();
  return {static_cast<std::uint64_t>(own), all - static_cast<std::uint64_t>(own)};
}

/// Raw bytes of all elements, from the message or a side file; empty if the elements are in a typed
/// field.
std::optional<std::string> raw_elements(const onnx::TensorProto& proto, const Shape& shape,
                                        const std::string& subject, const std::string& file) {
  const auto count = static_cast<std::uint64_t>(element_count(shape, subject));
  const std::uint64_t bytes = count * raw_bytes(proto.data_type());
  const std::uint64_t typed = field_sizes(proto).own;
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    if (proto.has_raw_data() || typed != 0) {
      user_error("{}: its data is both in the file and in a side file", subject);
    }
    return external_bytes(proto, bytes, subject, file);
  }
  if (proto.external_data_size() != 0) {
    user_error("{}: names a side file, but its data location is not EXTERNAL", subject);
  }
  if (proto.has_raw_data() && (typed == 0 || !proto.raw_data().empty())) {
    if (typed != 0) user_error("{}: has both raw and typed data", subject);
    if (proto.raw_data().size() != bytes) {
      user_error("{}: has {} bytes of raw data, but shape {} needs {}", subject,
                 proto.raw_data().size(), to_string(shape), bytes);
    }
    return proto.raw_data();
  }
  if (typed != count) {
    user_error("{}: has {} elements, but shape {} needs {}", subject, typed, to_string(shape),
               count);
  }
  return std::nullopt;
}

template <typename To, typename From>
std::vector<To> converted(const std::vector<From>& values) {
  return std::vector<To>(values.begin(), values.end());
}

template <typename From>
std::vector<float> converted_halves(const std::vector<From>& values,
                                    float (*convert)(std::uint16_t)) {
  std::vector<float> result;
  result.reserve(values.size());
  for (const From bits : values) result.push_back(convert(static_cast<std::uint16_t>(bits)));
  return result;
}

void set_from_raw(Tensor& tensor, std::int32_t type, const std::string& raw) {
  switch (type) {
    case onnx::TensorProto::FLOAT:
      tensor.floats = copied<float>(raw);
      break;
    case onnx::TensorProto::DOUBLE:
      tensor.floats = converted<float>(copied<double>(raw));
      break;
    case onnx::TensorProto::FLOAT16:
      tensor.floats = converted_halves(copied<std::uint16_t>(raw), float_of_half);
      break;
    case onnx::TensorProto::BFLOAT16:
      tensor.floats = converted_halves(copied<std::uint16_t>(raw), float_of_brain);
      break;
    case onnx::TensorProto::INT64:
      tensor.integers = copied<std::int64_t>(raw);
      break;
    case onnx::TensorProto::INT32:
      tensor.integers = converted<std::int64_t>(copied<std::int32_t>(raw));
      break;
    case onnx::TensorProto::UINT32:
      tensor.integers = converted<std::int64_t>(copied<std::uint32_t>(raw));
      break;
    case onnx::TensorProto::INT16:
      tensor.integers = converted<std::int64_t>(copied<std::int16_t>(raw));
      break;
    case onnx::TensorProto::UINT16:
      tensor.integers = converted<std::int64_t>(copied<std::uint16_t>(raw));
      break;
    case onnx::TensorProto::INT8:
      tensor.integers = converted<std::int64_t>(copied<std::int8_t>(raw));
      break;
    default:  // UINT8, BOOL
      tensor.integers = converted<std::int64_t>(copied<std::uint8_t>(raw));
  }
}

void set_from_fields(Tensor& tensor, const onnx::TensorProto& proto) {
  const auto list = [](const auto& field) {
    return std::vector<typename std::decay_t<decltype(field)>::value_type>(field.begin(),
                                                                           field.end());
  };
  switch (proto.data_type()) {
    case onnx::TensorProto::FLOAT:
      tensor.floats = list(proto.float_data());
      break;
    case onnx::TensorProto::DOUBLE:
      tensor.floats = converted<float>(list(proto.double_data()));
      break;
    case onnx::TensorProto::FLOAT16:
      tensor.floats = converted_halves(list(proto.int32_data()), float_of_half);
      break;
    case onnx::TensorProto::BFLOAT16:
      tensor.floats = converted_halves(list(proto.int32_data()), float_of_brain);
      break;
    case onnx::TensorProto::INT64:
      tensor.integers = converted<std::int64_t>(list(proto.int64_data()));
      break;
    case onnx::TensorProto::UINT32:
      tensor.integers = converted<std::int64_t>(list(proto.uint64_data()));
      break;
    default:
      tensor.integers = converted<std::int64_t>(list(proto.int32_data()));
  }
}

}  // namespace

namespace {

/// ONNX's codes of integers of 4 bits, which Debian's header does not name yet.
constexpr std::int32_t onnx_uint4 = 21, onnx_int4 = 22;

bool is_four_bits(std::int64_t type) { return type == onnx_uint4 || type == onnx_int4; }

/// Integers of 4 bits, two in a byte, as integers of 8 bits.
Tensor load_four_bits(const onnx::TensorProto& proto, const std::string& subject,
                      const std::string& file) {
  Tensor tensor;
  tensor.type = ElementType::int64;
  const bool is_signed = proto.data_type() == onnx_int4;
  tensor.stored = is_signed ? std::int32_t{onnx_int8} : std::int32_t{onnx_uint8};
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  const std::int64_t count = element_count(tensor.shape, subject);
  const auto bytes = static_cast<std::uint64_t>((count + 1) / 2);
  std::string raw = proto.raw_data();
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    raw = external_bytes(proto, bytes, subject, file);
  } else if (!proto.has_raw_data()) {
    for (const std::int32_t pair : proto.int32_data()) raw += static_cast<char>(pair & 0xFF);
  }
  if (raw.size() != bytes) {
    user_error("{}: has {} bytes of data, but shape {} needs {}", subject, raw.size(),
               to_string(tensor.shape), bytes);
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const auto pair = static_cast<unsigned char>(raw[static_cast<std::size_t>(k / 2)]);
    const int bits = k % 2 == 0 ? pair & 0xF : pair >> 4;
    tensor.integers.push_back(is_signed && bits > 7 ? bits - 16 : bits);
  }
  return tensor;
}

}  // namespace

ElementType load_element_type(std::int64_t type, const std::string& subject) {
  const auto number = static_cast<int>(type);
  const bool named = onnx::TensorProto::DataType_IsValid(number) && number == type;
  if (named && raw_bytes(number) != 0) {
    return is_real_number(number) ? ElementType::float32 : ElementType::int64;
  }
  user_error(
      "{}: element type {} is not supported; allowed are FLOAT, DOUBLE, FLOAT16, BFLOAT16, INT8 to "
      "INT64, UINT8 to UINT32 and BOOL",
      subject,
      named ? onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(number))
            : std::to_string(type));
}

std::int32_t stored_type(std::int64_t type) {
  const bool usual = type == onnx::TensorProto::FLOAT || type == onnx::TensorProto::INT64;
  return usual ? 0 : static_cast<std::int32_t>(type);
}

Tensor load_tensor(const onnx::TensorProto& proto, const std::string& subject,
                   const std::string& file) {
  if (is_four_bits(proto.data_type())) return load_four_bits(proto, subject, file);
  Tensor tensor;
  tensor.type = load_element_type(proto.data_type(), subject);
  tensor.stored = stored_type(proto.data_type());
  if (proto.has_segment()) user_error("{}: is cut into segments, which is not supported", subject);
  if (const std::uint64_t foreign = field_sizes(proto).foreign; foreign != 0) {
    user_error("{}: {} elements are in a field for another type than {}", subject, foreign,
               onnx::TensorProto::DataType_Name(
                   static_cast<onnx::TensorProto::DataType>(proto.data_type())));
  }
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  if (const auto raw = raw_elements(proto, tensor.shape, subject, file)) {
    set_from_raw(tensor, proto.data_type(), *raw);
  } else {
    set_from_fields(tensor, proto);
  }
  return tensor;
}

}  // namespace tactus::nn

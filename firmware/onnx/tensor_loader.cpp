#include "firmware/onnx/tensor_loader.h"

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

#include "isa/support/error.h"
#include "isa/support/file_guard.h"
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

/// A decimal number of an external data entry.
std::uint64_t number(const std::string& text, std::string_view key, const std::string& subject) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    user_error("{}: external data {} is {}; a decimal number of bytes is allowed", subject, key,
               quote(text));
  }
  return value;
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
    } else if (entry.key() != "checksum") {  // optional by the standard, and of no stated algorithm
      user_error(
          "{}: external data entry {} is unknown; allowed are location, offset, length, checksum",
          subject, quote(entry.key()));
    }
  }
  return data;
}

/// The side file, if it is a regular file that really (symbolic links followed) lies in `folder`.
fs::path side_file(const std::string& location, const std::string& subject,
                   const std::string& folder) {
  const fs::path name(location);
  bool climbs = name.empty() || name.is_absolute() || location.find('\0') != std::string::npos;
  for (const fs::path& part : name) climbs = climbs || part == "..";
  if (climbs) {
    user_error(
        "{}: external data is in {}; only a file in the model's folder or below it is allowed",
        subject, quote(location));
  }
  std::error_code error;
  const fs::path base = fs::canonical(folder, error);
  const fs::path file = error ? fs::path() : fs::canonical(base / name, error);
  if (error) {
    user_error("{}: external data file {}: {}", subject, quote((fs::path(folder) / name).string()),
               error.message());
  }
  const fs::path below = file.lexically_relative(base);
  if (below.empty() || *below.begin() == ".." || !fs::is_regular_file(file, error)) {
    user_error(
        "{}: external data file {} leads out of the model's folder or is no regular file; only a "
        "file in the model's folder or below it is allowed",
        subject, quote(file.string()));
  }
  return file;
}

std::string external_bytes(const onnx::TensorProto& proto, std::uint64_t expected,
                           const std::string& subject, const std::string& folder) {
  if (folder.empty()) {
    user_error("{}: its data is in a side file, which is allowed only for models read from a file",
               subject);
  }
  const ExternalData data = external_entries(proto, subject);
  const fs::path path = side_file(data.location, subject, folder);
  std::error_code error;
  const std::uint64_t file_bytes = fs::file_size(path, error);
  if (error) user_error("{}: {}: {}", subject, quote(path.string()), error.message());
  if (data.offset > file_bytes || data.length.value_or(0) > file_bytes - data.offset) {
    user_error("{}: external data at offset {} goes beyond the end of {} ({} bytes)", subject,
               data.offset, quote(path.string()), file_bytes);
  }
  const std::uint64_t length = data.length.value_or(file_bytes - data.offset);
  if (length != expected) {
    user_error("{}: external data has {} bytes, but the shape needs {}", subject, length, expected);
  }
  std::string bytes(static_cast<std::size_t>(length), '\0');
  note_input(path.string());
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(data.offset));
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(length))) {
    user_error("{}: {} cannot be read", subject, quote(path.string()));
  }
  return bytes;
}

/// Elements in the fields that no supported type uses.
int foreign_elements(const onnx::TensorProto& proto, ElementType type) {
  const int other =
      type == ElementType::float32 ? proto.int64_data_size() : proto.float_data_size();
  return other + proto.int32_data_size() + proto.string_data_size() + proto.double_data_size() +
         proto.uint64_data_size();
}

template <typename T, typename List>
std::vector<T> elements(const onnx::TensorProto& proto, const List& typed, const Shape& shape,
                        const std::string& subject, const std::string& folder) {
  const auto count = static_cast<std::uint64_t>(element_count(shape, subject));
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    if (proto.has_raw_data() || typed.size() != 0) {
      user_error("{}: its data is both in the file and in a side file", subject);
    }
    return copied<T>(external_bytes(proto, count * sizeof(T), subject, folder));
  }
  if (proto.external_data_size() != 0) {
    user_error("{}: names a side file, but its data location is not EXTERNAL", subject);
  }
  if (proto.has_raw_data() && (typed.size() == 0 || !proto.raw_data().empty())) {
    if (typed.size() != 0) user_error("{}: has both raw and typed data", subject);
    if (proto.raw_data().size() != count * sizeof(T)) {
      user_error("{}: has {} bytes of raw data, but shape {} needs {}", subject,
                 proto.raw_data().size(), to_string(shape), count * sizeof(T));
    }
    return copied<T>(proto.raw_data());
  }
  if (static_cast<std::uint64_t>(typed.size()) != count) {
    user_error("{}: has {} elements, but shape {} needs {}", subject, typed.size(),
               to_string(shape), count);
  }
  return std::vector<T>(typed.begin(), typed.end());
}

}  // namespace

ElementType load_element_type(std::int64_t type, const std::string& subject) {
  if (type == onnx::TensorProto::FLOAT) return ElementType::float32;
  if (type == onnx::TensorProto::INT64) return ElementType::int64;
  const auto number = static_cast<int>(type);
  const bool named = onnx::TensorProto::DataType_IsValid(number) && number == type;
  user_error(
      "{}: element type {} is not supported; allowed are FLOAT and INT64", subject,
      named ? onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(number))
            : std::to_string(type));
}

Tensor load_tensor(const onnx::TensorProto& proto, const std::string& subject,
                   const std::string& folder) {
  Tensor tensor;
  tensor.type = load_element_type(proto.data_type(), subject);
  if (proto.has_segment()) user_error("{}: is cut into segments, which is not supported", subject);
  if (const int foreign = foreign_elements(proto, tensor.type); foreign != 0) {
    user_error("{}: {} elements are in a field for another type than {}", subject, foreign,
               name_of(tensor.type));
  }
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  if (tensor.type == ElementType::float32) {
    tensor.floats = elements<float>(proto, proto.float_data(), tensor.shape, subject, folder);
  } else {
    tensor.integers =
        elements<std::int64_t>(proto, proto.int64_data(), tensor.shape, subject, folder);
  }
  return tensor;
}

}  // namespace tactus::nn

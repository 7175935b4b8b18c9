#include "firmware/onnx/tensor_files.h"

#include <charconv>
#include <cstdint>

#include <onnx/onnx_pb.h>
#include <zlib.h>

#include "firmware/onnx/number_types.h"
#include "firmware/onnx/tensor_loader.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// ---- .npy ---------------------------------------------------------------------------------------

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t k = count; k-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

/// Text behind `'key':` in the header's dictionary.
std::string_view entry(std::string_view header, std::string_view key, const std::string& where) {
  const std::size_t at = header.find(fmt::format("'{}'", key));
  const std::size_t colon = at == std::string_view::npos ? at : header.find(':', at);
  if (colon == std::string_view::npos) user_error("{}: the header has no {}", where, key);
  std::string_view rest = header.substr(colon + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

Shape shape_entry(std::string_view text, const std::string& where) {
  const std::size_t open = text.find('('), close = text.find(')');
  if (open != 0 || close == std::string_view::npos) user_error("{}: the shape is no tuple", where);
  Shape shape;
  std::string_view list = text.substr(1, close - 1);
  while (!list.empty()) {
    list.remove_prefix(std::min(list.find_first_not_of(" ,"), list.size()));
    if (list.empty()) break;
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), size);
    if (error != std::errc()) user_error("{}: the shape is not a list of sizes", where);
    list.remove_prefix(static_cast<std::size_t>(end - list.data()));
    shape.push_back(size);
  }
  return shape;
}

onnx::TensorProto read_npy(std::string_view bytes, const std::string& where) {
  constexpr std::string_view magic("\x93NUMPY", 6);
  if (bytes.size() < 10 || bytes.substr(0, 6) != magic) user_error("{}: is no .npy file", where);
  const std::size_t length_bytes = bytes[6] == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  if (bytes.size() < start) user_error("{}: is cut short", where);
  const std::uint64_t length = little_endian(bytes, 8, length_bytes);
  if (length > bytes.size() - start) user_error("{}: is cut short", where);
  const std::string_view header = bytes.substr(start, length);
  const std::string_view type = entry(header, "descr", where);
  const std::size_t quote_end = type.size() < 2 ? std::string_view::npos : type.find('\'', 1);
  if (type.empty() || type[0] != '\'' || quote_end == std::string_view::npos || quote_end < 3) {
    user_error("{}: the type is no simple one", where);
  }
  const std::string_view name = type.substr(2, quote_end - 2);
  if (type[1] == '>' || type_of_numpy(name) == 0) {
    user_error(
        "{}: type {} is not supported; allowed are little-endian f2, f4, f8, i1 to i8, u1 to u4 "
        "and "
        "b1",
        where, quote(type.substr(1, quote_end - 1)));
  }
  if (entry(header, "fortran_order", where).substr(0, 5) != "False") {
    user_error("{}: is in Fortran order; allowed is C order (numpy.ascontiguousarray)", where);
  }
  onnx::TensorProto proto;
  proto.set_data_type(type_of_numpy(name));
  for (const std::int64_t size : shape_entry(entry(header, "shape", where), where)) {
    proto.add_dims(size);
  }
  const std::string_view data = bytes.substr(start + length);
  proto.set_raw_data(data.data(), data.size());
  return proto;
}

/// The tensor of an .npy or .pb file as a message.
onnx::TensorProto message_of(const ArrayFile& file) {
  if (file.form == ArrayForm::npy) return read_npy(as_text(file.bytes), file.path);
  onnx::TensorProto proto;
  if (!proto.ParseFromArray(file.bytes.data(), static_cast<int>(file.bytes.size())) ||
      !proto.has_data_type()) {
    user_error("{}: is no ONNX tensor, or is cut short", file.path);
  }
  return proto;
}

Tensor parse_npy(std::string_view bytes, const std::string& where) {
  return load_tensor(read_npy(bytes, where), where, {});
}

std::string to_npy(const Tensor& given) {
  const std::string own_type = numpy_type(type_of(given));
  const Tensor tensor = own_type.empty() ? as_type(given, onnx_float) : given;
  std::string sizes;
  for (const std::int64_t size : tensor.shape) sizes += fmt::format("{}, ", size);
  if (tensor.shape.size() > 1) sizes.resize(sizes.size() - 2);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   numpy_type(type_of(tensor)), sizes);
  constexpr std::size_t alignment = 64, before = 10;
  header.append(alignment - (before + header.size() + 1) % alignment, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  return bytes + raw_bytes_of(tensor);
}

// ---- .npz ---------------------------------------------------------------------------------------

/// Inflates data of a zip archive, which states the size.
std::string inflated(std::string_view packed, std::uint64_t size, const std::string& where) {
  // Deflate reaches a factor of about 1000 at most.
  if (size > 2000 * (packed.size() + 100)) user_error("{}: states a size that cannot be", where);
  std::string bytes(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) internal_error("zlib cannot start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int end = inflate(&stream, Z_FINISH);
  const bool whole = end == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  if (!whole) user_error("{}: its compressed data is broken", where);
  return bytes;
}

/// Where the central directory of a zip archive begins and how many entries it has.
struct Directory {
  std::size_t at = 0, entries = 0;
};

Directory find_directory(std::string_view bytes, const std::string& path) {
  constexpr std::string_view signature("PK\x05\x06", 4);
  constexpr std::size_t record = 22;
  const std::size_t at = bytes.rfind(signature);
  if (at == std::string_view::npos || bytes.size() - at < record) {
    user_error("{}: is no .npz file, or is cut short", path);
  }
  return {static_cast<std::size_t>(little_endian(bytes, at + 16, 4)),
          static_cast<std::size_t>(little_endian(bytes, at + 10, 2))};
}

}  // namespace

bool is_tensor_file(std::string_view path) {
  return ends_with(path, ".npy") || ends_with(path, ".pb");
}

NamedTensor read_tensor(const std::string& path) {
  return parse_tensor(read_array_file(path, {ArrayForm::npy, ArrayForm::pb}));
}

NamedTensor parse_tensor(const ArrayFile& file) {
  const onnx::TensorProto proto = message_of(file);
  return {proto.name(), load_tensor(proto, file.path, {})};
}

Numbers parse_numbers(const ArrayFile& file) {
  const onnx::TensorProto proto = message_of(file);
  const Tensor tensor = load_tensor(proto, file.path, {});
  Numbers numbers{tensor.shape, {}};
  if (proto.data_type() == onnx::TensorProto::DOUBLE) {
    if (proto.has_raw_data()) {
      numbers.values.resize(tensor.floats.size());
      if (!numbers.values.empty()) {
        std::memcpy(numbers.values.data(), proto.raw_data().data(), proto.raw_data().size());
      }
    } else {
      numbers.values.assign(proto.double_data().begin(), proto.double_data().end());
    }
  } else if (tensor.type == ElementType::float32) {
    numbers.values.assign(tensor.floats.begin(), tensor.floats.end());
  } else {
    numbers.values.assign(tensor.integers.begin(), tensor.integers.end());
  }
  return numbers;
}

std::vector<std::uint8_t> npy_bytes(const ArrayFile& file) {
  const onnx::TensorProto proto = read_npy(as_text(file.bytes), file.path);
  (void)load_tensor(proto, file.path, {});  // checks the number of bytes
  const std::string& data = proto.raw_data();
  return {data.begin(), data.end()};
}

std::vector<NamedTensor> read_npz(const std::string& path) {
  const std::vector<std::uint8_t> file = read_file(path);
  const std::string_view bytes = as_text(file);
  const Directory directory = find_directory(bytes, path);
  std::vector<NamedTensor> tensors;
  std::size_t at = directory.at;
  for (std::size_t i = 0; i < directory.entries; ++i) {
    constexpr std::size_t entry_bytes = 46, local_bytes = 30;
    const auto broken = [&] { user_error("{}: entry {} of the archive is broken", path, i); };
    if (at > bytes.size() || bytes.size() - at < entry_bytes) broken();
    const auto field = [&](std::size_t offset, std::size_t count) {
      return static_cast<std::size_t>(little_endian(bytes, at + offset, count));
    };
    const std::size_t method = field(10, 2), packed = field(20, 4), size = field(24, 4);
    const std::size_t name_length = field(28, 2), local = field(42, 4);
    if (bytes.size() - at - entry_bytes < name_length) broken();
    std::string name(bytes.substr(at + entry_bytes, name_length));
    const std::string where = path + ": " + name;
    at += entry_bytes + name_length + field(30, 2) + field(32, 2);
    if (local > bytes.size() || bytes.size() - local < local_bytes) broken();
    const std::size_t data = local + local_bytes +
                             static_cast<std::size_t>(little_endian(bytes, local + 26, 2)) +
                             static_cast<std::size_t>(little_endian(bytes, local + 28, 2));
    if (data > bytes.size() || bytes.size() - data < packed) broken();
    if (method != 0 && method != 8) {
      user_error("{}: is packed by method {}; allowed are stored and deflated", where, method);
    }
    const std::string_view content = bytes.substr(data, packed);
    if (ends_with(name, ".npy")) name.resize(name.size() - 4);
    tensors.push_back({name, method == 0 ? parse_npy(content, where)
                                         : parse_npy(inflated(content, size, where), where)});
  }
  return tensors;
}

void write_tensor(const std::string& path, const std::string& name, const Tensor& tensor) {
  if (!ends_with(path, ".pb")) return write_file_atomically(path, to_npy(tensor));
  onnx::TensorProto proto;
  proto.set_name(name);
  for (const std::int64_t size : tensor.shape) proto.add_dims(size);
  proto.set_data_type(type_of(tensor));
  proto.set_raw_data(raw_bytes_of(tensor));
  write_file_atomically(path, proto.SerializeAsString());
}

}  // namespace tactus::nn

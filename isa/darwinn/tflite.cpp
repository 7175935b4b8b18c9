#include "isa/darwinn/tflite.h"

#include <array>

#include <flatbuffers/flexbuffers.h>

#include "isa/darwinn/flat.h"
#include "isa/darwinn/tflite_generated.h"
#include "isa/support/text.h"

namespace tactus::darwinn {
namespace {

constexpr std::string_view operator_name = "edgetpu-custom-op";
constexpr std::uint32_t tflite_schema = 3;  ///< version of the models' schema

/// Names of TensorFlow Lite's own operators by number, as its schema has them.
constexpr std::array<std::string_view, 162> builtin_names{"ADD",
                                                          "AVERAGE_POOL_2D",
                                                          "CONCATENATION",
                                                          "CONV_2D",
                                                          "DEPTHWISE_CONV_2D",
                                                          "DEPTH_TO_SPACE",
                                                          "DEQUANTIZE",
                                                          "EMBEDDING_LOOKUP",
                                                          "FLOOR",
                                                          "FULLY_CONNECTED",
                                                          "HASHTABLE_LOOKUP",
                                                          "L2_NORMALIZATION",
                                                          "L2_POOL_2D",
                                                          "LOCAL_RESPONSE_NORMALIZATION",
                                                          "LOGISTIC",
                                                          "LSH_PROJECTION",
                                                          "LSTM",
                                                          "MAX_POOL_2D",
                                                          "MUL",
                                                          "RELU",
                                                          "RELU_N1_TO_1",
                                                          "RELU6",
                                                          "RESHAPE",
                                                          "RESIZE_BILINEAR",
                                                          "RNN",
                                                          "SOFTMAX",
                                                          "SPACE_TO_DEPTH",
                                                          "SVDF",
                                                          "TANH",
                                                          "CONCAT_EMBEDDINGS",
                                                          "SKIP_GRAM",
                                                          "CALL",
                                                          "CUSTOM",
                                                          "EMBEDDING_LOOKUP_SPARSE",
                                                          "PAD",
                                                          "UNIDIRECTIONAL_SEQUENCE_RNN",
                                                          "GATHER",
                                                          "BATCH_TO_SPACE_ND",
                                                          "SPACE_TO_BATCH_ND",
                                                          "TRANSPOSE",
                                                          "MEAN",
                                                          "SUB",
                                                          "DIV",
                                                          "SQUEEZE",
                                                          "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                                          "STRIDED_SLICE",
                                                          "BIDIRECTIONAL_SEQUENCE_RNN",
                                                          "EXP",
                                                          "TOPK_V2",
                                                          "SPLIT",
                                                          "LOG_SOFTMAX",
                                                          "DELEGATE",
                                                          "BIDIRECTIONAL_SEQUENCE_LSTM",
                                                          "CAST",
                                                          "PRELU",
                                                          "MAXIMUM",
                                                          "ARG_MAX",
                                                          "MINIMUM",
                                                          "LESS",
                                                          "NEG",
                                                          "PADV2",
                                                          "GREATER",
                                                          "GREATER_EQUAL",
                                                          "LESS_EQUAL",
                                                          "SELECT",
                                                          "SLICE",
                                                          "SIN",
                                                          "TRANSPOSE_CONV",
                                                          "SPARSE_TO_DENSE",
                                                          "TILE",
                                                          "EXPAND_DIMS",
                                                          "EQUAL",
                                                          "NOT_EQUAL",
                                                          "LOG",
                                                          "SUM",
                                                          "SQRT",
                                                          "RSQRT",
                                                          "SHAPE",
                                                          "POW",
                                                          "ARG_MIN",
                                                          "FAKE_QUANT",
                                                          "REDUCE_PROD",
                                                          "REDUCE_MAX",
                                                          "PACK",
                                                          "LOGICAL_OR",
                                                          "ONE_HOT",
                                                          "LOGICAL_AND",
                                                          "LOGICAL_NOT",
                                                          "UNPACK",
                                                          "REDUCE_MIN",
                                                          "FLOOR_DIV",
                                                          "REDUCE_ANY",
                                                          "SQUARE",
                                                          "ZEROS_LIKE",
                                                          "FILL",
                                                          "FLOOR_MOD",
                                                          "RANGE",
                                                          "RESIZE_NEAREST_NEIGHBOR",
                                                          "LEAKY_RELU",
                                                          "SQUARED_DIFFERENCE",
                                                          "MIRROR_PAD",
                                                          "ABS",
                                                          "SPLIT_V",
                                                          "UNIQUE",
                                                          "CEIL",
                                                          "REVERSE_V2",
                                                          "ADD_N",
                                                          "GATHER_ND",
                                                          "COS",
                                                          "WHERE",
                                                          "RANK",
                                                          "ELU",
                                                          "REVERSE_SEQUENCE",
                                                          "MATRIX_DIAG",
                                                          "QUANTIZE",
                                                          "MATRIX_SET_DIAG",
                                                          "ROUND",
                                                          "HARD_SWISH",
                                                          "IF",
                                                          "WHILE",
                                                          "NON_MAX_SUPPRESSION_V4",
                                                          "NON_MAX_SUPPRESSION_V5",
                                                          "SCATTER_ND",
                                                          "SELECT_V2",
                                                          "DENSIFY",
                                                          "SEGMENT_SUM",
                                                          "BATCH_MATMUL",
                                                          "PLACEHOLDER_FOR_GREATER_OP_CODES",
                                                          "CUMSUM",
                                                          "CALL_ONCE",
                                                          "BROADCAST_TO",
                                                          "RFFT2D",
                                                          "CONV_3D",
                                                          "IMAG",
                                                          "REAL",
                                                          "COMPLEX_ABS",
                                                          "HASHTABLE",
                                                          "HASHTABLE_FIND",
                                                          "HASHTABLE_IMPORT",
                                                          "HASHTABLE_SIZE",
                                                          "REDUCE_ALL",
                                                          "CONV_3D_TRANSPOSE",
                                                          "VAR_HANDLE",
                                                          "READ_VARIABLE",
                                                          "ASSIGN_VARIABLE",
                                                          "BROADCAST_ARGS",
                                                          "RANDOM_STANDARD_NORMAL",
                                                          "BUCKETIZE",
                                                          "RANDOM_UNIFORM",
                                                          "MULTINOMIAL",
                                                          "GELU",
                                                          "DYNAMIC_UPDATE_SLICE",
                                                          "RELU_0_TO_1",
                                                          "UNSORTED_SEGMENT_PROD",
                                                          "UNSORTED_SEGMENT_MAX",
                                                          "UNSORTED_SEGMENT_SUM",
                                                          "ATAN2",
                                                          "UNSORTED_SEGMENT_MIN",
                                                          "SIGN",
                                                          "BITCAST",
                                                          "BITWISE_XOR",
                                                          "RIGHT_SHIFT"};

constexpr std::array<std::string_view, 11> tensor_types{"FLOAT32",   "FLOAT16", "INT32",  "UINT8",
                                                        "INT64",     "STRING",  "BOOL",   "INT16",
                                                        "COMPLEX64", "INT8",    "FLOAT64"};

constexpr int custom_code = 32;

std::string operator_text(const tfl::OperatorCode& code) {
  // Old files have only the field of one byte; the wider field is 0 in them.
  const int builtin = std::max<int>(code.deprecated_builtin_code(), code.builtin_code());
  if (builtin == custom_code) {
    return code.custom_code() == nullptr ? "CUSTOM" : printable(text_of(code.custom_code()));
  }
  return builtin_operator_name(builtin);
}

std::vector<TfliteTensor> tensors_of(const tfl::SubGraph& graph,
                                     const flatbuffers::Vector<std::int32_t>* indices,
                                     const std::string& file) {
  std::vector<TfliteTensor> tensors;
  for (const std::int32_t index : view_of(indices)) {
    if (index == -1) continue;  // an optional input that is absent
    if (graph.tensors() == nullptr || index < 0 ||
        static_cast<std::uint32_t>(index) >= graph.tensors()->size()) {
      refuse(Code::truncated, file, std::string(operator_name), "there is no tensor {}", index);
    }
    const tfl::Tensor& from = *graph.tensors()->Get(static_cast<std::uint32_t>(index));
    TfliteTensor tensor;
    tensor.name = text_of(from.name());
    // A number of 8 bits, and no character. NOLINTNEXTLINE(bugprone-signed-char-misuse)
    const auto type = static_cast<std::size_t>(from.type());
    tensor.type = from.type() >= 0 && type < tensor_types.size()
                      ? std::string(tensor_types[type])
                      : fmt::format("TYPE_{}", static_cast<int>(from.type()));
    tensor.shape = view_of(from.shape());
    if (from.quantization() != nullptr) {
      tensor.scale = view_of(from.quantization()->scale());
      tensor.zero_point = view_of(from.quantization()->zero_point());
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::optional<std::int64_t> whole(const flexbuffers::Map& map, const char* key,
                                  const std::string& file) {
  const flexbuffers::Reference value = map[key];
  if (value.IsNull()) return std::nullopt;
  if (!value.IsIntOrUint()) {
    refuse(Code::flexbuffer, file, "custom options", "key \"{}\" is no whole number", key);
  }
  return value.AsInt64();
}

/// Length of a FlexBuffer vector. A number or text may be in any of several kinds of vector.
std::optional<std::size_t> vector_size(const flexbuffers::Map& map, const char* key,
                                       const std::string& file) {
  const flexbuffers::Reference value = map[key];
  if (value.IsNull()) return std::nullopt;
  if (value.IsTypedVector()) return value.AsTypedVector().size();
  if (value.IsFixedTypedVector()) return value.AsFixedTypedVector().size();
  if (value.IsVector() && !value.IsMap()) return value.AsVector().size();
  refuse(Code::flexbuffer, file, "custom options", "key \"{}\" is no vector", key);
}

flexbuffers::Reference element(const flexbuffers::Reference& value, std::size_t index) {
  if (value.IsTypedVector()) return value.AsTypedVector()[index];
  if (value.IsFixedTypedVector()) return value.AsFixedTypedVector()[index];
  return value.AsVector()[index];
}

void read_chips(const flexbuffers::Map& map, OperatorOptions& options, const std::string& file) {
  const auto count = vector_size(map, "6", file);
  if (!count) return;
  if (*count == 0) {
    refuse(Code::flexbuffer, file, "custom options", "the vector of chips (key \"6\") is empty");
  }
  const std::size_t packages = 1 + options.further_packages.value_or(0);
  if (*count != packages) {
    refuse(Code::flexbuffer, file, "custom options",
           "{} chips (key \"6\") for {} packages (keys \"4\" and \"7\"); as many are allowed",
           *count, packages);
  }
  options.chips.emplace();
  for (std::size_t i = 0; i < *count; ++i) {
    const flexbuffers::Reference chip = element(map["6"], i);
    if (!chip.IsIntOrUint()) {
      refuse(Code::flexbuffer, file, "custom options", "chip {} (key \"6\") is no whole number", i);
    }
    options.chips->push_back(chip.AsInt64());
  }
}

}  // namespace

std::string builtin_operator_name(std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  return number >= 0 && index < builtin_names.size() ? std::string(builtin_names[index])
                                                     : fmt::format("BUILTIN_{}", number);
}

OperatorOptions parse_options(ByteView flexbuffer, const std::string& file,
                              std::vector<Warning>& warnings) {
  const std::string place = "custom options";
  // keeps the check's time linear in the size if values are shared
  std::vector<std::uint8_t> tracker;
  if (flexbuffer.size() < 3 ||
      !flexbuffers::VerifyBuffer(flexbuffer.data(), flexbuffer.size(), &tracker)) {
    refuse(Code::flexbuffer, file, place, "{} bytes that are no FlexBuffer", flexbuffer.size());
  }
  const flexbuffers::Reference root = flexbuffers::GetRoot(flexbuffer.data(), flexbuffer.size());
  if (!root.IsMap()) refuse(Code::flexbuffer, file, place, "the FlexBuffer is no map");
  const flexbuffers::Map map = root.AsMap();
  OperatorOptions options;
  const flexbuffers::Reference package = map["4"];
  if (!package.IsString() || package.AsString().length() == 0) {
    refuse(Code::flexbuffer, file, place, "key \"4\", the package, {}",
           package.IsNull()     ? "is missing"
           : package.IsString() ? "is empty"
                                : "is no string");
  }
  options.package = {reinterpret_cast<const std::uint8_t*>(package.AsString().c_str()),
                     package.AsString().length()};
  options.data_version = whole(map, "1", file);
  options.execution_preference = whole(map, "5", file);
  options.further_packages = vector_size(map, "7", file);
  read_chips(map, options, file);
  if (options.data_version.value_or(0) != 0) {
    warnings.push_back(
        {Code::version,
         fmt::format("{}: {}: {}: data version {} (key \"1\"); known is 0, and the options are "
                     "read as those of that version",
                     file, name(Code::version), place, *options.data_version)});
  }
  if (!map["3"].IsNull()) {
    warnings.push_back({Code::flexbuffer,
                        fmt::format("{}: {}: {}: key \"3\", a former parameter-caching executable, "
                                    "is ignored",
                                    file, name(Code::flexbuffer), place)});
  }
  if (options.further_packages.value_or(0) != 0) {
    refuse(Code::multi_package, file, place, "{} further packages (key \"7\"); allowed: none",
           *options.further_packages);
  }
  return options;
}

TfliteModel parse_tflite(ByteView bytes, const std::string& file, std::vector<Warning>& warnings) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<tfl::Model>(nullptr)) {
    refuse(Code::truncated, file, "TensorFlow Lite model",
           "{} bytes that are no sound FlatBuffer: cut off or damaged", bytes.size());
  }
  const tfl::Model& root = *flatbuffers::GetRoot<tfl::Model>(bytes.data());
  TfliteModel model;
  model.version = root.version();
  if (model.version != tflite_schema) {
    warnings.push_back(
        {Code::version,
         fmt::format(
             "{}: {}: TensorFlow Lite model: version {}; known is {}, and the model is read "
             "as one of that version",
             file, name(Code::version), model.version, tflite_schema)});
  }
  model.description = text_of(root.description());
  model.subgraphs = size_of(root.subgraphs());
  const auto codes = static_cast<std::uint32_t>(size_of(root.operator_codes()));
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < codes; ++i) {
    names.push_back(operator_text(*root.operator_codes()->Get(i)));
  }
  const tfl::Operator* found = nullptr;
  const tfl::SubGraph* graph = nullptr;
  for (std::uint32_t g = 0; g < model.subgraphs; ++g) {
    const tfl::SubGraph& one = *root.subgraphs()->Get(g);
    for (std::uint32_t i = 0; i < size_of(one.operators()); ++i) {
      const tfl::Operator& op = *one.operators()->Get(i);
      if (op.opcode_index() >= codes) {
        refuse(Code::truncated, file, fmt::format("subgraph {}, operator {}", g, i),
               "operator code {} of {}", op.opcode_index(), codes);
      }
      const std::string& text = names[op.opcode_index()];
      ++model.operators[text];
      if (text != operator_name) continue;
      if (found != nullptr) {
        refuse(Code::multi_package, file, fmt::format("subgraph {}, operator {}", g, i),
               "a second {}; one is allowed", operator_name);
      }
      found = &op;
      graph = &one;
      model.subgraph = g;
      model.operator_index = i;
    }
  }
  if (found == nullptr) {
    refuse(Code::tfl_no_operator, file, "",
           "there is no operator {}: not compiled for the Edge TPU", operator_name);
  }
  if (found->large_custom_options_offset() != 0 || found->large_custom_options_size() != 0) {
    refuse(Code::tfl_external_options, file, std::string(operator_name),
           "its options are outside the FlatBuffer (offset {}, {} bytes), which is not supported",
           found->large_custom_options_offset(), found->large_custom_options_size());
  }
  const ByteView options = view_of(found->custom_options());
  model.options_offset = options.empty() ? 0 : options.data() - bytes.data();
  model.options_bytes = static_cast<std::int64_t>(options.size());
  // A number of 8 bits, and no character. NOLINTNEXTLINE(bugprone-signed-char-misuse)
  model.options_format = found->custom_options_format();
  model.inputs = tensors_of(*graph, found->inputs(), file);
  model.outputs = tensors_of(*graph, found->outputs(), file);
  if (model.options_format != 0) {
    refuse(Code::flexbuffer, file, "custom options", "format {}; allowed: 0, FlexBuffers",
           model.options_format);
  }
  model.options = parse_options(options, file, warnings);
  return model;
}

}  // namespace tactus::darwinn

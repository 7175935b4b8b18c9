#include "firmware/tensorflow/lite/reader.h"

#include "firmware/tensorflow/lite/builder.h"
#include "isa/support/error.h"

namespace tactus::tf {
namespace {

constexpr std::uint32_t known_version = 3;
constexpr std::string_view edge_tpu = "edgetpu-custom-op";

/// Adds a node that the importer refuses: it knows where the graph can be cut.
void add_unsupported(lite::Builder& b) {
  const Output node = b.add(b.kind(), b.inputs());
  if (b.op().outputs() != nullptr && b.op().outputs()->size() == 1) return b.finish(node);
  b.finish_all(node);
}

}  // namespace

bool is_lite_model(const std::vector<std::uint8_t>& bytes) {
  constexpr std::size_t header = 8;
  return bytes.size() >= header && lite::ModelBufferHasIdentifier(bytes.data());
}

GraphDef read_lite_model(const std::vector<std::uint8_t>& bytes, const std::string& file) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!is_lite_model(bytes) || !lite::VerifyModelBuffer(verifier)) {
    user_error("{}: is no sound TensorFlow Lite model: cut off or damaged", file);
  }
  const lite::Model& model = *lite::GetModel(bytes.data());
  if (model.version() != known_version) {
    user_error("{}: is a TensorFlow Lite model of version {}; supported is {}", file,
               model.version(), known_version);
  }
  if (model.subgraphs() == nullptr || model.subgraphs()->size() == 0) {
    user_error("{}: the model has no subgraph", file);
  }
  const lite::SubGraph& graph = *model.subgraphs()->Get(0);
  lite::Builder builder(model, graph, bytes, file);
  builder.add_inputs();
  const std::uint32_t operators = graph.operators() == nullptr ? 0 : graph.operators()->size();
  for (std::uint32_t i = 0; i < operators; ++i) {
    builder.start(i);
    if (builder.kind() == edge_tpu) {
      user_error(
          "{}: operator {} is a package compiled for an Edge TPU (see `tactus darwinn`); supported "
          "is the model from before the Edge TPU compiler",
          file, i);
    }
    const lite::LiteOperator* const op = lite::find_lite_operator(builder.kind());
    if (op == nullptr) {
      add_unsupported(builder);
      continue;
    }
    if (builder.input_count() < op->least_inputs) {
      builder.fail("has {} inputs; it needs {}", builder.input_count(), op->least_inputs);
    }
    op->build(builder);
  }
  return builder.take();
}

}  // namespace tactus::tf

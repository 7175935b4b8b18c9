#include "tests/compiler/frontend/graphs.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "isa/tcu/instruction.h"
#include "tests/support/functional_model.h"

namespace tactus::compiler {
namespace {

std::uint32_t step(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  return state >> 8;
}

std::uint32_t dram_byte(const tcu::Architecture& a, std::uint64_t vector) {
  return static_cast<std::uint32_t>(vector * a.vector_bytes());
}

/// Returns the entries (pieces) of one tensor, sorted by base address.
std::vector<tcu::TensorEntry> pieces_of(const std::vector<tcu::TensorEntry>& entries,
                                        const std::string& name) {
  std::vector<tcu::TensorEntry> pieces;
  for (const tcu::TensorEntry& entry : entries) {
    if (entry.name == name) pieces.push_back(entry);
  }
  return pieces;
}

}  // namespace

GraphMaker::GraphMaker(std::int64_t opset) {
  graph.file = "test.onnx";
  graph.name = "test";
  graph.ir_version = 7;
  graph.opset = opset;
}

GraphMaker& GraphMaker::input(const std::string& name, const nn::Shape& shape) {
  nn::ValueInfo info;
  info.name = name;
  info.dims.emplace();
  for (const std::int64_t size : shape) {
    nn::Dimension dimension;
    if (size >= 0) dimension.size = size;
    info.dims->push_back(dimension);
  }
  graph.inputs.push_back(info);
  return *this;
}

GraphMaker& GraphMaker::constant(const std::string& name, nn::Tensor tensor) {
  graph.initializers[name] = std::move(tensor);
  return *this;
}

GraphMaker& GraphMaker::weights(const std::string& name, const nn::Shape& shape, float range) {
  nn::Tensor tensor = nn::Tensor::zeros(shape);
  for (float& value : tensor.floats) {
    value = (static_cast<float>(step(state_) % 257) / 128.0F - 1.0F) * range;
  }
  return constant(name, std::move(tensor));
}

GraphMaker& GraphMaker::node(const std::string& op, const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs, Attributes attributes) {
  nn::Node node;
  node.name = "n_" + outputs.front();
  node.op_type = op;
  node.inputs = inputs;
  node.outputs = outputs;
  node.attributes = std::move(attributes);
  node.file = graph.file;
  graph.nodes.push_back(std::move(node));
  return *this;
}

GraphMaker& GraphMaker::attention(const std::string& in, const std::string& out, std::int64_t width,
                                  float range) {
  for (const char* name : {"q", "k", "v"}) {
    const std::string matrix = std::string("w") + name;
    weights(matrix, {width, width}, range).node("MatMul", {in, matrix}, {name});
  }
  return node("Transpose", {"k"}, {"kt"}, {{"perm", Ints{0, 2, 1}}})
      .node("MatMul", {"q", "kt"}, {"scores"})
      .node("Softmax", {"scores"}, {"p"}, {{"axis", std::int64_t{-1}}})
      .node("MatMul", {"p", "v"}, {out});
}

GraphMaker& GraphMaker::output(const std::string& name) {
  nn::ValueInfo info;
  info.name = name;
  graph.outputs.push_back(info);
  return *this;
}

nn::Tensor floats(const nn::Shape& shape, std::vector<float> values) {
  return nn::Tensor::of(shape, std::move(values));
}

nn::Tensor integers(std::vector<std::int64_t> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return nn::Tensor::of({size}, std::move(values));
}

tcu::Architecture architecture(std::uint32_t array_size) {
  tcu::Architecture a;
  a.array_size = array_size;
  a.dram0_depth = a.dram1_depth = 65536;
  a.local_depth = a.accumulator_depth = 4096;
  return a;
}

std::map<std::string, std::vector<float>> run(
    const Compiled& compiled, const std::map<std::string, std::vector<float>>& inputs) {
  const tcu::Architecture& a = compiled.architecture;
  FunctionalModel machine(a);
  machine.dram(1).write(0, compiled.constants);
  if (compiled.load_consts_to_local && compiled.constant_vectors != 0) {
    const tcu::InstructionLayout layout(a);
    machine.run(tcu::encode_program(
        layout, {tcu::make_data_move(layout, tcu::DataMoveKind::dram1_to_local, {0, 0}, {0, 0},
                                     compiled.constant_vectors)}));
  }
  for (const TensorLayout& layout : compiled.input_layouts) {
    const std::vector<std::uint8_t> image = pack_tensor(layout, a, inputs.at(layout.name));
    std::size_t from = 0;
    for (const tcu::TensorEntry& piece : pieces_of(compiled.inputs, layout.name)) {
      const std::size_t count = piece.size * a.vector_bytes();
      machine.dram(0).write(dram_byte(a, piece.base),
                            {image.begin() + static_cast<std::ptrdiff_t>(from),
                             image.begin() + static_cast<std::ptrdiff_t>(from + count)});
      from += count;
    }
    EXPECT_EQ(from, image.size()) << layout.name;
  }
  machine.run(compiled.program);
  std::map<std::string, std::vector<float>> outputs;
  for (const TensorLayout& layout : compiled.output_layouts) {
    std::vector<std::uint8_t> image;
    for (const tcu::TensorEntry& piece : pieces_of(compiled.outputs, layout.name)) {
      for (std::uint64_t i = 0; i < piece.size * a.vector_bytes(); ++i) {
        image.push_back(
            machine.dram(0).read(dram_byte(a, piece.base) + static_cast<std::uint32_t>(i)));
      }
    }
    outputs[layout.name] = unpack_tensor(layout, a, image);
  }
  return outputs;
}

std::map<std::string, std::vector<float>> values_for(const Compiled& compiled, float range) {
  std::uint32_t state = 99;
  std::map<std::string, std::vector<float>> inputs;
  for (const TensorLayout& layout : compiled.input_layouts) {
    std::vector<float>& values = inputs[layout.name];
    for (std::uint64_t i = 0; i < layout.elements(); ++i) {
      const float sixteenths = static_cast<float>(static_cast<int>(step(state) % 33) - 16);
      values.push_back(sixteenths / 16.0F * range);
    }
  }
  return inputs;
}

std::string refusal(const nn::Graph& graph, std::uint32_t array_size, const Options& options) {
  try {
    (void)compile(graph, architecture(array_size), options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace tactus::compiler

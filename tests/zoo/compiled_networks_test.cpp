// Random small networks through compiler and simulated machine: outputs equal the fixed-point model
// bit for bit on random architectures and strategies, and the fixed-point model agrees with ONNX.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "tests/support/functional_model.h"
#include "tests/support/random_program.h"
#include "tests/support/test_scale.h"
#include "tests/zoo/fixed_point_model.h"
#include "tests/zoo/random_graph.h"
#include "tests/zoo/simulated.h"

namespace tactus::nn {
namespace {

struct Case {
  tcu::Architecture architecture;
  unsigned axi_data_bits = 0;
  compiler::Options options;
};

/// Returns a random case: any array size and data type, memories from too small to ample.
Case random_case(std::uint64_t seed) {
  tactus::Random random(seed);
  Case c;
  c.architecture = random_architecture(random, c.axi_data_bits);
  c.architecture.dram0_depth = c.architecture.dram1_depth = std::uint64_t{1} << 18;
  c.architecture.local_depth = random.range(200, 9000);
  c.architecture.accumulator_depth = random.range(16, 3000);
  c.options.strategy =
      random.pick({compiler::Strategy::local_isolated, compiler::Strategy::local_isolated,
                   compiler::Strategy::local_vars, compiler::Strategy::local_consts,
                   compiler::Strategy::local_vars_and_consts});
  c.options.value_bound = bound_for_one_sum(c.architecture.data_type);
  return c;
}

Model model_of(const compiler::Compiled& compiled) {
  Model model;
  model.path = "random";
  model.file.name = "random";
  model.file.arch = compiled.architecture;
  model.file.prog = {"random.tprog", compiled.program.size()};
  model.file.consts = {{"random.tdata", 0, compiled.constant_vectors}};
  model.file.inputs = compiled.inputs;
  model.file.outputs = compiled.outputs;
  model.file.load_consts_to_local = compiled.load_consts_to_local;
  model.program = compiled.program;
  model.constants = {compiled.constants};
  return model;
}

/// Returns the outputs of the simulated machine, in the graph's order of elements.
Values simulated(const compiler::Compiled& compiled, const Case& c, const Values& inputs) {
  const Model model = model_of(compiled);
  check_program(model.file.arch, model.program, "random", ProgramChecks::strict);
  expect_all_reads_written(model);
  TcuSimulationConfig config;
  config.architecture = c.architecture;
  config.axi_data_bits = c.axi_data_bits;
  TcuSimulation simulation(config);
  Host host(simulation, model, HostMode::plain);
  EXPECT_FALSE(host.prepare());
  TensorData data;
  for (const compiler::TensorLayout& layout : compiled.input_layouts) {
    data[layout.name] =
        compiler::pack_tensor(layout, c.architecture, inputs.at(layout.name).floats);
  }
  const ImageResult result = host.run_image(data, {});
  EXPECT_EQ(result.run.end, RunEnd::finished);
  Values outputs;
  for (const compiler::TensorLayout& layout : compiled.output_layouts) {
    outputs[layout.name] =
        Tensor::of(layout.shape,
                   compiler::unpack_tensor(layout, c.architecture, result.outputs.at(layout.name)));
  }
  return outputs;
}

/// Returns the outputs of an untimed interpreter. If they differ from the machine's, one of the
/// accumulators' hazards (hardware spec 8.1) has occurred.
Values interpreted(const compiler::Compiled& compiled, const Case& c, const Values& inputs) {
  FunctionalModel model(c.architecture);
  const std::uint64_t vector_bytes = c.architecture.vector_bytes();
  const auto write = [&](unsigned port, std::uint64_t vector,
                         const std::vector<std::uint8_t>& bytes) {
    model.dram(port).write(static_cast<std::uint32_t>(vector * vector_bytes), bytes);
  };
  write(1, 0, compiled.constants);
  if (compiled.load_consts_to_local && compiled.constant_vectors > 0) {
    const tcu::InstructionLayout layout(c.architecture);
    const auto program = tcu::encode_program(
        layout, {tcu::make_data_move(layout, tcu::DataMoveKind::dram1_to_local, {0, 0}, {0, 0},
                                     compiled.constant_vectors)});
    model.run(program);
  }
  for (const compiler::TensorLayout& layout : compiled.input_layouts) {
    const auto bytes = compiler::pack_tensor(layout, c.architecture, inputs.at(layout.name).floats);
    std::size_t at = 0;
    for (const tcu::TensorEntry& entry : compiled.inputs) {
      if (entry.name != layout.name) continue;
      const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      write(0, entry.base, {first, first + static_cast<std::ptrdiff_t>(entry.size * vector_bytes)});
      at += entry.size * vector_bytes;
    }
  }
  model.run(compiled.program);
  Values outputs;
  for (const compiler::TensorLayout& layout : compiled.output_layouts) {
    std::vector<std::uint8_t> bytes;
    for (const tcu::TensorEntry& entry : compiled.outputs) {
      if (entry.name != layout.name) continue;
      for (std::uint64_t i = 0; i < entry.size * vector_bytes; ++i) {
        bytes.push_back(
            model.dram(0).read(static_cast<std::uint32_t>(entry.base * vector_bytes + i)));
      }
    }
    outputs[layout.name] =
        Tensor::of(layout.shape, compiler::unpack_tensor(layout, c.architecture, bytes));
  }
  return outputs;
}

void expect_equal(const Tensor& actual, const Tensor& expected, const std::string& name) {
  ASSERT_EQ(actual.shape, expected.shape) << name;
  for (std::size_t i = 0; i < expected.floats.size(); ++i) {
    ASSERT_EQ(actual.floats[i], expected.floats[i]) << name << " at " << i;
  }
}

/// Describes the architecture and graph, so that a failure can be repeated.
std::string describe(const Case& c, const Graph& graph) {
  return fmt::format("{}\nstrategy {}, AXI {}\n{}", to_json(c.architecture),
                     static_cast<int>(c.options.strategy), c.axi_data_bits, describe(graph));
}

/// True if a network is refused because memory is too small.
bool is_for_lack_of_memory(const std::string& error) {
  return error.find("insufficient") != std::string::npos || error.rfind("out of ", 0) == 0;
}

/// Compares the outputs of a compiled network by the fixed-point model, the interpreter and the
/// machine. Returns the model's values.
FixedValues expect_bit_exact(const Graph& graph, const Case& c, const compiler::Compiled& compiled,
                             const Values& inputs) {
  const FixedPointModel model(c.architecture.data_type, c.architecture.array_size);
  FixedValues expected = model.run(graph, inputs);
  const Values in_order = interpreted(compiled, c, inputs);
  // A network that only renames its input has no instructions.
  const Values on_machine = compiled.instructions == 0 ? in_order : simulated(compiled, c, inputs);
  for (const ValueInfo& output : graph.outputs) {
    const Tensor values = to_real(c.architecture.data_type, expected.at(output.name));
    expect_equal(in_order.at(output.name), values, "interpreted " + output.name);
    expect_equal(on_machine.at(output.name), values, "on the machine " + output.name);
  }
  return expected;
}

/// Tests random networks on random architectures whose array size is in the range.
void expect_random_networks_bit_exact(std::uint64_t first, std::uint64_t count,
                                      std::uint32_t least_n, std::uint32_t most_n) {
  std::size_t compiled_count = 0, refused = 0;
  for (const std::uint64_t seed : test_seeds(first, count)) {
    const Graph graph = random_graph(seed);
    const Case c = random_case(seed);
    const std::uint32_t n = c.architecture.array_size;
    if (n < least_n || n > most_n) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(c, graph));
    compiler::Compiled compiled;
    try {
      compiled = compiler::compile(graph, c.architecture, c.options);
    } catch (const UserError& error) {
      ++refused;
      EXPECT_TRUE(is_for_lack_of_memory(error.what())) << error.what();
      continue;
    }
    ++compiled_count;
    static_cast<void>(expect_bit_exact(graph, c, compiled, random_inputs(graph, seed)));
    if (testing::Test::HasFailure()) return;  // the first failing seed is enough
  }
  // Some random memories are too small, but most networks must compile.
  if (compiled_count + refused >= 10) {
    EXPECT_GT(compiled_count, 4 * refused);
  }
}

TEST(CompiledNetworks, EqualTheFixedPointModelBitForBit) {
  expect_random_networks_bit_exact(1, 800, 4, 32);
}

/// If a block of weights has 2 or 3 rows, its LoadWeights does not separate two accumulating
/// products of one vector sufficiently (hardware spec 8.1).
TEST(CompiledNetworks, EqualTheFixedPointModelOnNarrowArrays) {
  expect_random_networks_bit_exact(1, 800, 2, 3);
}

// ---- the optimising compiler --------------------------------------------------------------------

double rms_of(const Tensor& actual, const Tensor& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < actual.floats.size(); ++i) {
    const double difference =
        static_cast<double>(actual.floats[i]) - static_cast<double>(expected.floats[i]);
    sum += difference * difference;
  }
  return std::sqrt(sum / static_cast<double>(actual.floats.size()));
}

/// Rounding differs from that of the strategies, but is not worse: errors against float are within
/// twice the strategies' errors plus some units of the last place. Machine and interpreter agree
/// bit for bit.
void expect_near_float(const Graph& graph, const Case& c, const compiler::Compiled& compiled,
                       const Values& inputs) {
  const tcu::DataTypeInfo& type = tcu::info(c.architecture.data_type);
  const double unit = std::ldexp(1.0, -static_cast<int>(type.binary_point));
  const FixedPointModel model(c.architecture.data_type, c.architecture.array_size);
  const FixedValues fixed = model.run(graph, inputs);
  const Values exact = run_reference(graph, inputs);
  const Values in_order = interpreted(compiled, c, inputs);
  const Values on_machine = simulated(compiled, c, inputs);
  for (const ValueInfo& output : graph.outputs) {
    expect_equal(on_machine.at(output.name), in_order.at(output.name), output.name);
    const Node* node = graph.producer(output.name);
    const bool host = node != nullptr && node->op_type == "Softmax";
    const Tensor& expected = exact.at(host ? node->inputs[0] : output.name);
    const Tensor usual = to_real(c.architecture.data_type, fixed.at(output.name));
    const double usual_error = rms_of(usual, expected);
    EXPECT_LT(rms_of(on_machine.at(output.name), expected), 2 * usual_error + 6 * unit)
        << output.name << ", by a strategy " << usual_error;
  }
}

TEST(OptimisedNetworks, AreAsNearFloatAsThoseOfTheStrategies) {
  std::size_t compiled_count = 0, refused = 0;
  for (const std::uint64_t seed : test_seeds(1, 600)) {
    const Graph graph = random_graph(seed);
    Case c = random_case(seed);
    c.options.optimise = true;
    c.options.quickest = false;
    c.options.effort = 1 + seed % 20;
    c.options.axi_data_bits = c.axi_data_bits;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(c, graph));
    compiler::Compiled compiled;
    try {
      compiled = compiler::compile(graph, c.architecture, c.options);
    } catch (const UserError& error) {
      ++refused;
      EXPECT_TRUE(is_for_lack_of_memory(error.what()) ||
                  std::string(error.what()).find("insufficient") != std::string::npos)
          << error.what();
      continue;
    }
    ++compiled_count;
    expect_near_float(graph, c, compiled, random_inputs(graph, seed));
    if (testing::Test::HasFailure()) return;  // the first failing seed is enough
  }
  EXPECT_GT(compiled_count, 8 * refused);
}

TEST(OptimisedNetworks, OfTheZooAreRightOnAllArchitectures) {
  for (const char* architecture : {"cmoda7", "pynqz1", "ultra96v2", "zcu104", "zcu104_uram"}) {
    for (const char* network : {"mlp", "cnn", "csp", "resnet20v2"}) {
      Case c;
      c.architecture = tcu::read_architecture(std::string(TACTUS_SOURCE_DIR "/configs/arch/") +
                                              architecture + ".tarch");
      // The network's weights do not fit this board's DRAM.
      if (std::string(architecture) == "cmoda7" && std::string(network) == "resnet20v2") continue;
      c.axi_data_bits = c.options.axi_data_bits = c.architecture.array_size < 16 ? 64 : 128;
      c.options.optimise = true;
      c.options.effort = 2;
      SCOPED_TRACE(std::string(network) + " on " + architecture);
      const Graph graph = zoo_entry(network).build(1).graph;
      const compiler::Compiled compiled = compiler::compile(graph, c.architecture, c.options);
      expect_near_float(graph, c, compiled, random_inputs(graph, 1));
    }
  }
}

struct Shipped {
  const char* network;
  const char* architecture;
  unsigned axi_data_bits;
  compiler::Strategy strategy;
  /// largest error relative to the size of a node's output, both as root mean squares
  double error;
};

void PrintTo(const Shipped& shipped, std::ostream* out) {
  *out << shipped.network << " on " << shipped.architecture << ", " << to_string(shipped.strategy);
}

class ShippedNetworks : public testing::TestWithParam<Shipped> {};

/// The zoo's networks on the shipped architectures, and the errors caused by rounding. With 8
/// fraction bits a weight has an error of about 2 %; the squares of such errors add up over layers.
TEST_P(ShippedNetworks, AreBitExactAndNearFloat) {
  const Shipped& shipped = GetParam();
  const Graph graph = zoo_entry(shipped.network).build(1).graph;
  Case c;
  c.architecture = tcu::read_architecture(std::string(TACTUS_SOURCE_DIR "/configs/arch/") +
                                          shipped.architecture + ".tarch");
  c.axi_data_bits = shipped.axi_data_bits;
  c.options.strategy = shipped.strategy;
  c.options.value_bound = bound_for_one_sum(c.architecture.data_type);
  const compiler::Compiled compiled = compiler::compile(graph, c.architecture, c.options);
  const Values inputs = random_inputs(graph, 1);
  const FixedValues fixed = expect_bit_exact(graph, c, compiled, inputs);

  const Values exact = run_reference(graph, inputs);
  for (const Node& node : graph.nodes) {
    if (node.op_type == "Softmax") continue;  // computed by the host
    for (const std::string& name : node.outputs) {
      const Tensor actual = to_real(c.architecture.data_type, fixed.at(name));
      double error = 0, size = 0;
      for (std::size_t i = 0; i < actual.floats.size(); ++i) {
        const auto value = static_cast<double>(exact.at(name).floats[i]);
        error += std::pow(static_cast<double>(actual.floats[i]) - value, 2);
        size += value * value;
      }
      EXPECT_LT(std::sqrt(error / size), shipped.error) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, ShippedNetworks,
    testing::Values(Shipped{"mlp", "cmoda7", 64, compiler::Strategy::local_isolated, 0.05},
                    Shipped{"mlp", "pynqz1", 64, compiler::Strategy::local_vars_and_consts, 0.05},
                    Shipped{"cnn", "cmoda7", 64, compiler::Strategy::local_vars, 0.05},
                    Shipped{"cnn", "artya7100t", 128, compiler::Strategy::local_isolated, 0.05},
                    Shipped{"cnn", "ultra96v2", 128, compiler::Strategy::local_consts, 0.05},
                    Shipped{"csp", "pynqz1", 64, compiler::Strategy::local_isolated, 0.05},
                    Shipped{"csp", "ultra96v2", 128, compiler::Strategy::local_vars, 0.05},
                    Shipped{"csp", "zcu104", 128, compiler::Strategy::local_vars_and_consts, 0.05},
                    Shipped{"resnet20v2", "zcu104", 128, compiler::Strategy::local_isolated, 0.12},
                    Shipped{"resnet20v2", "zcu104_uram", 128,
                            compiler::Strategy::local_vars_and_consts, 0.12}),
    [](const auto& test) {
      std::string name = fmt::format("{}_{}_{}", test.param.network, test.param.architecture,
                                     to_string(test.param.strategy));
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

/// With 16 fraction bits rounding is negligible, so the fixed-point model must agree with the
/// reference.
TEST(CompiledNetworks, TheFixedPointModelComputesWhatOnnxSays) {
  constexpr auto type = tcu::DataType::fp32bp16;
  for (const std::uint64_t seed : test_seeds(1, 400)) {
    const Graph graph = random_graph(seed);
    const Values inputs = random_inputs(graph, seed);
    const Values exact = run_reference(graph, inputs);
    const FixedValues fixed = FixedPointModel(type, 8).run(graph, inputs);
    for (const Node& node : graph.nodes) {
      if (node.op_type == "Softmax") continue;  // computed by the host
      for (const std::string& name : node.outputs) {
        const Tensor actual = to_real(type, fixed.at(name));
        const Tensor& expected = exact.at(name);
        ASSERT_EQ(actual.shape, expected.shape) << name << "\n" << describe(graph);
        for (std::size_t i = 0; i < expected.floats.size(); ++i) {
          ASSERT_NEAR(actual.floats[i], expected.floats[i], 0.02)
              << "seed " << seed << " " << name << " at " << i << "\n"
              << describe(graph);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tactus::nn

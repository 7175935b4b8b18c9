// Random layers on random machines: the compiled program computes what the HIR means.
//
// A case is a few layers that read each other's results, so that memory is given back and taken
// again. Programs run on the untimed reference interpreter.
#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "firmware/compiler/targets/tcu/program_builder.h"
#include "isa/support/error.h"
#include "isa/tcu/instruction.h"
#include "isa/tcu/layout.h"
#include "tests/compiler/scheduler/hir_evaluator.h"
#include "tests/support/functional_model.h"
#include "tests/support/random_program.h"
#include "tests/support/test_scale.h"

namespace tactus::compiler {

void PrintTo(Strategy strategy, std::ostream* out) { *out << to_string(strategy); }

namespace {

using hir::Kind;
using Vector = HirEvaluator::Vector;

tcu::Architecture random_architecture(Random& random) {
  tcu::Architecture a;
  a.data_type = random.pick({tcu::DataType::fp8bp4, tcu::DataType::fp16bp8, tcu::DataType::fp18bp10,
                             tcu::DataType::fp32bp16});
  a.array_size = static_cast<std::uint32_t>(random.range(2, 5));
  a.dram0_depth = random.range(150, 400);
  a.dram1_depth = random.range(300, 600);
  a.local_depth = random.range(60, 400);
  a.accumulator_depth = random.range(20, 200);
  a.simd_registers_depth = static_cast<std::uint32_t>(random.range(1, 3));
  a.stride0_depth = static_cast<std::uint32_t>(random.range(1, 4));
  a.stride1_depth = static_cast<std::uint32_t>(random.range(1, 4));
  return a;
}

/// Emits the same layers in every pass: all draws come from the seed.
class RandomLayers {
 public:
  RandomLayers(ProgramBuilder& builder, const tcu::Architecture& architecture, std::uint64_t seed)
      : builder_(builder),
        memory_(builder.memory()),
        a_(architecture),
        random_(seed),
        evaluator_(architecture.data_type, architecture.array_size) {}

  void emit() {
    inputs();
    const std::uint64_t layers = random_.range(1, 4);
    for (std::uint64_t i = 0; i < layers; ++i) {
      begin(fmt::format("layer{}", i));
      const bool last = i + 1 == layers;
      random_layer(last);
      if (!memory_.constants_only()) evaluator_.run(layer_);
      for (const std::string& name : saved_) {
        if (memory_.constants_only()) continue;
        std::vector<Vector>& values = results_[name];
        values.clear();
        for (const Address x : memory_.get(name).addresses) values.push_back(evaluator_.get(x));
      }
      builder_.add_layer(layer_);
    }
    builder_.add_outputs(outputs_);
  }

  [[nodiscard]] const std::map<std::string, std::vector<Vector>>& inputs_by_name() const {
    return input_values_;
  }
  [[nodiscard]] const std::vector<std::string>& outputs() const { return outputs_; }
  [[nodiscard]] const std::vector<Vector>& result(const std::string& name) const {
    return results_.at(name);
  }

 private:
  static constexpr std::uint64_t readings = 64;  ///< more than any object is read

  void inputs() {
    for (const char* name : {"x", "y"}) {
      const std::uint64_t count = random_.range(4, 24);
      const Object& object =
          memory_.allocate_input(name, {count * a_.array_size}, count, consumers(false));
      std::vector<Vector>& values = input_values_[name];
      values.clear();
      for (std::uint64_t i = 0; i < count; ++i) {
        values.push_back(random_vector());
        evaluator_.set(object.addresses[i], values.back());
      }
      objects_.emplace_back(name);
    }
    builder_.add_layer({"inputs", {}});
  }

  [[nodiscard]] Consumers consumers(bool output) const {
    return {std::vector<std::string>(readings, "reader"), output};
  }

  Vector random_vector() {
    const tcu::DataTypeInfo& type = tcu::info(a_.data_type);
    const std::int64_t bound = (std::int64_t{1} << type.binary_point) * 2;
    Vector out(a_.array_size);
    for (std::int64_t& lane : out) {
      lane =
          static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(2 * bound))) - bound;
    }
    return out;
  }

  void begin(const std::string& name) {
    layer_ = {name, {}};
    saved_.clear();
  }

  Addresses constant(std::uint64_t count) {
    std::vector<Vector> vectors;
    for (std::uint64_t i = 0; i < count; ++i) vectors.push_back(random_vector());
    const Addresses out =
        memory_
            .constant(fmt::format("c{}", constants_++), {count * a_.array_size}, count,
                      [&] {
                        std::vector<float> values;
                        for (const Vector& v : vectors) {
                          for (const std::int64_t lane : v) {
                            values.push_back(static_cast<float>(tcu::to_real(a_.data_type, lane)));
                          }
                        }
                        return values;
                      })
            .addresses;
    for (std::uint64_t i = 0; i < count; ++i) evaluator_.set(out[i], vectors[i]);
    return out;
  }

  /// Vectors of living objects, now and then of a constant.
  Addresses data(std::uint64_t count) {
    const std::string& name = objects_[random_.below(objects_.size())];
    const Addresses all = random_.chance(15) ? constant(3) : memory_.get(name).addresses;
    const std::uint64_t first = random_.below(all.size());
    const bool scattered = random_.chance(30);
    Addresses out;
    for (std::uint64_t i = 0; i < count; ++i) {
      out.push_back(all[(scattered ? random_.below(all.size()) : first + i) % all.size()]);
    }
    return out;
  }

  Addresses loaded(const Addresses& from) {
    const Addresses to = memory_.allocate_temp(from.size());
    layer_.add(Kind::load, {from}, to);
    return to;
  }

  Addresses mat_mul() {
    const auto blocks = static_cast<std::uint32_t>(random_.range(1, 3));
    const std::uint64_t pairs = random_.range(1, 8), calls = random_.range(1, 3);
    const Addresses out = memory_.allocate_temp(pairs * blocks);
    const auto input_blocks = static_cast<std::uint32_t>(random_.range(1, 2));
    Addresses weights;
    for (std::uint64_t call = 0; call < calls; ++call) {
      hir::MatMul m;
      m.input_blocks = input_blocks;
      m.output_blocks = blocks;
      const bool again = call > 0 && random_.chance(20);  // the same weights on other inputs
      if (!again) weights = constant(std::uint64_t{input_blocks} * a_.array_size * blocks);
      m.weights = weights;
      if (random_.chance(50)) m.bias = constant(blocks);
      m.inputs = data(pairs * input_blocks);
      for (std::uint64_t p = 0; p < pairs; ++p) {
        if (!random_.chance(25)) continue;
        for (std::uint64_t j = 0; j < input_blocks; ++j) {
          m.inputs[p * input_blocks + j] = Address::zeroes();
        }
      }
      m.outputs = out;
      layer_.add(std::move(m));
    }
    return out;
  }

  Addresses apply(Kind kind, std::vector<Addresses> inputs) {
    const Addresses to = memory_.allocate_temp(inputs.front().size());
    layer_.add(kind, std::move(inputs), to);
    return to;
  }

  /// One constant for all vectors of `like`.
  Addresses spread(const Addresses& like) {
    return Addresses(like.size(), loaded(constant(1)).front());
  }

  Addresses pool(const Addresses& t) {
    const std::uint64_t taps = random_.range(1, std::min<std::uint64_t>(4, t.size()));
    const std::uint64_t count = t.size() / taps;
    const bool overlapping = random_.chance(30);
    std::vector<Addresses> inputs(taps);
    for (std::uint64_t k = 0; k < taps; ++k) {
      for (std::uint64_t i = 0; i < count; ++i) {
        inputs[k].push_back(t[overlapping ? (i + k) % t.size() : i * taps + k]);
      }
    }
    const bool average = random_.chance(40);
    if (average) inputs.push_back(Addresses(count, loaded(constant(1)).front()));
    return apply(average ? Kind::average_pool : Kind::max_pool, std::move(inputs));
  }

  void save(const Addresses& t, bool output) {
    const std::string name = fmt::format("v{}", variables_++);
    const Object& object =
        memory_.allocate_variable(name, {t.size() * a_.array_size}, t.size(), consumers(output));
    layer_.add(Kind::save, {t}, object.addresses);
    saved_.push_back(name);
    fresh_.push_back(name);
    if (output) outputs_.push_back(name);
  }

  /// Kinds in the order of the spec, each or not.
  void random_layer(bool last) {
    fresh_.clear();
    Addresses t = random_.chance(70) ? mat_mul() : loaded(data(random_.range(1, 12)));
    const auto maybe_save = [&] {
      if (random_.chance(10)) save(t, random_.chance(30));
    };
    maybe_save();
    if (random_.chance(40)) t = apply(Kind::add, {t, data(t.size())}), maybe_save();
    if (random_.chance(20)) t = apply(Kind::subtract, {t, loaded(data(t.size()))});
    if (random_.chance(20)) t = apply(Kind::multiply, {spread(t), t});
    if (random_.chance(30)) t = apply(Kind::norm, {t, spread(t), spread(t)}), maybe_save();
    if (random_.chance(15)) {
      t = apply(Kind::interpolate, {t, spread(t), loaded(data(t.size())), spread(t)});
    }
    if (random_.chance(30)) t = apply(Kind::relu, {t}), maybe_save();
    if (random_.chance(10)) t = apply(Kind::softmax, {t});
    if (random_.chance(15)) t = apply(Kind::clip, {t, spread(t), spread(t)});
    if (random_.chance(15)) t = apply(Kind::leaky_relu, {t, spread(t)});
    if (random_.chance(30)) t = pool(t);
    save(t, last || random_.chance(20));
    retire();
    objects_.insert(objects_.end(), fresh_.begin(), fresh_.end());
  }

  /// Now and then nobody will read an object any more.
  void retire() {
    for (auto name = objects_.begin(); name != objects_.end();) {
      if (objects_.size() > 1 && random_.chance(40)) {
        for (std::uint64_t i = 0; i < readings; ++i) memory_.consume(*name, "reader");
        name = objects_.erase(name);
      } else {
        ++name;
      }
    }
  }

  ProgramBuilder& builder_;
  MemoryManager& memory_;
  const tcu::Architecture& a_;
  Random random_;
  HirEvaluator evaluator_;
  hir::Layer layer_;
  std::vector<std::string> objects_, saved_, fresh_, outputs_;
  std::map<std::string, std::vector<Vector>> input_values_, results_;
  std::uint64_t constants_ = 0, variables_ = 0;
};

void append(std::vector<std::uint8_t>& bytes, const tcu::DataTypeInfo& type, const Vector& vector) {
  for (const std::int64_t lane : vector) {
    const auto bits =
        static_cast<std::uint64_t>(lane) & ((std::uint64_t{1} << type.width_bits) - 1);
    for (unsigned b = 0; b < type.storage_bytes; ++b) {
      bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
    }
  }
}

/// The bytes of one name in DRAM0.
std::vector<std::uint8_t> read(const FunctionalModel& model, const tcu::Architecture& a,
                               const std::vector<tcu::TensorEntry>& entries,
                               const std::string& name) {
  std::vector<std::uint8_t> out;
  for (const tcu::TensorEntry& entry : entries) {
    if (entry.name != name) continue;
    for (std::uint64_t i = 0; i < entry.size * a.vector_bytes(); ++i) {
      out.push_back(
          model.dram(0).read(static_cast<std::uint32_t>(entry.base * a.vector_bytes() + i)));
    }
  }
  return out;
}

struct Tally {
  unsigned right = 0, partitioned = 0;
};

void check_seed(std::uint64_t seed, Strategy strategy, Tally& tally) {
  Random random(seed);
  const tcu::Architecture a = random_architecture(random);
  BuilderOptions options;
  options.strategy = strategy;
  options.compat = random.chance(50);
  ProgramBuilder builder(a, options);
  std::optional<RandomLayers> layers;
  try {
    for (unsigned pass = 0; pass < builder.passes(); ++pass) {
      builder.begin_pass();
      layers.emplace(builder, a, seed);
      layers->emit();
    }
  } catch (const UserError&) {
    return;  // the machine is too small
  }
  const CompiledProgram program = builder.finish();

  FunctionalModel model(a);
  for (const tcu::TensorEntry& entry : program.inputs) {
    std::vector<std::uint8_t> bytes;
    for (const Vector& v : layers->inputs_by_name().at(entry.name)) {
      append(bytes, tcu::info(a.data_type), v);
    }
    model.dram(0).write(static_cast<std::uint32_t>(entry.base * a.vector_bytes()), bytes);
  }
  model.dram(1).write(0, program.constants);
  if (program.load_constants_to_local && program.constants_count > 0) {
    const tcu::InstructionLayout layout(a);
    model.run(tcu::encode_program(
        layout, {tcu::make_data_move(layout, tcu::DataMoveKind::dram1_to_local, {0, 0}, {0, 0},
                                     program.constants_count)}));
  }
  model.run(program.program);
  for (const std::string& name : layers->outputs()) {
    std::vector<std::uint8_t> expected;
    for (const Vector& v : layers->result(name)) append(expected, tcu::info(a.data_type), v);
    EXPECT_EQ(read(model, a, program.outputs, name), expected)
        << "seed " << seed << ", " << to_string(strategy) << ", output " << name;
  }
  ++tally.right;
  for (const LayerStatistics& layer : program.layers) {
    if (layer.partitions > layer.stages) ++tally.partitioned;
    EXPECT_LE(layer.accumulators.maximum, a.accumulator_depth);
    EXPECT_LE(layer.local.maximum, a.local_depth);
  }
}

class RandomLayersTest : public testing::TestWithParam<Strategy> {};

TEST_P(RandomLayersTest, ProgramComputesWhatTheLayersMean) {
  Tally tally;
  const std::vector<std::uint64_t> seeds = test_seeds(1, 600);
  for (const std::uint64_t seed : seeds) {
    check_seed(seed, GetParam(), tally);
    if (HasFailure()) return;
  }
  // Machines are small on purpose; too small for all would show nothing. Few seeds say little.
  if (seeds.size() >= 600) {
    EXPECT_GT(tally.right, seeds.size() / 4);
    const bool isolated = GetParam() == Strategy::local_isolated;
    EXPECT_GE(tally.partitioned, isolated ? seeds.size() / 20 : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, RandomLayersTest,
                         testing::Values(Strategy::local_isolated, Strategy::local_vars,
                                         Strategy::local_consts, Strategy::local_vars_and_consts),
                         [](const auto& test) {
                           std::string name(to_string(test.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tactus::compiler

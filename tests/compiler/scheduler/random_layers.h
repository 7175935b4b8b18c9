// Random HIR layers that read each other's results, so that memory is freed and allocated again,
// and an interpreter that computes their results.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/memory/memory_manager.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/model_file.h"
#include "tests/compiler/interpreters/hir.h"
#include "tests/support/functional_model.h"
#include "tests/support/random_program.h"

namespace tactus::compiler {

using hir::Kind;
using Vector = hir::Lanes;  ///< mantissas

inline tcu::Architecture random_architecture(Random& random) {
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

/// Emits random layers. They are the same in every pass, since all random numbers come from the
/// seed.
class RandomLayers {
 public:
  /// Receives the layers. The first one is the empty layer of the inputs.
  using Sink = std::function<void(const hir::Layer&)>;

  /// With `plain`, data are small integers and halves. Then nothing is rounded or saturates in wide
  /// data types, unless exact() is false.
  RandomLayers(MemoryManager& memory, const tcu::Architecture& architecture, std::uint64_t seed,
               Sink sink, bool plain = false)
      : memory_(memory),
        sink_(std::move(sink)),
        a_(architecture),
        random_(seed),
        plain_(plain),
        evaluator_(hir::Arithmetic(architecture)),
        exact_evaluator_(hir::Arithmetic::real(architecture)) {}

  void emit() {
    inputs();
    const std::uint64_t layers = random_.range(1, 4);
    for (std::uint64_t i = 0; i < layers; ++i) {
      begin(fmt::format("layer{}", i));
      const bool last = i + 1 == layers;
      random_layer(last);
      if (!memory_.constants_only()) evaluator_.run(layer_);
      if (plain_) exact_evaluator_.run(layer_);
      for (const std::string& name : saved_) {
        if (memory_.constants_only()) continue;
        std::vector<Vector>& values = results_[name];
        values.clear();
        for (const Address x : memory_.get(name).addresses) {
          values.push_back(evaluator_.get(x));
          if (plain_) compare(values.back(), exact_evaluator_.get(x));
        }
      }
      sink_(layer_);
    }
  }

  [[nodiscard]] const std::map<std::string, std::vector<Vector>>& inputs_by_name() const {
    return input_values_;
  }
  [[nodiscard]] const std::vector<std::string>& outputs() const { return outputs_; }
  [[nodiscard]] const std::vector<Vector>& result(const std::string& name) const {
    return results_.at(name);
  }

  /// True if every stored vector has the value of real arithmetic, far from the ends of the data
  /// type's range.
  [[nodiscard]] bool exact() const { return exact_; }

 private:
  void compare(const Vector& mantissas, const Vector& reals) {
    const auto largest = static_cast<double>(tcu::info(a_.data_type).max());
    for (std::size_t lane = 0; lane < mantissas.size(); ++lane) {
      const double scaled =
          std::ldexp(reals[lane], static_cast<int>(tcu::info(a_.data_type).binary_point));
      exact_ = exact_ && scaled == mantissas[lane] && std::fabs(scaled) < largest / 64;
    }
  }
  void set(Address address, const Vector& value) {
    evaluator_.set(address, value);
    if (!plain_) return;
    Vector real;
    for (const double lane : value) {
      real.push_back(tcu::to_real(a_.data_type, static_cast<std::int64_t>(lane)));
    }
    exact_evaluator_.set(address, std::move(real));
  }

  static constexpr std::uint64_t readings = 64;  ///< uses of an object; no object is read so often

  void inputs() {
    for (const char* name : {"x", "y"}) {
      const std::uint64_t count = random_.range(4, 24);
      const Object& object =
          memory_.allocate_input(name, {count * a_.array_size}, count, consumers(false));
      std::vector<Vector>& values = input_values_[name];
      values.clear();
      for (std::uint64_t i = 0; i < count; ++i) {
        values.push_back(random_vector());
        set(object.addresses[i], values.back());
      }
      objects_.emplace_back(name);
    }
    sink_({"inputs", {}});
  }

  [[nodiscard]] Consumers consumers(bool output) const {
    return {std::vector<std::string>(readings, "reader"), output};
  }

  Vector random_vector() {
    const tcu::DataTypeInfo& type = tcu::info(a_.data_type);
    const std::int64_t bound = (std::int64_t{1} << type.binary_point) * 2;
    Vector out(a_.array_size);
    for (double& lane : out) {
      if (plain_) {
        lane = (static_cast<double>(random_.below(5)) - 2) * static_cast<double>(bound) / 4;
        continue;
      }
      lane = static_cast<double>(random_.below(static_cast<std::uint64_t>(2 * bound))) -
             static_cast<double>(bound);
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
    return constant(vectors);
  }

  Addresses constant(const std::vector<Vector>& vectors) {
    const std::uint64_t count = vectors.size();
    const Addresses out =
        memory_
            .constant(fmt::format("c{}", constants_++), {count * a_.array_size}, count,
                      [&] {
                        std::vector<float> values;
                        for (const Vector& v : vectors) {
                          for (const double lane : v) {
                            values.push_back(static_cast<float>(
                                tcu::to_real(a_.data_type, static_cast<std::int64_t>(lane))));
                          }
                        }
                        return values;
                      })
            .addresses;
    for (std::uint64_t i = 0; i < count; ++i) set(out[i], vectors[i]);
    return out;
  }

  /// Returns `count` vectors of live objects, sometimes of a constant.
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
      const bool again = call > 0 && random_.chance(20);  // same weights, other inputs
      if (!again) weights = constant(std::uint64_t{input_blocks} * a_.array_size * blocks);
      m.weights = weights;
      drop_blocks(m);
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

  /// Makes some blocks of the weights zero; such blocks are not stored.
  void drop_blocks(hir::MatMul& m) {
    for (std::size_t j = 0; j < m.input_blocks; ++j) {
      for (std::size_t b = 0; b < m.output_blocks; ++b) {
        if (!random_.chance(20)) continue;
        for (std::size_t row = j * a_.array_size; row < (j + 1) * a_.array_size; ++row) {
          m.weights[row * m.output_blocks + b] = Address::zeroes();
        }
      }
    }
  }

  Addresses apply(Kind kind, std::vector<Addresses> inputs) {
    const Addresses to = memory_.allocate_temp(inputs.front().size());
    layer_.add(kind, std::move(inputs), to);
    return to;
  }

  /// Uses one constant for all vectors of `like`.
  Addresses spread(const Addresses& like) {
    return Addresses(like.size(), loaded(constant(1)).front());
  }

  /// Returns an operand of random form: one constant for all vectors, different constants, or a
  /// computed operand.
  Addresses operand(const Addresses& like) {
    if (random_.chance(50)) return spread(like);
    return loaded(random_.chance(50) ? constant(like.size()) : data(like.size()));
  }

  /// Returns constants of at most 1.
  Addresses slopes(const Addresses& like) {
    const double one = std::ldexp(1.0, static_cast<int>(tcu::info(a_.data_type).binary_point));
    const bool same = random_.chance(40);
    const std::uint64_t count = same ? 1 : like.size();
    std::vector<Vector> vectors;
    for (std::uint64_t i = 0; i < count; ++i) {
      Vector vector = random_vector();
      for (double& lane : vector) lane = std::min(lane, one);
      vectors.push_back(std::move(vector));
    }
    const Addresses made = loaded(constant(vectors));
    return same ? Addresses(like.size(), made.front()) : made;
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
    const Kind extreme = random_.chance(60) ? Kind::max_pool : Kind::minimum;
    return apply(average ? Kind::average_pool : extreme, std::move(inputs));
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

  /// Emits a layer. Each kind of operation is included with some probability, in the order of the
  /// spec.
  void random_layer(bool last) {
    fresh_.clear();
    Addresses t = random_.chance(70) ? mat_mul() : loaded(data(random_.range(1, 12)));
    const auto maybe_save = [&] {
      if (random_.chance(10)) save(t, random_.chance(30));
    };
    maybe_save();
    if (random_.chance(40)) t = apply(Kind::add, {t, data(t.size())}), maybe_save();
    if (random_.chance(20)) t = apply(Kind::subtract, {t, loaded(data(t.size()))});
    if (random_.chance(20)) t = apply(Kind::multiply, {operand(t), t});
    if (random_.chance(30)) t = apply(Kind::norm, {t, operand(t), operand(t)}), maybe_save();
    if (random_.chance(15)) {
      t = apply(Kind::interpolate, {t, spread(t), loaded(data(t.size())), spread(t)});
    }
    if (random_.chance(30)) t = apply(Kind::relu, {t}), maybe_save();
    if (random_.chance(10)) t = apply(Kind::softmax, {t});
    if (random_.chance(15)) t = apply(Kind::clip, {t, operand(t), operand(t)});
    if (random_.chance(15)) t = apply(Kind::leaky_relu, {t, slopes(t)});
    if (random_.chance(15)) t = apply(Kind::minimum, {t, operand(t)});
    if (random_.chance(15)) t = apply(Kind::max_pool, {operand(t), t});
    if (random_.chance(30)) t = pool(t);
    save(t, last || random_.chance(20));
    retire();
    objects_.insert(objects_.end(), fresh_.begin(), fresh_.end());
  }

  /// Ends the life of some objects.
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

  MemoryManager& memory_;
  Sink sink_;
  const tcu::Architecture& a_;
  Random random_;
  bool plain_ = false, exact_ = true;
  hir::Interpreter evaluator_, exact_evaluator_;
  hir::Layer layer_;
  std::vector<std::string> objects_, saved_, fresh_, outputs_;
  std::map<std::string, std::vector<Vector>> input_values_, results_;
  std::uint64_t constants_ = 0, variables_ = 0;
};

inline void append(std::vector<std::uint8_t>& bytes, const tcu::DataTypeInfo& type,
                   const Vector& vector) {
  for (const double lane : vector) {
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(lane)) &
                      ((std::uint64_t{1} << type.width_bits) - 1);
    for (unsigned b = 0; b < type.storage_bytes; ++b) {
      bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
    }
  }
}

/// Returns the bytes of a tensor in DRAM0.
inline std::vector<std::uint8_t> read(const FunctionalModel& model, const tcu::Architecture& a,
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

}  // namespace tactus::compiler

// A small frontend for tests: builds HIR layers on activations that are stored as NHWC vectors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/compiler/targets/tcu/program_builder.h"

namespace tactus::compiler {

/// An activation: height * width pixels of `blocks` vectors.
struct Shape {
  std::uint64_t height = 1, width = 1, blocks = 1;
  [[nodiscard]] std::uint64_t count() const { return height * width * blocks; }
};

/// Builds layers. Every step reads the temporary that the previous step wrote.
class Net {
 public:
  explicit Net(ProgramBuilder& builder, std::uint32_t array_size)
      : builder_(builder), memory_(builder.memory()), n_(array_size) {}

  [[nodiscard]] MemoryManager& memory() { return memory_; }

  void begin(const std::string& name) { layer_ = {name, {}}; }
  void end() { builder_.add_layer(layer_); }
  [[nodiscard]] hir::Layer& layer() { return layer_; }

  void input(const std::string& name, Shape shape, const std::vector<std::string>& consumers) {
    begin("inputs");
    memory_.allocate_input(name, {shape.count() * n_}, shape.count(), {consumers, false});
    end();
  }

  /// Adds a convolution with a square kernel and a SAME padding of (kernel - 1) / 2.
  Shape conv(const std::string& input, const std::string& consumer, Shape in,
             const std::string& weights, const std::string& bias, std::uint64_t kernel,
             std::uint64_t stride, std::uint64_t blocks) {
    const std::uint64_t pad = (kernel - 1) / 2;
    const Shape out = {(in.height + 2 * pad - kernel) / stride + 1,
                       (in.width + 2 * pad - kernel) / stride + 1, blocks};
    const Addresses from = memory_.consume(input, consumer).addresses;
    const Addresses biases = bias.empty() ? Addresses() : constant(bias, blocks);
    const Addresses w = constant(weights, kernel * kernel * in.blocks * n_ * blocks);
    temp_ = memory_.allocate_temp(out.count());
    for (std::uint64_t ky = 0; ky < kernel; ++ky) {
      for (std::uint64_t kx = 0; kx < kernel; ++kx) {
        hir::MatMul m;
        m.input_blocks = static_cast<std::uint32_t>(in.blocks);
        m.output_blocks = static_cast<std::uint32_t>(blocks);
        const std::uint64_t size = in.blocks * n_ * blocks;
        const std::uint64_t begin = (ky * kernel + kx) * size;
        m.weights = part(w, begin, size);
        if (ky + kx == 0) m.bias = biases;
        for (std::uint64_t y = 0; y < out.height; ++y) {
          for (std::uint64_t x = 0; x < out.width; ++x) {
            const std::uint64_t iy = y * stride + ky - pad, ix = x * stride + kx - pad;
            const bool real = iy < in.height && ix < in.width;
            for (std::uint64_t b = 0; b < in.blocks; ++b) {
              m.inputs.push_back(real ? from[(iy * in.width + ix) * in.blocks + b]
                                      : Address::zeroes());
            }
          }
        }
        m.outputs = temp_;
        m.true_macs = size * n_;
        layer_.add(std::move(m));
      }
    }
    return out;
  }

  void load(const std::string& input, const std::string& consumer) {
    const Addresses from = memory_.consume(input, consumer).addresses;
    temp_ = memory_.allocate_temp(from.size());
    layer_.add(hir::Kind::load, {from}, temp_);
  }
  void add(const std::string& input, const std::string& consumer) {
    step(hir::Kind::add, {memory_.consume(input, consumer).addresses});
  }
  /// Adds a normalisation. Each of `blocks` has one scale and one offset vector, used for all
  /// pixels.
  void norm(const std::string& scale, const std::string& offset, std::uint64_t blocks) {
    const Addresses s = load_constant(scale, blocks), o = load_constant(offset, blocks);
    step(hir::Kind::norm, {repeat(s), repeat(o)});
  }
  void relu() { step(hir::Kind::relu, {}); }
  void softmax() { step(hir::Kind::softmax, {}); }

  /// Adds an average over all pixels.
  Shape average_all(Shape in, const std::string& multiplier) {
    const Addresses m = load_constant(multiplier, 1);
    std::vector<Addresses> taps;
    for (std::uint64_t p = 0; p < in.height * in.width; ++p) {
      taps.push_back(part(temp_, p * in.blocks, in.blocks));
    }
    taps.push_back(Addresses(in.blocks, m.front()));
    temp_ = memory_.allocate_temp(in.blocks);
    layer_.add(hir::Kind::average_pool, std::move(taps), temp_);
    return {1, 1, in.blocks};
  }

  void save(const std::string& name, const Consumers& consumers) {
    const Object& to =
        memory_.allocate_variable(name, {temp_.size() * n_}, temp_.size(), consumers);
    layer_.add(hir::Kind::save, {temp_}, to.addresses);
  }

  /// Adds a constant with varying values, small enough that sums stay in range.
  Addresses constant(const std::string& name, std::uint64_t count) {
    return memory_
        .constant(name, {count * n_}, count,
                  [&] {
                    std::vector<float> values(count * n_);
                    for (std::size_t i = 0; i < values.size(); ++i) {
                      values[i] = static_cast<float>(static_cast<int>(i * 37 % 41) - 20) / 64.0F;
                    }
                    return values;
                  })
        .addresses;
  }

 private:
  static Addresses part(const Addresses& all, std::uint64_t begin, std::uint64_t count) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }
  Addresses load_constant(const std::string& name, std::uint64_t count) {
    const Addresses from = constant(name, count);
    Addresses to = memory_.allocate_temp(count);
    layer_.add(hir::Kind::load, {from}, to);
    return to;
  }
  /// Repeats `blocks` until it has the length of the current temporary.
  [[nodiscard]] Addresses repeat(const Addresses& blocks) const {
    Addresses out;
    for (std::size_t i = 0; i < temp_.size(); ++i) out.push_back(blocks[i % blocks.size()]);
    return out;
  }
  void step(hir::Kind kind, std::vector<Addresses> more) {
    more.insert(more.begin(), temp_);
    temp_ = memory_.allocate_temp(temp_.size());
    layer_.add(kind, std::move(more), temp_);
  }

  ProgramBuilder& builder_;
  MemoryManager& memory_;
  std::uint64_t n_;
  hir::Layer layer_;
  Addresses temp_;
};

}  // namespace tactus::compiler

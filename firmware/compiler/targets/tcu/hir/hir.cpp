#include "firmware/compiler/targets/tcu/hir/hir.h"

#include <string_view>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/hir/kinds.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler::hir {
namespace {

bool is_stored(Address a) { return a.is(Tag::local) || a.is(Tag::dram0) || a.is(Tag::dram1); }

/// Whether operand `k` is data in memory rather than a temp.
bool operand_fits(Kind kind, std::size_t k, Address address) {
  if (kind == Kind::load || (kind == Kind::add && k == 1)) return is_stored(address);
  if (kind == Kind::save) return address.is(Tag::temp) || address.is(Tag::local);
  return address.is(Tag::temp);
}

bool output_fits(Kind kind, Address address) {
  return kind == Kind::save ? address.is(Tag::dram0) || address.is(Tag::local)
                            : address.is(Tag::temp);
}

class Checker {
 public:
  Checker(const Layer& layer, std::uint32_t array_size) : layer_(layer), array_size_(array_size) {}

  void operator()(const MatMul& m) const {
    const std::size_t rows = std::size_t{m.input_blocks} * array_size_;
    if (m.input_blocks == 0 || m.output_blocks == 0) fail("mat_mul without blocks");
    if (m.weights.size() != rows * m.output_blocks) fail("mat_mul: number of weight vectors");
    if (!m.bias.empty() && m.bias.size() != m.output_blocks) fail("mat_mul: number of biases");
    if (m.outputs.size() % m.output_blocks != 0 || m.inputs.size() != m.pairs() * m.input_blocks) {
      fail("mat_mul: number of inputs and outputs");
    }
    for (const Address a : m.weights) {
      require(is_stored(a) || a.is(Tag::zeroes), "mat_mul weight", a);
    }
    for (const Address a : m.bias) require(is_stored(a), "mat_mul bias", a);
    for (const Address a : m.inputs) {
      require(is_stored(a) || a.is(Tag::zeroes), "mat_mul input", a);
    }
    for (const Address a : m.outputs) require(a.is(Tag::temp), "mat_mul output", a);
  }

  void operator()(const VectorOperation& o) const {
    if (!takes(o.kind, o.inputs.size())) {
      fail(fmt::format("{} with {} operands", to_string(o.kind), o.inputs.size()));
    }
    for (std::size_t k = 0; k < o.inputs.size(); ++k) {
      if (o.inputs[k].size() != o.outputs.size()) {
        fail(fmt::format("{}: operand {} has {} vectors, the output {}", to_string(o.kind), k,
                         o.inputs[k].size(), o.outputs.size()));
      }
      for (const Address a : o.inputs[k]) {
        require(operand_fits(o.kind, k, a), to_string(o.kind), a);
      }
    }
    for (const Address a : o.outputs) require(output_fits(o.kind, a), to_string(o.kind), a);
    if (o.tables.empty() != (o.kind != Kind::lookup) || o.tables.size() % 2 != 0) {
      fail(fmt::format("{} with {} vectors of tables", to_string(o.kind), o.tables.size()));
    }
    for (const Address a : o.tables) require(is_stored(a), "table", a);
  }

 private:
  void require(bool holds, std::string_view what, Address address) const {
    if (!holds) fail(fmt::format("{}: {} cannot be used there", what, to_string(address)));
  }
  [[noreturn]] void fail(const std::string& what) const {
    internal_error("layer {}: {}", quote(layer_.name), what);
  }

  const Layer& layer_;
  std::uint32_t array_size_;
};

}  // namespace

bool takes(Kind kind, std::size_t count) {
  const KindInfo& row = info(kind);
  return count >= row.least && count <= row.most && (count - row.least) % row.step == 0;
}

bool MatMul::is_zero(std::size_t input_block, std::size_t output_block,
                     std::size_t array_size) const {
  for (std::size_t row = 0; row < array_size; ++row) {
    const std::size_t at = (input_block * array_size + row) * output_blocks + output_block;
    if (!weights[at].is(Tag::zeroes)) return false;
  }
  return true;
}

std::size_t MatMul::block_with_bias(std::size_t output_block, std::size_t array_size) const {
  for (std::size_t j = input_blocks; j-- > 0;) {
    if (!is_zero(j, output_block, array_size)) return j;
  }
  return input_blocks - 1;
}

std::string_view to_string(Kind kind) { return info(kind).name; }

void check(const Layer& layer, std::uint32_t array_size) {
  const Checker checker(layer, array_size);
  for (const Operation& operation : layer.operations) std::visit(checker, operation);
}

void dump(const Layer& layer, std::ostream& out) {
  out << "layer " << quote(layer.name) << '\n';
  for (const Operation& operation : layer.operations) {
    if (const auto* m = std::get_if<MatMul>(&operation)) {
      out << fmt::format("  mat_mul {} pairs of {} -> {} blocks\n    weights {}\n", m->pairs(),
                         m->input_blocks, m->output_blocks, to_string(m->weights));
      if (!m->bias.empty()) out << "    bias " << to_string(m->bias) << '\n';
      out << "    inputs " << to_string(m->inputs) << "\n    -> " << to_string(m->outputs) << '\n';
    } else {
      const auto& o = std::get<VectorOperation>(operation);
      out << "  " << to_string(o.kind) << " of " << o.outputs.size() << '\n';
      for (const Addresses& input : o.inputs) out << "    " << to_string(input) << '\n';
      if (!o.tables.empty()) out << "    tables " << to_string(o.tables) << '\n';
      out << "    -> " << to_string(o.outputs) << '\n';
    }
  }
}

}  // namespace tactus::compiler::hir

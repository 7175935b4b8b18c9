// Rearrangements as HIR: tensors made of elements of other tensors, given the source of each
// element.
//
// An output vector that equals an input vector lane for lane is shared and needs no code. Every
// other output vector is computed by products with 0/1 matrices, one for each source vector, and
// saved. Source: toolchain spec section 3.3 (Reshape).
#include <algorithm>
#include <map>

#include "firmware/compiler/frontend/enumerate.h"
#include "firmware/compiler/frontend/operators/folding.h"
#include "firmware/compiler/frontend/places.h"
#include "isa/support/error.h"

namespace tactus::compiler {
namespace {

struct Piece {
  Layout layout;
  std::string name;  ///< name of the object that the vectors belong to; empty: constants
  Addresses vectors;
};

/// One lane of one vector of a piece.
struct Cell {
  Address vector = Address::invalid();  ///< invalid: the fill value
  std::uint32_t lane = 0;
};

/// Finds the cell of an element from its row-major index.
class Cells {
 public:
  Cells(const Piece& piece, std::uint32_t n) : piece_(piece), places_(piece.layout, n) {}

  [[nodiscard]] Cell operator()(std::int64_t index) const {
    const Place place = places_(index);
    return {piece_.vectors[static_cast<std::size_t>(place.vector)], place.lane};
  }

 private:
  const Piece& piece_;
  Places places_;
};

/// Where each output lane comes from: a lane of the source vector, or the fill value.
struct Pattern {
  std::vector<std::int32_t> to_lane;  ///< source lane + 1 for each output lane; 0: none
  std::vector<bool> filled;           ///< lanes with the fill value; empty: none

  bool operator<(const Pattern& o) const {
    return to_lane != o.to_lane ? to_lane < o.to_lane : filled < o.filled;
  }
};

/// Output vectors that one matrix makes from their sources.
struct Products {
  Addresses sources;
  std::vector<std::size_t> outputs;  ///< numbers of output vectors
};

class Assembly {
 public:
  Assembly(Emitter& e, const Layout& layout, float fill)
      : e_(e),
        fill_(fill),
        vectors_(static_cast<std::size_t>(layout.vectors(e.array_size())), Address::invalid()) {}

  /// Adds the next output vector, given the cells of its lanes without padding.
  void add(const std::vector<Cell>& cells) {
    const std::size_t output = next_++;
    const Address first = cells.front().vector;
    bool aligned = true;
    for (std::size_t lane = 0; lane < cells.size(); ++lane) {
      aligned = aligned && cells[lane].vector == first &&
                (first == Address::invalid() || cells[lane].lane == lane);
    }
    if (aligned) {
      vectors_[output] = first == Address::invalid() ? e_.splat(fill_).front() : first;
    } else {
      put_together(output, cells);
    }
  }

  void finish(const std::string& name, const std::vector<Piece>& pieces) {
    std::vector<std::string> blended;
    for (const Piece& piece : pieces) {
      // Constants have no owner and are never freed.
      if (!piece.name.empty() &&
          std::find(blended.begin(), blended.end(), piece.name) == blended.end()) {
        blended.push_back(piece.name);
      }
    }
    if (!misaligned_.empty()) {
      Addresses temps = multiply();
      if (misaligned_.size() == vectors_.size()) {
        e_.result(name, temps);
        return;
      }
      const Object helper = e_.helper(name + " parts", temps.size());
      e_.hir().add(hir::Kind::save, {temps}, helper.addresses);
      for (std::size_t i = 0; i < misaligned_.size(); ++i) {
        vectors_[misaligned_[i]] = helper.addresses[i];
      }
      blended.push_back(helper.name);
    }
    e_.alias(name, vectors_, blended);
  }

 private:
  void put_together(std::size_t output, const std::vector<Cell>& cells) {
    misaligned_.push_back(output);
    std::vector<Address> sources;  // in the order of their first lanes
    std::vector<bool> filled;
    for (std::size_t lane = 0; lane < cells.size(); ++lane) {
      const Address source = cells[lane].vector;
      if (source == Address::invalid()) {
        if (fill_ == 0.0F) continue;
        filled.resize(cells.size());
        filled[lane] = true;
      } else if (std::find(sources.begin(), sources.end(), source) == sources.end()) {
        sources.push_back(source);
      }
    }
    for (const Address source : sources) {
      Pattern pattern;
      pattern.to_lane.resize(cells.size());
      for (std::size_t lane = 0; lane < cells.size(); ++lane) {
        if (cells[lane].vector == source) {
          pattern.to_lane[lane] = static_cast<std::int32_t>(cells[lane].lane) + 1;
        }
      }
      // The first product's bias has the fill value.
      std::swap(pattern.filled, filled);
      filled.clear();
      Products& products = products_[pattern];
      products.sources.push_back(source);
      products.outputs.push_back(output);
    }
  }

  Addresses multiply() {
    Addresses temps = e_.allocate(misaligned_.size());
    std::vector<std::size_t> temp_of(vectors_.size());
    for (std::size_t i = 0; i < misaligned_.size(); ++i) temp_of[misaligned_[i]] = i;
    for (auto& [pattern, products] : products_) {
      hir::MatMul product;
      product.input_blocks = product.output_blocks = 1;
      product.weights = matrix(pattern);
      if (!pattern.filled.empty()) product.bias = bias(pattern);
      product.inputs = std::move(products.sources);
      for (const std::size_t output : products.outputs) {
        product.outputs.push_back(temps[temp_of[output]]);
      }
      e_.hir().add(std::move(product));
    }
    return temps;
  }

  Addresses matrix(const Pattern& pattern) {
    const std::size_t n = e_.array_size();
    std::string name = "lanes";
    for (std::size_t lane = 0; lane < pattern.to_lane.size(); ++lane) {
      if (pattern.to_lane[lane] != 0) {
        name += fmt::format(" {}>{}", pattern.to_lane[lane] - 1, lane);
      }
    }
    return e_.constant(name, {n, n}, n, [&] {
      std::vector<float> rows(n * n);
      for (std::size_t lane = 0; lane < pattern.to_lane.size(); ++lane) {
        if (pattern.to_lane[lane] == 0) continue;
        rows[static_cast<std::size_t>(pattern.to_lane[lane] - 1) * n + lane] = 1.0F;
      }
      return rows;
    });
  }

  Addresses bias(const Pattern& pattern) {
    std::vector<float> values;
    std::string name = fmt::format("{:a} in lanes", fill_);
    for (std::size_t lane = 0; lane < pattern.filled.size(); ++lane) {
      values.push_back(pattern.filled[lane] ? fill_ : 0.0F);
      if (pattern.filled[lane]) name += fmt::format(" {}", lane);
    }
    values.resize(e_.array_size());
    return e_.row(name, values);
  }

  Emitter& e_;
  float fill_;
  Addresses vectors_;
  std::size_t next_ = 0;
  std::vector<std::size_t> misaligned_;
  std::map<Pattern, Products> products_;
};

void rearrange(Emitter& e, const std::string& output, const Layout& layout,
               const std::vector<Piece>& pieces, const FindOrigin& origin, float fill) {
  const std::int64_t n = e.array_size();
  std::vector<Cells> cells_of;
  cells_of.reserve(pieces.size());
  for (const Piece& piece : pieces) cells_of.emplace_back(piece, e.array_size());

  Assembly assembly(e, layout, fill);
  nn::Shape outer = layout.memory_shape();
  outer.pop_back();
  nn::Shape at(outer.size(), 0), position(layout.rank(), 0);
  std::vector<Cell> cells;
  do {
    for (std::size_t k = 0; k < at.size(); ++k) position[layout.order[k]] = at[k];
    for (std::int64_t first = 0; first < layout.lanes(); first += n) {
      cells.clear();
      for (std::int64_t lane = first; lane < std::min(first + n, layout.lanes()); ++lane) {
        layout.set_lane(position, lane);
        const Origin from = origin(position);
        cells.push_back(
            from.piece < 0 ? Cell{} : cells_of[static_cast<std::size_t>(from.piece)](from.index));
      }
      assembly.add(cells);
    }
  } while (next_position(at, outer));
  assembly.finish(output, pieces);
}

}  // namespace

/// The lanes beyond the last one are those of the artefacts of the reference before August 2022; it
/// lets the constant go on there since.
const Addresses& laid_out(Emitter& e, const std::string& name, const nn::Tensor& tensor,
                          const Layout& layout) {
  const std::int64_t n = e.array_size();
  const nn::Shape sizes = layout.memory_shape();
  const std::int64_t blocks = layout.blocks(e.array_size());
  const auto make = [&] {
    const BroadcastIndex source(tensor.shape, layout.shape);
    nn::Shape outer(sizes.begin(), sizes.end() - 1), at(outer.size(), 0);
    nn::Shape position(layout.rank(), 0);
    std::vector<float> lanes;
    lanes.reserve(static_cast<std::size_t>(layout.vectors(e.array_size()) * n));
    do {
      for (std::size_t k = 0; k < at.size(); ++k) position[layout.order[k]] = at[k];
      for (std::int64_t lane = 0; lane < blocks * n; ++lane) {
        if (lane >= sizes.back()) {
          lanes.push_back(0);
          continue;
        }
        layout.set_lane(position, lane);
        lanes.push_back(tensor.floats[static_cast<std::size_t>(source(position))]);
      }
    } while (next_position(at, outer));
    return lanes;
  };
  const std::string full =
      fmt::format("{} broadcast to {} in order {}", name, nn::to_string(layout.shape),
                  nn::to_string(nn::Shape(layout.order.begin(), layout.order.end())));
  return e.constant(full, Dims(sizes.begin(), sizes.end()),
                    static_cast<std::size_t>(layout.vectors(e.array_size())), make);
}

void enumerate(Emitter& e, const Rearrangement& nest) {
  const Layout& result = *e.model().value(nest.outputs.front().name).layout;
  std::vector<Piece> pieces;
  for (const std::string& name : nest.pieces) {
    const Value& value = e.model().value(name);
    if (value.constant) {
      const Layout layout{value.constant->shape, result.order};
      pieces.push_back({layout, "", laid_out(e, name, *value.constant, layout)});
    } else {
      pieces.push_back({*value.layout, name, e.variable(name)});
    }
  }
  for (const Rearrangement::Output& part : nest.outputs) {
    // A part without readers would never be freed.
    const Value& value = e.model().value(part.name);
    if (!value.output && value.readers.empty()) continue;
    rearrange(e, part.name, *value.layout, pieces, part.origin, nest.fill);
  }
}

}  // namespace tactus::compiler

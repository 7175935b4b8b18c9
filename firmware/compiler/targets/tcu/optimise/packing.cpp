#include "firmware/compiler/targets/tcu/optimise/rewrites.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tactus::compiler::optimise {
namespace {

/// A pixel of an input vector that contributes to a pixel of a result, by one part of the original
/// group.
struct Meeting {
  std::uint32_t input_slot, result_slot, part;
  bool operator<(const Meeting& o) const {
    return std::tie(input_slot, result_slot, part) < std::tie(o.input_slot, o.result_slot, o.part);
  }
};

/// Pairs of input and result vectors whose pixels are combined in the same way.
struct Alike {
  std::vector<Vector> inputs;
  std::vector<std::uint32_t> pixels;
};
using Meetings = std::map<std::vector<Meeting>, Alike>;

class Packing {
 public:
  explicit Packing(Network& network)
      : network_(network),
        n_(network.graph.n),
        packed_(network.graph.constants.size(), no_vector),
        slot_(network.graph.constants.size(), 0),
        factor_(network.groups.size(), 1),
        channels_(network.graph.constants.size(), 0) {}

  void run() {
    find_readers();
    bool any = false;
    for (std::uint32_t g = 0; g < network_.groups.size(); ++g) {
      for (const std::uint32_t factor : {4U, 2U}) {
        if (try_factor(g, factor)) {
          any = true;
          break;
        }
      }
    }
    if (!any) return;
    for (std::uint32_t g = 0; g < network_.groups.size(); ++g) rewrite(g);
  }

 private:
  void find_readers();
  bool try_factor(std::uint32_t group, std::uint32_t factor);
  void set_factor(std::uint32_t group, std::uint32_t factor, const std::vector<Vector>& vectors);
  [[nodiscard]] std::uint32_t channels(const Group& group) const;
  [[nodiscard]] bool is_touched(std::uint32_t group) const;
  [[nodiscard]] Meetings meetings(std::uint32_t group) const;
  [[nodiscard]] std::uint64_t cost(std::uint32_t group) const;
  void rewrite(std::uint32_t group);
  [[nodiscard]] const float* weights(const Group& group, const std::vector<Meeting>& signature,
                                     std::size_t column, std::uint32_t factor);

  Network& network_;
  std::uint32_t n_;
  /// By vector: the packed vector that contains it, or none.
  std::vector<Vector> packed_;
  std::vector<std::uint32_t> slot_;  ///< by vector: its slot in the packed vector
  /// By group: number of pixels in a result vector.
  std::vector<std::uint32_t> factor_;
  std::vector<std::uint32_t> channels_;              ///< by packed vector: lanes of a slot
  std::vector<std::vector<std::uint32_t>> readers_;  ///< by group
  std::vector<bool> possible_;                       ///< by group
};

void Packing::find_readers() {
  const std::size_t count = network_.groups.size();
  constexpr std::uint32_t nobody = 0xFFFFFFFF;
  std::vector<std::uint32_t> maker(network_.graph.constants.size(), nobody);
  readers_.resize(count);
  possible_.assign(count, true);
  for (std::uint32_t g = 0; g < count; ++g) {
    const Group& group = network_.groups[g];
    for (const Vector v : group.results) maker[v] = g;
    possible_[g] =
        group.kind == GroupKind::sum && group.blocks == 1 && group.pixels > 1 && group.window == 1;
    const auto read = [&](Vector v, bool dense) {
      if (v == no_vector || maker[v] == nobody) return;
      std::vector<std::uint32_t>& readers = readers_[maker[v]];
      if (readers.empty() || readers.back() != g) readers.push_back(g);
      if (!dense) possible_[maker[v]] = false;
    };
    for (const Part& part : group.parts) {
      const bool packs = part.dense && !part.is_computed();
      if (!packs) possible_[g] = false;
      for (const Vector v : part.inputs) read(v, packs);
      for (const Column& column : part.columns) {
        for (const Vector v : column.rows) read(v, false);
      }
    }
    for (const auto& window : group.windows) {
      for (const Vector v : window) read(v, false);
    }
  }
  for (const Tensor& output : network_.graph.outputs) {
    for (const Vector v : output.vectors) {
      if (v != no_vector && maker[v] != nobody) possible_[maker[v]] = false;
    }
  }
}

std::uint32_t Packing::channels(const Group& group) const {
  std::uint32_t most = 1;
  for (const Vector v : group.results) {
    most = std::max<std::uint32_t>(most, network_.graph.lanes[v]);
  }
  return most;
}

void Packing::set_factor(std::uint32_t number, std::uint32_t factor,
                         const std::vector<Vector>& vectors) {
  const Group& group = network_.groups[number];
  factor_[number] = factor;
  for (std::uint32_t p = 0; p < group.pixels; ++p) {
    const Vector v = group.results[p];
    packed_[v] = factor == 1 ? no_vector : vectors[p / factor];
    slot_[v] = factor == 1 ? 0 : p % factor;
    channels_[v] = channels(group);
  }
}

bool Packing::is_touched(std::uint32_t number) const {
  if (factor_[number] != 1) return true;
  for (const Part& part : network_.groups[number].parts) {
    for (const Vector v : part.inputs) {
      if (packed_[v] != no_vector) return true;
    }
  }
  return false;
}

Meetings Packing::meetings(std::uint32_t number) const {
  const Group& group = network_.groups[number];
  const std::uint32_t factor = factor_[number];
  std::map<std::pair<std::uint32_t, Vector>, std::vector<Meeting>> pairs;
  for (std::uint32_t k = 0; k < group.parts.size(); ++k) {
    const Part& part = group.parts[k];
    if (!part.dense) continue;
    for (std::size_t i = 0; i < part.inputs.size(); ++i) {
      const Vector v = part.inputs[i];
      const std::uint32_t pixel = part.pixels[i];
      const Vector input = packed_[v] == no_vector ? v : packed_[v];
      pairs[{pixel / factor, input}].push_back({slot_[v], pixel % factor, k});
    }
  }
  Meetings result;
  for (auto& [pair, list] : pairs) {
    std::sort(list.begin(), list.end());
    Alike& alike = result[list];
    alike.pixels.push_back(pair.first);
    alike.inputs.push_back(pair.second);
  }
  return result;
}

/// Estimated cycles of the group's matrices, activation and DataMoves: one for each vector, and
/// those of loading weights.
std::uint64_t Packing::cost(std::uint32_t number) const {
  const Group& group = network_.groups[number];
  const std::uint64_t change = 3 * std::uint64_t{n_} + 1;
  std::uint64_t cycles = 0;
  if (is_touched(number)) {
    for (const auto& [signature, alike] : meetings(number)) {
      cycles += (alike.pixels.size() + change) * group.blocks;
    }
    for (const Part& part : group.parts) {
      if (!part.dense) cycles += part.pixels.size();
    }
  } else {
    for (const Part& part : group.parts) {
      cycles += (part.pixels.size() + (part.dense ? change : 0)) * part.columns.size();
    }
  }
  const std::uint64_t results =
      (group.pixels + factor_[number] - 1) / factor_[number] * std::uint64_t{group.blocks};
  return cycles + (group.activation == Activation::none ? 1 : 3) * results;
}

bool Packing::try_factor(std::uint32_t number, std::uint32_t factor) {
  const Group& group = network_.groups[number];
  if (!possible_[number] || channels(group) * factor > n_ || group.pixels < factor) return false;
  const auto total = [&] {
    std::uint64_t sum = cost(number);
    for (const std::uint32_t reader : readers_[number]) sum += cost(reader);
    return sum;
  };
  const std::uint64_t before = total();
  std::vector<Vector> vectors;
  const std::size_t known = network_.graph.constants.size();
  for (std::uint32_t p = 0; p < group.pixels; p += factor) {
    vectors.push_back(network_.graph.add_vector(channels(group) * factor));
  }
  packed_.resize(network_.graph.constants.size(), no_vector);
  slot_.resize(network_.graph.constants.size(), 0);
  channels_.resize(network_.graph.constants.size(), 0);
  set_factor(number, factor, vectors);
  if (total() < before) return true;
  set_factor(number, 1, {});
  network_.graph.constants.resize(known);
  network_.graph.lanes.resize(known);
  packed_.resize(known);
  slot_.resize(known);
  channels_.resize(known);
  return false;
}

/// The matrix of all combinations of pixels in a signature, for one block of the result.
const float* Packing::weights(const Group& group, const std::vector<Meeting>& signature,
                              std::size_t column, std::uint32_t factor) {
  const std::uint32_t width = factor == 1 ? n_ : channels(group);
  auto matrix = std::make_unique<float[]>(std::size_t{n_} * n_);
  std::fill_n(matrix.get(), std::size_t{n_} * n_, 0.0F);
  for (const Meeting& meeting : signature) {
    const Part& part = group.parts[meeting.part];
    const Column& from = part.columns[column];
    std::uint32_t height = n_;
    for (const Vector v : part.inputs) {
      if (channels_[v] != 0 && packed_[v] != no_vector) height = channels_[v];
    }
    for (std::uint32_t j = 0; j < height && meeting.input_slot * height + j < n_; ++j) {
      float* row = matrix.get() + std::size_t{meeting.input_slot * height + j} * n_ +
                   std::size_t{meeting.result_slot} * width;
      for (std::uint32_t i = 0; i < width; ++i) row[i] += from.weights[j * from.row + i];
    }
  }
  network_.owned.push_back(std::move(matrix));
  return network_.owned.back().get();
}

std::vector<float> repeated(const std::vector<float>& row, std::uint32_t channels,
                            std::uint32_t factor, std::uint32_t n) {
  if (row.empty()) return row;
  std::vector<float> result(n, 0.0F);
  for (std::uint32_t slot = 0; slot < factor; ++slot) {
    std::copy_n(row.begin(), channels, result.begin() + slot * channels);
  }
  return result;
}

void Packing::rewrite(std::uint32_t number) {
  if (!is_touched(number)) return;
  Group& group = network_.groups[number];
  const std::uint32_t factor = factor_[number], width = channels(group);
  std::vector<Part> parts;
  for (const auto& [signature, alike] : meetings(number)) {
    Part part;
    part.dense = true;
    part.inputs = alike.inputs;
    part.pixels = alike.pixels;
    for (const Vector v : alike.inputs) {
      part.rows = std::max<std::uint32_t>(part.rows, network_.graph.lanes[v]);
    }
    for (std::size_t c = 0; c < group.parts[signature[0].part].columns.size(); ++c) {
      Column column;
      column.block = group.parts[signature[0].part].columns[c].block;
      column.weights = weights(group, signature, c, factor);
      column.row = n_;
      part.columns.push_back(column);
    }
    parts.push_back(std::move(part));
  }
  for (Part& part : group.parts) {
    if (!part.dense) parts.push_back(std::move(part));
  }
  // The results are renumbered last, since channels() uses their old numbers.
  if (factor != 1) {
    for_rows(group, [&](std::vector<float>& row) { row = repeated(row, width, factor, n_); });
    std::vector<Vector> results;
    for (std::uint32_t p = 0; p < group.pixels; p += factor) {
      results.push_back(packed_[group.results[p]]);
    }
    group.results = std::move(results);
    group.pixels = (group.pixels + factor - 1) / factor;
  }
  group.parts = std::move(parts);
}

}  // namespace

void pack_pixels(Network& network) { Packing(network).run(); }

}  // namespace tactus::compiler::optimise

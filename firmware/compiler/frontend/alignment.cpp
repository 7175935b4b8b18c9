#include "firmware/compiler/frontend/alignment.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "firmware/compiler/frontend/places.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// Number of result vectors, and of those that equal no input vector lane for lane.
struct Mixture {
  std::int64_t vectors = 0, mixed = 0;
};

Layout layout_in(const Model& model, const std::string& name, const Layout& result) {
  const Value& value = model.value(name);
  return value.constant ? Layout{value.constant->shape, result.order} : *value.layout;
}

void add_output(const Rearrangement& step, const Rearrangement::Output& output, const Model& model,
                std::uint32_t n, Mixture& mixture) {
  const Layout& layout = *model.value(output.name).layout;
  std::vector<Places> pieces;
  for (const std::string& name : step.pieces) {
    pieces.emplace_back(layout_in(model, name, layout), n);
  }
  nn::Shape outer = layout.memory_shape();
  outer.pop_back();
  nn::Shape at(outer.size(), 0), position(layout.rank(), 0);
  do {
    for (std::size_t k = 0; k < at.size(); ++k) position[layout.order[k]] = at[k];
    for (std::int64_t first = 0; first < layout.lanes(); first += n) {
      std::optional<Origin> source;  // piece and vector of lane 0
      bool aligned = true;
      for (std::int64_t lane = first; lane < std::min(first + n, layout.lanes()); ++lane) {
        layout.set_lane(position, lane);
        Origin from = output.origin(position);
        Place place;
        if (from.piece >= 0) place = pieces[static_cast<std::size_t>(from.piece)](from.index);
        from.index = place.vector;
        if (!source) source = from;
        aligned = aligned && from.piece == source->piece && from.index == source->index &&
                  (from.piece < 0 || place.lane == lane - first);
      }
      ++mixture.vectors;
      mixture.mixed += aligned ? 0 : 1;
    }
  } while (next_position(at, outer));
}

Mixture mixture_of(const Model& model, const Rearrangement& step, std::uint32_t n) {
  Mixture mixture;
  for (const Rearrangement::Output& output : step.outputs) {
    add_output(step, output, model, n, mixture);
  }
  return mixture;
}

std::int64_t elements_of(const Model& model, const Rearrangement& step) {
  std::int64_t elements = 0;
  for (const Rearrangement::Output& output : step.outputs) {
    elements += model.value(output.name).layout->elements();
  }
  return elements;
}

/// The network as it is analysed for other array sizes, each analysed when it is first needed.
class OtherSizes {
 public:
  static constexpr std::array<std::uint32_t, 8> sizes{4, 8, 16, 24, 32, 48, 64, 128};

  explicit OtherSizes(const AnalyseFor& analyse_for) : analyse_for_(analyse_for) {}

  /// True if the node needs no vectors of mixed lanes on arrays of this size, where it may be done
  /// in another way.
  [[nodiscard]] bool avoids(const std::string& node, std::uint32_t size) {
    const auto [found, fresh] = models_.try_emplace(size);
    if (fresh) found->second = analyse_for_(size);
    if (found->second == nullptr) return false;
    const Model& model = *found->second;
    for (const Step& step : model.steps) {
      if (step.node->name != node) continue;
      const auto* moves = std::get_if<Rearrangement>(&step.nest);
      return moves == nullptr || mixture_of(model, *moves, size).mixed == 0;
    }
    return true;
  }

 private:
  const AnalyseFor& analyse_for_;
  std::map<std::uint32_t, std::shared_ptr<const Model>> models_;
};

/// Text that names the array sizes without the rearrangement: "; arrays of 8, 16, 32 need none".
std::string remedy(const Model& model, const Step& step, const Rearrangement& moves,
                   OtherSizes& others) {
  constexpr std::int64_t most_elements = 1 << 20;  // for more elements trying takes too long
  if (elements_of(model, moves) > most_elements) return "";
  std::vector<std::uint32_t> good, tried;
  for (const std::uint32_t size : OtherSizes::sizes) {
    if (size == model.architecture.array_size) continue;
    tried.push_back(size);
    if (others.avoids(step.node->name, size)) good.push_back(size);
  }
  if (good.empty()) return fmt::format("; arrays of {} need some as well", fmt::join(tried, ", "));
  return fmt::format("; arrays of {} need none", fmt::join(good, ", "));
}

std::string note_of(const Model& model, const Step& step, const LayerInfo& layer,
                    OtherSizes& others) {
  const Rearrangement& moves = std::get<Rearrangement>(step.nest);
  const std::uint32_t n = model.architecture.array_size;
  const Mixture mixture = mixture_of(model, moves, n);
  if (mixture.mixed == 0) return "";
  std::vector<std::string> rows;
  const Layout& result = *model.value(moves.outputs.front().name).layout;
  for (const std::string& name : moves.pieces) {
    const std::string lanes = std::to_string(layout_in(model, name, result).lanes());
    if (std::find(rows.begin(), rows.end(), lanes) == rows.end()) rows.push_back(lanes);
  }
  return fmt::format(
      "layer {} ({}) only rearranges data, in {} instructions: {} of its {} vectors mix lanes of "
      "others, for rows of {} and {} values do not fill vectors of {}{}",
      quote(layer.name), step.node->op_type, layer.instructions, mixture.mixed, mixture.vectors,
      fmt::join(rows, ", "), result.lanes(), n, remedy(model, step, moves, others));
}

}  // namespace

std::vector<std::string> rearrangement_notes(const Model& model,
                                             const std::vector<LayerInfo>& layers,
                                             const AnalyseFor& analyse_for) {
  OtherSizes others(analyse_for);
  std::unordered_map<std::string_view, const Step*> steps;
  for (const Step& step : model.steps) steps.emplace(step.node->name, &step);
  std::vector<std::string> notes;
  for (const LayerInfo& layer : layers) {
    if (layer.instructions == 0 || layer.nodes.empty()) continue;
    const Step* moving = nullptr;  // the last step that moves elements
    bool only = true;
    for (const std::string& node : layer.nodes) {
      const auto found = steps.find(node);
      if (found == steps.end() || std::holds_alternative<Renaming>(found->second->nest)) continue;
      only = only && std::holds_alternative<Rearrangement>(found->second->nest);
      moving = found->second;
    }
    if (!only || moving == nullptr) continue;
    if (std::string note = note_of(model, *moving, layer, others); !note.empty()) {
      notes.push_back(std::move(note));
    }
  }
  return notes;
}

}  // namespace tactus::compiler

#include "firmware/compiler/targets/tcu/optimise/rewrites.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tactus::compiler::optimise {
namespace {

/// Pixels side by side in one vector; no_vector: zeroes.
using Window = std::vector<Vector>;

struct WindowHash {
  std::size_t operator()(const Window& window) const {
    std::size_t hash = window.size();
    for (const Vector v : window) hash = (hash ^ v) * 0x9E3779B97F4A7C15U;
    return hash ^ (hash >> 29);
  }
};

/// The matrices of a group, arranged as taps of a convolution's kernel, row by row.
struct Kernel {
  std::uint32_t height = 0, width = 0;
  std::uint32_t channels = 0;  ///< lanes of a pixel
  std::int64_t pitch = 0;      ///< distance from row to row of the image, in vectors
  std::vector<std::size_t> parts;
  std::vector<std::vector<Vector>> inputs;  ///< input by tap and pixel; no_vector: none
};

/// The kernel divided into equal rectangles, and the vectors that these need.
struct Rectangles {
  std::uint32_t height = 0, width = 0;
  std::vector<Window> windows;
  struct Set {
    std::vector<std::size_t> taps;  ///< tap by slot; no_tap: beyond the kernel's edge
    /// Window of each pixel; no_vector: it has none of the taps.
    std::vector<std::uint32_t> window_of;
  };
  std::vector<Set> sets;
  std::uint64_t cycles = 0;
};

constexpr std::size_t no_tap = ~std::size_t{0};

class Gathering {
 public:
  explicit Gathering(Network& network) : network_(network), n_(network.graph.n) {}

  void run() {
    std::vector<Group> groups;
    for (Group& group : network_.groups) {
      if (const auto kernel = kernel_of(group)) gather(group, *kernel, groups);
      groups.push_back(std::move(group));
    }
    network_.groups = std::move(groups);
  }

 private:
  [[nodiscard]] std::optional<Kernel> kernel_of(const Group& group) const;
  /// Divides the kernel. Returns nothing if the result takes `most` cycles or more.
  [[nodiscard]] std::optional<Rectangles> cut(const Group& group, const Kernel& kernel,
                                              std::uint32_t height, std::uint32_t width,
                                              std::uint64_t most) const;
  void gather(Group& group, const Kernel& kernel, std::vector<Group>& groups);
  void order(const Kernel& kernel, Rectangles& cut) const;
  [[nodiscard]] Group copies(const Group& group, const Kernel& kernel, const Rectangles& cut,
                             std::vector<Vector>& gathered);
  void rewrite(Group& group, const Kernel& kernel, const Rectangles& cut,
               const std::vector<Vector>& gathered);
  [[nodiscard]] float* new_matrix();
  /// Cycles of loading weights after a product, including the drain of the array.
  [[nodiscard]] std::uint64_t change() const { return 3 * std::uint64_t{n_} + 1; }

  Network& network_;
  std::uint32_t n_;
};

/// Finds the kernel's rows: pixels of an image are numbered row by row, so for a pixel with all
/// taps, inputs with consecutive numbers are one row of the kernel.
std::optional<Kernel> Gathering::kernel_of(const Group& group) const {
  if (group.kind != GroupKind::sum) return std::nullopt;
  Kernel kernel;
  const std::size_t pixels = std::size_t{group.pixels} * group.window;
  std::vector<std::uint32_t> met(pixels, 0);
  for (std::size_t k = 0; k < group.parts.size(); ++k) {
    const Part& part = group.parts[k];
    if (!part.dense) continue;
    if (part.columns.size() != group.blocks || part.is_computed()) return std::nullopt;
    kernel.parts.push_back(k);
    kernel.channels = std::max(kernel.channels, part.rows);
    for (const std::uint32_t p : part.pixels) ++met[p];
  }
  const std::size_t taps = kernel.parts.size();
  if (taps < 3 || kernel.channels == 0 || 2 * kernel.channels > n_) return std::nullopt;
  const auto full = std::find(met.begin(), met.end(), taps);
  if (full == met.end()) return std::nullopt;
  const auto reference = static_cast<std::size_t>(full - met.begin());
  std::vector<std::vector<Vector>> inputs(taps, std::vector<Vector>(pixels, no_vector));
  for (std::size_t t = 0; t < taps; ++t) {
    const Part& part = group.parts[kernel.parts[t]];
    for (std::size_t i = 0; i < part.inputs.size(); ++i) {
      if (inputs[t][part.pixels[i]] != no_vector) return std::nullopt;
      inputs[t][part.pixels[i]] = part.inputs[i];
    }
  }
  std::vector<std::size_t> by_input(taps);
  std::iota(by_input.begin(), by_input.end(), std::size_t{0});
  std::sort(by_input.begin(), by_input.end(), [&](std::size_t a, std::size_t b) {
    return inputs[a][reference] < inputs[b][reference];
  });
  std::vector<std::size_t> row_starts;
  for (std::size_t t = 0; t < taps; ++t) {
    const Vector v = inputs[by_input[t]][reference];
    if (t == 0 || v != inputs[by_input[t - 1]][reference] + 1) row_starts.push_back(t);
  }
  kernel.height = static_cast<std::uint32_t>(row_starts.size());
  kernel.width = static_cast<std::uint32_t>(taps / row_starts.size());
  for (std::size_t row = 0; row < row_starts.size(); ++row) {
    if (row_starts[row] != row * kernel.width) return std::nullopt;
  }
  if (std::size_t{kernel.height} * kernel.width != taps) return std::nullopt;
  if (kernel.height > 1) {
    kernel.pitch = static_cast<std::int64_t>(inputs[by_input[kernel.width]][reference]) -
                   static_cast<std::int64_t>(inputs[by_input[0]][reference]);
  }
  std::vector<std::size_t> parts;
  for (const std::size_t t : by_input) {
    parts.push_back(kernel.parts[t]);
    kernel.inputs.push_back(std::move(inputs[t]));
  }
  kernel.parts = std::move(parts);
  return kernel;
}

/// The kernel's taps in rectangles, without windows yet.
Rectangles rectangles_of(const Kernel& kernel, std::uint32_t height, std::uint32_t width) {
  Rectangles cut;
  cut.height = height;
  cut.width = width;
  for (std::uint32_t top = 0; top < kernel.height; top += height) {
    for (std::uint32_t left = 0; left < kernel.width; left += width) {
      Rectangles::Set set;
      for (std::uint32_t slot = 0; slot < height * width; ++slot) {
        const std::uint32_t y = top + slot / width, x = left + slot % width;
        const bool inside = y < kernel.height && x < kernel.width;
        set.taps.push_back(inside ? std::size_t{y} * kernel.width + x : no_tap);
      }
      cut.sets.push_back(std::move(set));
    }
  }
  return cut;
}

/// Rectangles beyond the kernel's edge use any window that contains the pixels they need.
std::optional<Rectangles> Gathering::cut(const Group& group, const Kernel& kernel,
                                         std::uint32_t height, std::uint32_t width,
                                         std::uint64_t most) const {
  Rectangles cut = rectangles_of(kernel, height, width);
  const std::size_t pixels = kernel.inputs.front().size();
  const auto is_whole = [](const Rectangles::Set& set) {
    return std::find(set.taps.begin(), set.taps.end(), no_tap) == set.taps.end();
  };
  for (const bool whole : {true, false}) {
    for (Rectangles::Set& set : cut.sets) {
      if (is_whole(set) != whole) continue;
      // Known windows, by the pixels that the set of taps needs.
      std::unordered_map<Window, std::uint32_t, WindowHash> known;
      Window part;
      const auto needed = [&](const Window& window) -> const Window& {
        part.clear();
        for (std::size_t slot = 0; slot < set.taps.size(); ++slot) {
          if (set.taps[slot] != no_tap) part.push_back(window[slot]);
        }
        return part;
      };
      for (std::uint32_t w = 0; w < cut.windows.size(); ++w) {
        known.emplace(needed(cut.windows[w]), w);
      }
      set.window_of.assign(pixels, no_vector);
      Window window;
      for (std::size_t p = 0; p < pixels; ++p) {
        window.assign(set.taps.size(), no_vector);
        bool any = false;
        for (std::size_t slot = 0; slot < set.taps.size(); ++slot) {
          if (set.taps[slot] != no_tap) window[slot] = kernel.inputs[set.taps[slot]][p];
          any = any || window[slot] != no_vector;
        }
        if (!any) continue;
        const auto [place, is_new] =
            known.try_emplace(needed(window), static_cast<std::uint32_t>(cut.windows.size()));
        if (is_new) cut.windows.push_back(window);
        set.window_of[p] = place->second;
        cut.cycles += group.blocks;
      }
      cut.cycles += change() * group.blocks;
      if (cut.cycles >= most) return std::nullopt;
    }
  }
  for (const Window& window : cut.windows) {
    for (const Vector v : window) cut.cycles += v != no_vector ? 1 : 0;
  }
  cut.cycles += cut.windows.size() + change() * height * width;
  if (cut.cycles >= most) return std::nullopt;
  return cut;
}

/// Orders windows row by row, so that windows read one after the other are adjacent in memory.
void Gathering::order(const Kernel& kernel, Rectangles& cut) const {
  const auto place = [&](const Window& window) {
    std::size_t slot = 0;
    while (window[slot] == no_vector) ++slot;
    return static_cast<std::int64_t>(window[slot]) -
           static_cast<std::int64_t>(slot / cut.width) * kernel.pitch -
           static_cast<std::int64_t>(slot % cut.width);
  };
  std::vector<std::uint32_t> order(cut.windows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return place(cut.windows[a]) < place(cut.windows[b]);
  });
  std::vector<std::uint32_t> number(order.size());
  std::vector<Window> windows;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    windows.push_back(std::move(cut.windows[order[i]]));
  }
  cut.windows = std::move(windows);
  for (Rectangles::Set& set : cut.sets) {
    for (std::uint32_t& window : set.window_of) {
      if (window != no_vector) window = number[window];
    }
  }
}

float* Gathering::new_matrix() {
  network_.owned.push_back(std::make_unique<float[]>(std::size_t{n_} * n_));
  std::fill_n(network_.owned.back().get(), std::size_t{n_} * n_, 0.0F);
  return network_.owned.back().get();
}

/// Makes the group that copies pixels: each slot is a product with a matrix that puts the channels
/// into the slot's lanes.
Group Gathering::copies(const Group& group, const Kernel& kernel, const Rectangles& cut,
                        std::vector<Vector>& gathered) {
  Group made;
  made.name = "windows of " + group.name;
  made.pixels = static_cast<std::uint32_t>(cut.windows.size());
  const std::uint32_t slots = cut.height * cut.width;
  for (std::uint32_t w = 0; w < made.pixels; ++w) {
    gathered.push_back(network_.graph.add_vector(slots * kernel.channels));
  }
  made.results = gathered;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    Part part;
    part.dense = true;
    part.rows = kernel.channels;
    for (std::uint32_t w = 0; w < made.pixels; ++w) {
      if (cut.windows[w][slot] == no_vector) continue;
      part.inputs.push_back(cut.windows[w][slot]);
      part.pixels.push_back(w);
    }
    if (part.inputs.empty()) continue;
    float* matrix = new_matrix();
    for (std::uint32_t lane = 0; lane < kernel.channels; ++lane) {
      matrix[std::size_t{lane} * n_ + std::size_t{slot} * kernel.channels + lane] = 1.0F;
    }
    Column column;
    column.weights = matrix;
    column.row = n_;
    part.columns.push_back(column);
    made.parts.push_back(std::move(part));
  }
  return made;
}

void Gathering::rewrite(Group& group, const Kernel& kernel, const Rectangles& cut,
                        const std::vector<Vector>& gathered) {
  std::vector<Part> parts;
  for (const Rectangles::Set& set : cut.sets) {
    Part part;
    part.dense = true;
    for (std::uint32_t p = 0; p < set.window_of.size(); ++p) {
      if (set.window_of[p] == no_vector) continue;
      part.inputs.push_back(gathered[set.window_of[p]]);
      part.pixels.push_back(p);
    }
    if (part.inputs.empty()) continue;
    const Part& first = group.parts[kernel.parts.front()];
    for (const Column& of_first : first.columns) {
      float* matrix = new_matrix();
      for (std::size_t slot = 0; slot < set.taps.size(); ++slot) {
        if (set.taps[slot] == no_tap) continue;
        const Part& tap = group.parts[kernel.parts[set.taps[slot]]];
        const auto rows = static_cast<std::uint32_t>((slot + 1) * kernel.channels);
        part.rows = std::max(part.rows, rows);
        const auto from =
            std::find_if(tap.columns.begin(), tap.columns.end(),
                         [&](const Column& other) { return other.block == of_first.block; });
        for (std::uint32_t lane = 0; lane < tap.rows; ++lane) {
          for (std::uint32_t i = 0; i < n_; ++i) {
            matrix[(slot * kernel.channels + lane) * n_ + i] =
                from->factor * from->weights[lane * from->row + i];
          }
        }
      }
      Column column;
      column.block = of_first.block;
      column.weights = matrix;
      column.row = n_;
      part.columns.push_back(column);
    }
    parts.push_back(std::move(part));
  }
  for (Part& part : group.parts) {
    if (!part.dense) parts.push_back(std::move(part));
  }
  group.parts = std::move(parts);
}

void Gathering::gather(Group& group, const Kernel& kernel, std::vector<Group>& groups) {
  std::uint64_t cycles = 0;
  for (const std::size_t k : kernel.parts) {
    cycles += (group.parts[k].inputs.size() + change()) * group.blocks;
  }
  std::optional<Rectangles> best;
  for (std::uint32_t height = 1; height <= kernel.height; ++height) {
    for (std::uint32_t width = 1; width <= kernel.width; ++width) {
      if (height * width == 1 || height * width * kernel.channels > n_) continue;
      std::optional<Rectangles> tried = cut(group, kernel, height, width, cycles);
      if (!tried) continue;
      cycles = tried->cycles;
      best = std::move(tried);
    }
  }
  if (!best) return;
  order(kernel, *best);
  std::vector<Vector> gathered;
  groups.push_back(copies(group, kernel, *best, gathered));
  rewrite(group, kernel, *best, gathered);
}

}  // namespace

void gather_taps(Network& network) { Gathering(network).run(); }

}  // namespace tactus::compiler::optimise

#include "firmware/zoo/topology.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/names.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

constexpr std::int64_t largest = 65536;  ///< of any number
constexpr std::size_t most_layers = 10000;
constexpr std::size_t most_messages = 20;
constexpr std::size_t longest_name = 200;

using Cells = std::vector<std::string_view>;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\"");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

/// Without the empty cell behind a comma at the end.
Cells split(std::string_view line) {
  Cells cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  if (cells.size() > 1 && cells.back().empty()) cells.pop_back();
  return cells;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

constexpr std::array<std::string_view, 7> convolution_columns{
    "IFMAP Height", "IFMAP Width", "Filter Height", "Filter Width",
    "Channels",     "Num Filter",  "Strides"};
constexpr std::array<std::string_view, 3> product_columns{"M", "N", "K"};

/// A row's numbers by the names of its columns; what is wrong with it, or nothing.
template <std::size_t count_>
std::string read_numbers(const Cells& cells, const std::array<std::string_view, count_>& columns,
                         std::array<std::int64_t, count_>& numbers) {
  if (cells.size() != count_ + 1) {
    return fmt::format("{} cells; allowed {}: the layer's name, {}", cells.size(), count_ + 1,
                       fmt::join(columns, ", "));
  }
  for (std::size_t i = 0; i < count_; ++i) {
    const auto value = whole(cells[i + 1]);
    if (!value || *value < 1 || *value > largest) {
      return fmt::format("{} is {}; allowed: a whole number from 1 to {}", columns[i],
                         quote(cells[i + 1]), largest);
    }
    numbers[i] = *value;
  }
  return {};
}

std::string read_row(const Cells& cells, bool product, TopologyLayer& layer) {
  if (cells[0].empty()) return "the layer has no name";
  if (cells[0].size() > longest_name) return "the layer's name is too long; allowed 200 bytes";
  layer.name = printable_name(cells[0]);
  if (product) {
    std::array<std::int64_t, 3> n{};
    if (std::string problem = read_numbers(cells, product_columns, n); !problem.empty()) {
      return problem;
    }
    layer.height = n[0];
    layer.filters = n[1];
    layer.channels = n[2];
    return {};
  }
  std::array<std::int64_t, 7> n{};
  if (std::string problem = read_numbers(cells, convolution_columns, n); !problem.empty()) {
    return problem;
  }
  layer.height = n[0];
  layer.width = n[1];
  layer.filter_height = n[2];
  layer.filter_width = n[3];
  layer.channels = n[4];
  layer.filters = n[5];
  layer.stride = n[6];
  if (n[2] > n[0] || n[3] > n[1]) {
    return fmt::format("a filter of {} x {} does not fit the IFMAP of {} x {}", n[2], n[3], n[0],
                       n[1]);
  }
  return {};
}

/// A first row whose second cell is no number, which is a title.
bool is_header(const Cells& cells) { return cells.size() > 1 && !whole(cells[1]); }

void make_unique(std::vector<TopologyLayer>& layers) {
  std::set<std::string> names;
  for (TopologyLayer& layer : layers) {
    const std::string name = layer.name;
    for (unsigned n = 2; !names.insert(layer.name).second; ++n) {
      layer.name = fmt::format("{} ({})", name, n);
    }
  }
}

}  // namespace

std::vector<TopologyLayer> parse_topology(std::string_view text, const std::string& path) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  std::vector<TopologyLayer> layers;
  std::vector<std::string> messages;
  std::optional<bool> product;
  std::size_t number = 0;
  bool first = true;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, std::min(end, text.find('#'))));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line == ",") continue;
    const Cells cells = split(line);
    if (!product) product = cells.size() <= product_columns.size() + 1;
    const bool header = first && is_header(cells);
    first = false;
    if (header) continue;
    TopologyLayer layer;
    const std::string problem = read_row(cells, *product, layer);
    if (problem.empty()) {
      layers.push_back(std::move(layer));
    } else if (messages.size() < most_messages) {
      messages.push_back(fmt::format("{}:{}: {}", path, number, problem));
    }
    if (layers.size() > most_layers) user_error("{}: more than {} layers", path, most_layers);
  }
  if (!messages.empty()) throw UserError(fmt::format("{}", fmt::join(messages, "\n")));
  if (layers.empty()) {
    user_error("{}: no layer; allowed: rows of the layer's name, {}, or of name, {}", path,
               fmt::join(convolution_columns, ", "), fmt::join(product_columns, ", "));
  }
  make_unique(layers);
  return layers;
}

Network build_topology(const std::vector<TopologyLayer>& layers, const std::string& name,
                       std::uint64_t seed) {
  Builder net(name, 10, seed);
  for (const TopologyLayer& layer : layers) {
    const auto x = net.input(layer.name + ":in", {1, layer.height, layer.width, layer.channels});
    Builder::Conv conv;
    conv.channels = layer.filters;
    conv.kernel = layer.filter_height;
    conv.kernel_width = layer.filter_width;
    conv.stride = layer.stride;
    conv.deviation = 1;
    const auto nchw = net.transpose(layer.name + "/nchw", x, {0, 3, 1, 2});
    net.output(net.conv(layer.name, nchw, conv), layer.name + ":out");
  }
  return std::move(net).finish();
}

bool is_topology(const std::string& path) {
  return std::filesystem::path(path).extension() == ".csv";
}

}  // namespace tactus::nn

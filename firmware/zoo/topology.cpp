#include "firmware/zoo/topology.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/names.h"
#include "isa/support/table_rows.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 20;  ///< limit for any number of a table
/// Limit for the elements of a layer's input, of its weights and of its output.
constexpr std::int64_t most_elements = std::int64_t{1} << 30;
constexpr std::size_t most_layers = 10000;
constexpr std::size_t most_messages = 20;
constexpr std::size_t longest_name = 200;

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// A column of a table and the numbers of a layer that it sets.
struct Column {
  std::string_view name;
  std::vector<std::int64_t TopologyLayer::*> sets;
  std::int64_t smallest = 1;
};
using Columns = std::vector<Column>;
using L = TopologyLayer;

const Columns product_columns{{"M", {&L::height}}, {"N", {&L::filters}}, {"K", {&L::channels}}};

/// Columns with which every table of convolutions begins.
const Columns convolution_columns{
    {"IFMAP Height", {&L::height}},         {"IFMAP Width", {&L::width}},
    {"Filter Height", {&L::filter_height}}, {"Filter Width", {&L::filter_width}},
    {"Channels", {&L::channels}},           {"Num Filter", {&L::filters}}};

/// Columns that may follow.
const Columns further_columns{{"Strides", {&L::stride_height, &L::stride_width}},
                              {"Stride Height", {&L::stride_height}},
                              {"Stride Width", {&L::stride_width}},
                              {"Padding", {&L::pad_height, &L::pad_width}, 0},
                              {"Padding Height", {&L::pad_height}, 0},
                              {"Padding Width", {&L::pad_width}, 0}};

std::string names_of(const Columns& columns) {
  std::string text;
  for (const Column& column : columns) {
    text += (text.empty() ? "" : ", ") + std::string(column.name);
  }
  return text;
}

/// Keeps the letters of a name, in lower case, without a final "s": "Stride Height" and
/// "stride_height" become equal.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  if (!text.empty() && text.back() == 's') text.pop_back();
  return text;
}

/// Throws UserError unless the header begins with these names, in this order. The name of the first
/// column, the layer's name, is free.
void check_header(const std::vector<std::string_view>& header, const Columns& columns,
                  const std::string& path) {
  if (header.empty()) return;
  std::size_t i = 0;
  while (i < columns.size() && i + 1 < header.size() &&
         plain(header[i + 1]) == plain(columns[i].name)) {
    ++i;
  }
  if (i == columns.size()) return;
  user_error("{}: column {} is {}; allowed headers: Layer name, {}, with {}; and Layer, {}", path,
             i + 2, i + 1 < header.size() ? quote(header[i + 1]) : "missing",
             names_of(convolution_columns), names_of(further_columns), names_of(product_columns));
}

/// Returns the columns behind the layer's name. The header and the number of cells in the first row
/// determine them.
Columns columns_of(const CsvTable& table, const std::string& path) {
  const std::size_t cells = table.rows[0].cells.size();
  const bool products = cells <= product_columns.size() + 1;
  Columns columns = products ? product_columns : convolution_columns;
  check_header(table.header, columns, path);
  if (products) {
    if (table.header.size() <= columns.size() + 1) return columns;
    user_error("{}: column {} is {}; allowed behind K: none", path, columns.size() + 2,
               quote(table.header[columns.size() + 1]));
  }
  const auto further = [&columns](std::string_view name) {
    const auto found =
        std::find_if(further_columns.begin(), further_columns.end(),
                     [&](const Column& column) { return plain(column.name) == plain(name); });
    if (found == further_columns.end()) return false;
    columns.push_back(*found);
    return true;
  };
  const std::size_t known = convolution_columns.size() + 1;
  if (table.header.size() <= known) {
    const bool two_strides = table.header.empty() && cells == known + 2;
    (void)further(two_strides ? "Stride Height" : "Strides");
    if (two_strides) (void)further("Stride Width");
  }
  for (std::size_t i = known; i < table.header.size(); ++i) {
    if (further(table.header[i])) continue;
    user_error("{}: column {} is {}; allowed behind Num Filter: {}", path, i + 1,
               quote(table.header[i]), names_of(further_columns));
  }
  return columns;
}

/// Reads a row's numbers into the layer. Returns the description of an error; empty: none.
std::string read_numbers(const std::vector<std::string_view>& cells, const Columns& columns,
                         TopologyLayer& layer) {
  if (cells.size() != columns.size() + 1) {
    return fmt::format("{} cells; allowed {}: the layer's name, {}", cells.size(),
                       columns.size() + 1, names_of(columns));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto value = whole(cells[i + 1]);
    if (!value || *value < columns[i].smallest || *value > largest) {
      return fmt::format("{} is {}; allowed: a whole number from {} to {}", columns[i].name,
                         quote(cells[i + 1]), columns[i].smallest, largest);
    }
    for (const auto member : columns[i].sets) layer.*member = *value;
  }
  return {};
}

std::string read_row(const std::vector<std::string_view>& cells, const Columns& columns,
                     TopologyLayer& layer) {
  if (cells[0].empty()) return "the layer has no name";
  if (cells[0].size() > longest_name) return "the layer's name is too long; allowed 200 bytes";
  layer.name = printable_name(cells[0]);
  if (std::string problem = read_numbers(cells, columns, layer); !problem.empty()) return problem;
  const std::int64_t height = layer.height + 2 * layer.pad_height;
  const std::int64_t width = layer.width + 2 * layer.pad_width;
  if (layer.filter_height > height || layer.filter_width > width) {
    return fmt::format("a filter of {} x {} does not fit the IFMAP of {} x {}", layer.filter_height,
                       layer.filter_width, height, width);
  }
  const auto product = [](std::initializer_list<std::int64_t> factors) {
    double result = 1;
    for (const std::int64_t factor : factors) result *= static_cast<double>(factor);
    return result;
  };
  const std::pair<const char*, double> sizes[] = {
      {"the input", product({height, width, layer.channels})},
      {"the weights",
       product({layer.filter_height, layer.filter_width, layer.channels, layer.filters})},
      {"the output",
       product({(height - layer.filter_height) / layer.stride_height + 1,
                (width - layer.filter_width) / layer.stride_width + 1, layer.filters})}};
  for (const auto& [what, elements] : sizes) {
    if (elements <= static_cast<double>(most_elements)) continue;
    return fmt::format("{} would have {:.0f} elements; allowed {}", what, elements, most_elements);
  }
  return {};
}

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
  const CsvTable table = read_table(text);
  std::vector<TopologyLayer> layers;
  std::vector<std::string> messages;
  if (!table.rows.empty()) {
    const Columns columns = columns_of(table, path);
    for (const TableRow& row : table.rows) {
      TopologyLayer layer;
      const std::string problem = read_row(row.cells, columns, layer);
      if (problem.empty()) {
        layers.push_back(std::move(layer));
      } else if (messages.size() < most_messages) {
        messages.push_back(fmt::format("{}:{}: {}", path, row.line, problem));
      }
      if (layers.size() > most_layers) user_error("{}: more than {} layers", path, most_layers);
    }
  }
  if (!messages.empty()) throw UserError(fmt::format("{}", fmt::join(messages, "\n")));
  if (layers.empty()) {
    user_error("{}: no layer; allowed: rows of the layer's name, {}, Strides, or of name, {}", path,
               names_of(convolution_columns), names_of(product_columns));
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
    conv.stride = layer.stride_height;
    conv.stride_width = layer.stride_width;
    conv.pad = layer.pad_height;
    conv.pad_width = layer.pad_width;
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

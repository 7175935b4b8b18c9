// Tables of layers: parsing, errors with their line, and the networks built from them.
#include "firmware/zoo/topology.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "isa/support/error.h"

namespace tactus::nn {
namespace {

const std::string header =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
    "Strides,\n";

std::string error_of(const std::string& text) {
  try {
    (void)parse_topology(text, "t.csv");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Topology, RowsAreLayers) {
  const auto layers = parse_topology(header +
                                         "Conv1, 9, 11, 3, 5, 2, 7, 2,\r\n\n# none\nConv1,4,4,"
                                         "1,1,7,3,1 # the same name\n",
                                     "t.csv");
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].name, "Conv1");
  EXPECT_EQ(layers[0].filter_width, 5);
  EXPECT_EQ(layers[0].stride_width, 2);
  EXPECT_EQ(layers[1].name, "Conv1 (2)");
  EXPECT_EQ(layers[1].filters, 3);
  // The table has no header, and begins with a byte order mark.
  EXPECT_EQ(parse_topology("\xef\xbb\xbf"
                           "a,4,4,1,1,7,3,1",
                           "t.csv")
                .size(),
            1U);
  const auto products = parse_topology("Layer, M, N, K,\nfc, 5, 10, 20,\n", "t.csv");
  ASSERT_EQ(products.size(), 1U);
  EXPECT_EQ(products[0].height, 5);
  EXPECT_EQ(products[0].filters, 10);
  EXPECT_EQ(products[0].channels, 20);
}

TEST(Topology, RowsBecomeConvolutionsWithoutPadding) {
  const auto layers = parse_topology("a, 9, 11, 3, 5, 2, 7, 2\nb, 6, 6, 6, 6, 3, 4, 1\n", "t.csv");
  const Network network = build_topology(layers, "t", 1);
  ASSERT_EQ(network.graph.outputs.size(), 2U);
  ASSERT_EQ(network.graph.inputs.size(), 2U);
  Shape shape;
  for (const Dimension& d : *network.graph.outputs[0].dims) shape.push_back(*d.size);
  EXPECT_EQ(shape, (Shape{1, 7, 4, 4}));
  EXPECT_EQ(network.macs, 7 * 4 * 4 * 3 * 5 * 2 + 4 * 6 * 6 * 3);
}

TEST(Topology, StridesAndPaddingOfEachDirection) {
  const auto layers = parse_topology("a, 9, 11, 3, 5, 2, 7, 2, 3\n", "t.csv");
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0].stride_height, 2);
  EXPECT_EQ(layers[0].stride_width, 3);
  const std::string wide =
      "Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
      "Stride Height, Stride Width, padding_height, Padding Width,\n";
  const auto padded = parse_topology(wide + "a, 9, 11, 3, 5, 2, 7, 2, 3, 1, 0,\n", "t.csv");
  ASSERT_EQ(padded.size(), 1U);
  EXPECT_EQ(padded[0].pad_height, 1);
  EXPECT_EQ(padded[0].pad_width, 0);
  const Network network = build_topology(padded, "t", 1);
  Shape shape;
  for (const Dimension& d : *network.graph.outputs[0].dims) shape.push_back(*d.size);
  EXPECT_EQ(shape, (Shape{1, 7, 5, 3}));
  EXPECT_EQ(network.macs, 7 * 5 * 3 * 3 * 5 * 2);
  // without the row above the image and the row below
  EXPECT_EQ(network.macs_on_input, 7 * (5 * 3 - 2) * 3 * 5 * 2);
  const auto one = parse_topology(
      "name,ifmap_height,IFMAP WIDTH,filter height,FilterWidth,Channel,Num "
      "Filters,Strides,Padding\n"
      "a, 4, 4, 3, 3, 1, 1, 1, 1\n",
      "t.csv");
  EXPECT_EQ(one[0].pad_height, 1);
  EXPECT_EQ(one[0].pad_width, 1);
  EXPECT_EQ(error_of("Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num "
                     "Filter, Strides, Dilation\na, 4, 4, 3, 3, 1, 1, 1, 1\n"),
            "t.csv: column 9 is \"Dilation\"; allowed behind Num Filter: Strides, Stride Height, "
            "Stride Width, Padding, Padding Height, Padding Width");
  EXPECT_EQ(error_of(wide + "a, 2, 2, 5, 1, 1, 1, 1, 1, 1, 0\n"),
            "t.csv:2: a filter of 5 x 1 does not fit the IFMAP of 4 x 2");
}

TEST(Topology, LargeDimensionsAreAllowedUpToALimit) {
  const auto layers = parse_topology("Layer, M, N, K\nhead, 1, 128256, 4096\n", "t.csv");
  EXPECT_EQ(layers[0].filters, 128256);
  EXPECT_EQ(error_of("head, 1, 1048577, 1\n"),
            "t.csv:1: N is \"1048577\"; allowed: a whole number from 1 to 1048576");
  EXPECT_EQ(error_of("head, 1, 65536, 65536\n"),
            "t.csv:1: the weights would have 4294967296 elements; allowed 1073741824");
}

TEST(Topology, AHeaderHasKnownColumnsInTheirOrder) {
  const std::string allowed =
      "; allowed headers: Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, "
      "Channels, Num Filter, with Strides, Stride Height, Stride Width, Padding, Padding Height, "
      "Padding Width; and Layer, M, N, K";
  EXPECT_EQ(error_of("Layer, A, B, C\nfc, 5, 10, 20\n"), "t.csv: column 2 is \"A\"" + allowed);
  EXPECT_EQ(error_of("Layer, M, K, N,\nfc, 5, 10, 20,\n"), "t.csv: column 3 is \"K\"" + allowed);
  EXPECT_EQ(error_of("Layer, M, N\nfc, 5, 10, 20,\n"), "t.csv: column 4 is missing" + allowed);
  EXPECT_EQ(error_of("Layer, M, N, K, t\nfc, 5, 10, 20\n"),
            "t.csv: column 5 is \"t\"; allowed behind K: none");
  EXPECT_EQ(error_of("Layer, IFMAP Width, IFMAP Height, Filter Height, Filter Width, Channels, Num "
                     "Filter, Strides\na, 4, 5, 1, 1, 2, 3, 1\n"),
            "t.csv: column 2 is \"IFMAP Width\"" + allowed);
  EXPECT_EQ(error_of("layer,m,n,k\nfc, 5, 10, 20\n"), "");
}

TEST(Topology, ARowWithANumberIsNoHeader) {
  EXPECT_EQ(error_of("a, x, 4, 1, 1, 1, 1, 1\nb, 4, 4, 1, 1, 1, 1, 1\n"),
            "t.csv:1: IFMAP Height is \"x\"; allowed: a whole number from 1 to 1048576");
}

TEST(Topology, ErrorsNameTheLine) {
  EXPECT_EQ(error_of(header + "a, 4, 4, 5, 1, 1, 1, 1\n"),
            "t.csv:2: a filter of 5 x 1 does not fit the IFMAP of 4 x 4");
  EXPECT_EQ(error_of(header + "\na, 4, 4, 1, 1, x, 1, 1\nb, 4, 4, 1, 1, 1, 1\n"),
            "t.csv:3: Channels is \"x\"; allowed: a whole number from 1 to 1048576\n"
            "t.csv:4: 7 cells; allowed 8: the layer's name, IFMAP Height, IFMAP Width, Filter "
            "Height, Filter Width, Channels, Num Filter, Strides");
  EXPECT_EQ(error_of("a, 4, 4, 1, 1, 0, 1, 1\n"),
            "t.csv:1: Channels is \"0\"; allowed: a whole number from 1 to 1048576");
  EXPECT_EQ(error_of(header + ", 4, 4, 1, 1, 1, 1, 1\n"), "t.csv:2: the layer has no name");
  EXPECT_NE(error_of(header).find("t.csv: no layer; allowed: rows of"), std::string::npos);
  EXPECT_NE(error_of("").find("t.csv: no layer"), std::string::npos);
  EXPECT_NE(error_of("Layer, M, N, K\na, 1, 2\n").find("t.csv:2: 3 cells; allowed 4"),
            std::string::npos);
}

/// A text with some bytes changed is refused by a UserError, or gives layers that can be built.
TEST(Topology, ChangedBytesAreRefusedOrLayers) {
  const std::string good = header + "a, 4, 5, 1, 1, 2, 3, 1,\nb, 9, 9, 3, 3, 2, 2, 2, # x\n";
  const std::string bytes = "0123456789,.-#\"\r\n\t ax\xEF\xFF";
  std::mt19937 random(6);
  unsigned built = 0;
  for (unsigned k = 0; k < 3000; ++k) {
    std::string text = good.substr(0, random() % 9 == 0 ? random() % good.size() : good.size());
    for (unsigned changes = 1 + random() % 3; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) {
        text.erase(at, 1);
      } else {
        text.insert(at, 1, bytes[random() % bytes.size()]);
      }
    }
    try {
      const auto layers = parse_topology(text, "t.csv");
      std::int64_t largest = 0;
      for (const TopologyLayer& layer : layers) {
        largest =
            std::max({largest, layer.height * layer.width * layer.channels,
                      layer.filter_height * layer.filter_width * layer.channels * layer.filters});
      }
      if (largest > 10000) continue;
      EXPECT_EQ(build_topology(layers, "t", 1).graph.outputs.size(), layers.size());
      ++built;
    } catch (const UserError&) {  // refused
    }
  }
  EXPECT_GT(built, 100U);
}

}  // namespace
}  // namespace tactus::nn

// The shape and cost of the compute unit that fits a block: numbers from PlaidML's own tests.
#include "firmware/compiler/stripe/passes/stencil.h"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>

namespace tactus::stripe::test {
namespace {

using Ranges = std::vector<std::pair<std::string, std::uint64_t>>;

/// Returns a compact view that is accessed at one affine per dimension.
Refinement view(Direction direction, const std::string& name,
                const std::vector<std::uint64_t>& sizes, std::vector<Affine> access) {
  Refinement ref;
  ref.direction = direction;
  ref.into = ref.from = name;
  ref.shape.type = DataType::fp32;
  for (const std::uint64_t size : sizes) ref.shape.dims.push_back({size, 1});
  ref.shape.set_natural_strides();
  for (Dimension& dim : ref.shape.dims) dim.size = 1;
  ref.access = std::move(access);
  return ref;
}

Block kernel(const Ranges& ranges, const std::vector<Refinement>& refs) {
  Block block;
  for (const auto& [name, range] : ranges) {
    Index idx;
    idx.name = name;
    idx.range = range;
    block.indexes.push_back(idx);
  }
  for (const Refinement& ref : refs) block.add_ref(ref);
  return block;
}

/// Returns the product C[m, n] += A[m, k] * B[k, n], with all dimensions of one size.
Block matrix_product(std::uint64_t size) {
  const std::vector<std::uint64_t> square{size, size};
  const Affine k("k"), m("m"), n("n");
  return kernel({{"k", size}, {"m", size}, {"n", size}},
                {view(Direction::in, "A", square, {m, k}), view(Direction::in, "B", square, {k, n}),
                 view(Direction::out, "C", square, {m, n})});
}

/// Computes 16 x 16 results at a time, each with its whole sum.
Stencil two_by_free() {
  return {32, {{"k", 16, {-1}, {-1, 0}}, {"x", 16, {-1}, {0, -1}}, {"c", -1, {0}, {-1, -1}}}};
}

using NamedSizes = std::vector<std::tuple<std::string, std::string, std::uint64_t>>;

NamedSizes sizes_of(const StencilMatch& match) {
  NamedSizes sizes;
  for (const auto& entry : match.indexes) {
    sizes.emplace_back(entry.index, entry.stencil_index, entry.size);
  }
  return sizes;
}

TEST(StencilNumbers, MatrixProduct) {
  const auto match = find_stencil(matrix_product(100), {two_by_free()}, false);
  ASSERT_TRUE(match);
  // 7 x 7 tiles of 16 x 16 x 100 positions, plus 32 per tile.
  EXPECT_EQ(match->cost, 1255968U);
  EXPECT_EQ(match->cost, 112U * 112 * 100 + 32 * 7 * 7);
  EXPECT_EQ(sizes_of(*match), (NamedSizes{{"k", "c", 100}, {"m", "k", 16}, {"n", "x", 16}}));
}

TEST(StencilNumbers, OneDimensionalConvolution) {
  const Affine n("n"), x("x0"), k("k0"), ci("ci"), co("co");
  const Block block = kernel({{"ci", 64}, {"co", 64}, {"k0", 3}, {"n", 1}, {"x0", 100}},
                             {view(Direction::in, "I", {1, 100, 64}, {n, x + k + Affine(-1), ci}),
                              view(Direction::in, "K", {3, 64, 64}, {k, ci, co}),
                              view(Direction::out, "O", {1, 100, 64}, {n, x, co})});
  const auto match = find_stencil(block, {two_by_free()}, false);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->cost, 1378944U);
  EXPECT_EQ(sizes_of(*match),
            (NamedSizes{
                {"ci", "c", 64}, {"co", "k", 16}, {"k0", "*", 1}, {"n", "*", 1}, {"x0", "x", 16}}));
}

TEST(StencilNumbers, ConvolutionTakesTheCheaperOfTwoShapes) {
  const Affine n("n"), x("x0"), y("x1"), kx("k0"), ky("k1"), ci("ci"), co("co");
  const Block block =
      kernel({{"ci", 56}, {"co", 56}, {"k0", 3}, {"k1", 3}, {"n", 1}, {"x0", 100}, {"x1", 100}},
             {view(Direction::in, "I", {1, 100, 100, 56},
                   {n, x + kx + Affine(-1), y + ky + Affine(-1), ci}),
              view(Direction::in, "K", {3, 3, 56, 56}, {kx, ky, ci, co}),
              view(Direction::out, "O", {1, 100, 100, 56}, {n, x, y, co})});
  const Stencil in_two{32,
                       {{"k", 16, {-1}, {-1, 0}},
                        {"x", 4, {-1}, {0, -1}},
                        {"y", 4, {-1}, {0, -1}},
                        {"c", -1, {0}, {-1, -1}}}};
  const auto match = find_stencil(block, {two_by_free(), in_two}, false);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->cost, 323280000U);
  EXPECT_EQ(sizes_of(*match), (NamedSizes{{"ci", "c", 56},
                                          {"co", "k", 16},
                                          {"k0", "*", 1},
                                          {"k1", "*", 1},
                                          {"n", "*", 1},
                                          {"x0", "x", 4},
                                          {"x1", "y", 4}}));
  // With 16 pixels of a row per tile, 16 of 128 positions are unused.
  EXPECT_GT(find_stencil(block, {two_by_free()}, false)->cost, match->cost);
}

TEST(StencilNumbers, StrictSizesDivideTheRanges) {
  const Stencil exact{32,
                      {{"m", 64, {1}, {1, 0}}, {"n", 16, {-1}, {0, -1}}, {"k", 64, {0}, {-1, 1}}}};
  const auto match = find_stencil(matrix_product(1024), {exact}, true);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->cost, 1074266112U);
  EXPECT_EQ(sizes_of(*match), (NamedSizes{{"k", "k", 64}, {"m", "n", 16}, {"n", "m", 64}}));
  EXPECT_FALSE(find_stencil(matrix_product(100), {exact}, true));
  EXPECT_TRUE(find_stencil(matrix_product(100), {exact}, false));
}

}  // namespace
}  // namespace tactus::stripe::test

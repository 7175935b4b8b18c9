// Runs the fuzz target on small graphs, on all their prefixes, and on deterministic mutations of
// them: no crash, one error for each refused graph, and everything accepted has the properties that
// the target checks.
#include <gtest/gtest.h>

#include "firmware/tensorflow/writer.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "tests/support/mutation.h"
#include "tests/support/test_scale.h"
#include "tests/tensorflow/graphs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tactus::tf {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A graph with shapes computed from shapes, conditions and blocks, which small_network() does not
/// have.
GraphMaker arithmetic_of_shapes() {
  GraphMaker maker;
  maker.input("x", {-1, 4, 4, 2});
  maker.node("Shape", "shape", {"x"});
  for (const char* name : {"first", "one"}) {
    maker.constant(name, std::vector<std::int64_t>{name[0] == 'f' ? 0 : 1});
  }
  maker.node("StridedSlice", "batch", {"shape", "first", "one", "one"})
      .number("shrink_axis_mask", 1);
  maker.constant("rest", nn::Tensor::of({}, std::vector<std::int64_t>{32}));
  maker.node("Pack", "target", {"batch", "rest"}).number("axis", 0);
  maker.constant("block", std::vector<std::int64_t>{2, 2});
  maker.constant("none", nn::Tensor::of({2, 2}, std::vector<std::int64_t>{0, 0, 0, 0}));
  maker.node("SpaceToBatchND", "blocks", {"x", "block", "none"});
  maker.node("Relu", "relu", {"blocks"});
  maker.node("BatchToSpaceND", "image", {"relu", "block", "none"});
  maker.node("Reshape", "rows", {"image", "target"});
  maker.constant("axis", nn::Tensor::of({}, std::vector<std::int64_t>{1}));
  maker.node("Split", "parts", {"axis", "rows"}).number("num_split", 2);
  maker.node("ConcatV2", "joined", {"parts:1", "parts", "axis"});
  maker.node("FloorMod", "rest_of", {"rest", "block"});
  maker.node("Tile", "tiled", {"joined", "one_and_two"});
  maker.node("FloorDiv", "one_and_two", {"block", "block"});
  return maker;
}

TEST(GraphDefFuzz, MutatedGraphsAreReadOrRefused) {
  std::vector<Bytes> graphs{small_network().bytes(), arithmetic_of_shapes().bytes()};
  for (const char* name : {"mlp", "cnn", "csp"}) {
    graphs.push_back(write_graph_def(nn::zoo_entry(name).build(1).graph));
  }
  for (const Bytes& graph : graphs) {
    EXPECT_NO_THROW((void)import_graph(parse_graph_def(graph, "graph"), {}));
    LLVMFuzzerTestOneInput(graph.data(), graph.size());
  }
  for (std::size_t size = 0; size < graphs[0].size(); ++size) {
    LLVMFuzzerTestOneInput(graphs[0].data(), size);
  }
  for (const std::uint64_t seed : test_seeds(1, 20000)) {
    nn::Random random(seed);
    const Bytes& graph = graphs[random.next() % graphs.size()];
    const Bytes changed = mutated(graph, random);
    SCOPED_TRACE(seed);
    LLVMFuzzerTestOneInput(changed.data(), changed.size());
  }
}

}  // namespace
}  // namespace tactus::tf

// Runs the fuzz target on small models and on deterministic mutations of them. It must not crash,
// and everything accepted has the properties that the target checks.
#include <gtest/gtest.h>

#include "firmware/onnx/writer.h"
#include "firmware/zoo/zoo.h"
#include "tests/onnx/models.h"
#include "tests/support/mutation.h"
#include "tests/support/test_scale.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tactus::nn {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(OnnxFuzz, MutatedModelsAreReadOrRefused) {
  std::vector<Bytes> models{bytes_of(small_model())};
  for (const char* name : {"mlp", "cnn", "csp"}) {
    models.push_back(write_graph(zoo_entry(name).build(1).graph));
  }
  for (const Bytes& model : models) LLVMFuzzerTestOneInput(model.data(), model.size());
  for (const std::uint64_t seed : test_seeds(1, 20000)) {
    Random random(seed);
    const Bytes& model = models[random.next() % models.size()];
    const Bytes changed = mutated(model, random);
    SCOPED_TRACE(seed);
    LLVMFuzzerTestOneInput(changed.data(), changed.size());
  }
}

}  // namespace
}  // namespace tactus::nn

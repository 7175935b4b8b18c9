// The fuzz target over small models and over deterministic mutations of them: no crash, and
// whatever is accepted keeps the properties the target checks.
#include <gtest/gtest.h>

#include "firmware/onnx/writer.h"
#include "firmware/zoo/random.h"
#include "firmware/zoo/zoo.h"
#include "tests/onnx/models.h"
#include "tests/support/test_scale.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tactus::nn {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// One to eight changes: a byte, a copied, a cut or a doubled stretch.
Bytes mutated(Bytes bytes, Random& random) {
  for (std::uint64_t changes = 1 + random.next() % 8; changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = random.next() % bytes.size();
    const std::size_t length = std::min<std::size_t>(1 + random.next() % 40, bytes.size() - at);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = first + static_cast<std::ptrdiff_t>(length);
    const Bytes stretch(first, last);
    switch (random.next() % 4) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(random.next());
        break;
      case 1:
        bytes[at] ^= static_cast<std::uint8_t>(1U << (random.next() % 8));
        break;
      case 2:
        bytes.erase(first, last);
        break;
      default: {
        const std::size_t to = random.next() % (bytes.size() + 1);
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(to), stretch.begin(),
                     stretch.end());
      }
    }
  }
  return bytes;
}

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

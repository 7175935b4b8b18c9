// Runs the fuzz target on valid packages and on deterministic mutations of them.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "isa/darwinn/writer.h"
#include "tests/darwinn/golden.h"
#include "tests/darwinn/sample_package.h"
#include "tests/support/test_scale.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tactus::darwinn {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Returns small packages, so that their tables are a large part of the bytes.
std::vector<Bytes> seeds() {
  std::vector<Bytes> files;
  SamplePackage sample;
  files.push_back(write_package(sample.package));
  files.push_back(write_package_unaligned(sample.package));
  SamplePackage tcu;
  make_tcu(tcu);
  files.push_back(write_package_unaligned(tcu.package));
  sample.caching().parameters = ByteView(sample.parameters.data(), 64);
  sample.caching().hints[1].size = 64;
  files.push_back(write_package_unaligned(sample.package));
  sample.output().has_shape_info = true;
  sample.output().slices = {
      {sample.shape({{0, 0}, {0, 1}, {0, 1}, {0, 2}}), sample.ints({16, 8, 4, 1})},
      {sample.shape({{0, 0}, {0, 1}, {2, 3}, {0, 2}}), sample.ints({16, 8, 4, 1})}};
  sample.output().slice_offsets = sample.ints({0, 16});
  files.push_back(write_package_unaligned(sample.package));
  return files;
}

void put_word(Bytes& bytes, std::size_t at, std::uint32_t value) {
  for (unsigned k = 0; k < 4 && at + k < bytes.size(); ++k) {
    bytes[at + k] = static_cast<std::uint8_t>(value >> (8 * k));
  }
}

/// Returns a position that probably belongs to a number or offset, and not to padding.
std::size_t interesting(const Bytes& bytes, std::mt19937_64& random) {
  for (int i = 0; i < 8; ++i) {
    const std::size_t at = random() % bytes.size();
    if (bytes[at] != 0) return at;
  }
  return random() % bytes.size();
}

void mutate(Bytes& bytes, std::mt19937_64& random) {
  constexpr std::uint32_t words[] = {0,  1,   2,   3,    4,          8,          16,  31,
                                     32, 255, 256, 4096, 0x7FFFFFFF, 0x80000000, ~0U, ~1U};
  const std::size_t at = interesting(bytes, random);
  switch (random() % 6) {
    case 0:
      bytes[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
      return;
    case 1:
      return put_word(bytes, at / 4 * 4, words[random() % std::size(words)]);
    case 2:
      bytes[at] = static_cast<std::uint8_t>(bytes[at] + (random() % 2 == 0 ? 1 : -1));
      return;
    case 3: {  // copies a word from elsewhere in the file
      const std::size_t from = interesting(bytes, random) / 4 * 4;
      for (std::size_t k = 0; k < 4 && from + k < bytes.size() && at / 4 * 4 + k < bytes.size();
           ++k)
        bytes[at / 4 * 4 + k] = bytes[from + k];
      return;
    }
    case 4:
      if (random() % 4 == 0) bytes.resize(std::max<std::size_t>(at, 16));
      return;
    default:
      bytes[at] = static_cast<std::uint8_t>(random());
  }
}

TEST(DarwinnFuzz, SoundPackages) {
  for (const Bytes& bytes : seeds()) LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

TEST(DarwinnFuzz, MutatedPackages) {
  const std::vector<Bytes> files = seeds();
  for (const std::uint64_t seed : test_seeds(1, 20000)) {
    std::mt19937_64 random(seed);
    Bytes bytes = files[seed % files.size()];
    const std::uint64_t count = 1 + random() % 4;
    for (std::uint64_t i = 0; i < count; ++i) mutate(bytes, random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

TEST(DarwinnFuzz, MutatedRealModels) {
  DARWINN_NEEDS_GOLDEN("tflite/split_concat_edgetpu.tflite");
  const Bytes file = read_file(golden_file("tflite/split_concat_edgetpu.tflite"));
  for (const std::uint64_t seed : test_seeds(1, 1000)) {
    std::mt19937_64 random(seed);
    Bytes bytes = file;
    const std::uint64_t count = 1 + random() % 4;
    for (std::uint64_t i = 0; i < count; ++i) mutate(bytes, random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

}  // namespace
}  // namespace tactus::darwinn

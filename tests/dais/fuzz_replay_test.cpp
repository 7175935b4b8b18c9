// Runs the fuzz target on stored files and on deterministic mutations of them. It must not crash,
// and each accepted file has the properties that the target checks.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/dais/golden.h"
#include "tests/support/test_scale.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tactus::dais {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t longest_mutated = 8000;

std::vector<Bytes> stored_files() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(golden_path(""))) {
    const auto extension = entry.path().extension();
    const bool program = extension == ".bin" || extension == ".json";
    if (program && entry.path().filename() != "manifest.json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> files;
  for (const std::string& path : paths) files.push_back(tactus::read_file(path));
  return files;
}

void put_word(Bytes& bytes, std::size_t word, std::uint32_t value) {
  for (unsigned k = 0; k < 4; ++k)
    bytes[4 * word + k] = static_cast<std::uint8_t>(value >> (8 * k));
}

void mutate(Bytes& bytes, const std::vector<Bytes>& files, std::mt19937_64& random) {
  constexpr std::uint32_t words[] = {
      0,  1,  2,   5,          6,   7,   8,   9,   10,         31,         32,       63,
      64, 65, 255, 0x40000000, ~0U, ~1U, ~2U, ~5U, 0x7FFFFFFF, 0x80000000, 0x1000000};
  if (bytes.size() < 8) bytes.resize(24);
  const std::size_t at = random() % bytes.size();
  switch (random() % 7) {
    case 0:
      bytes[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
      return;
    case 1:
    case 2:
      return put_word(bytes, random() % (bytes.size() / 4), words[random() % std::size(words)]);
    case 3: {  // increments or decrements a word
      const std::size_t word = random() % (bytes.size() / 4);
      return put_word(bytes, word, bytes[4 * word] + (random() % 2 == 0 ? 1U : ~0U));
    }
    case 4:
      return bytes.resize(random() % 2 == 0 ? at / 4 * 4 : at);
    case 5: {  // copies a piece of another file
      const Bytes& other = files[random() % files.size()];
      if (other.size() < 8) return;
      const std::size_t from = random() % other.size();
      const std::size_t count = std::min({random() % 64, other.size() - from, bytes.size() - at});
      std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(from), count,
                  bytes.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
    default: {  // text: changes a digit or a mark
      constexpr char marks[] = "0123456789-.,[]e\"{} ";
      bytes[at] = static_cast<std::uint8_t>(marks[random() % (sizeof marks - 1)]);
    }
  }
}

TEST(DaisFuzz, StoredFiles) {
  const std::vector<Bytes> files = stored_files();
  EXPECT_EQ(files.size(), 43U + 76 + 27 + 6);
  for (const Bytes& file : files) LLVMFuzzerTestOneInput(file.data(), file.size());
}

TEST(DaisFuzz, MutatedFiles) {
  const std::vector<Bytes> files = stored_files();
  for (const std::uint64_t seed : test_seeds(1, 20000)) {
    std::mt19937_64 random(seed);
    Bytes bytes = files[seed % files.size()];
    if (bytes.size() > longest_mutated) continue;
    const std::uint64_t count = 1 + random() % 4;
    for (std::uint64_t i = 0; i < count; ++i) mutate(bytes, files, random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

}  // namespace
}  // namespace tactus::dais

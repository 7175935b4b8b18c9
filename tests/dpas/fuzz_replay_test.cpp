// Runs the fuzz target on kernels, containers and native instructions, and on deterministic
// mutations of them. It must not crash, and everything accepted has the properties that the target
// checks.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "isa/dpas/assembly.h"
#include "isa/dpas/container.h"
#include "isa/dpas/native.h"
#include "isa/support/files.h"
#include "tests/dpas/golden.h"
#include "tests/dpas/kernels.h"
#include "tests/support/test_scale.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tactus::dpas {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> seeds() {
  std::vector<Bytes> files;
  for (const std::string& text : {std::string(kernel_with_everything),
                                  read_text(golden_folder() + "/gemm_tile_example.visaasm")}) {
    files.emplace_back(text.begin(), text.end());
    Program program = assemble(text, "seed");
    for (const std::uint8_t minor : {2, 4, 6, 7}) {
      program.minor = minor;
      files.push_back(write_container(program, false));
      files.push_back(write_container(program, true));
    }
  }
  const std::string json = read_text(std::string(TACTUS_SOURCE_DIR) + "/configs/dpas/pvc.json");
  files.emplace_back(json.begin(), json.end());
  Bytes native, lines;
  for (const auto& row : golden_table("asm_golden.tsv")) {
    const Bytes bits = from_hex(row[5]);
    native.insert(native.end(), bits.begin(), bits.end());
    files.emplace_back(row[4].begin(), row[4].end());
    if (files.size() > 60) break;
  }
  files.push_back(native);
  files.erase(std::remove_if(files.begin(), files.end(), [](const Bytes& b) { return b.empty(); }),
              files.end());
  return files;
}

/// Texts with a meaning in kernels, to insert at random.
const char* const words[] = {"dpas.s8.s8.8.8",
                             "(M1, 16)",
                             "%null.0",
                             "flat[",
                             "\n",
                             "{Atomic,$3}",
                             ".decl X v_type=G",
                             "alias=<A,0>",
                             "0x7FFFFFFFFFFFFFFF",
                             "-",
                             "(((((",
                             "<1;1,0>",
                             "/*",
                             "num_elts=65535",
                             "bdpas.bf8.hf8.8.8",
                             "lsc_load.ugm",
                             ":d64x64t",
                             "e2m1",
                             "%thread_x",
                             "99999999999999999999",
                             "type=df",
                             "(P1.any)",
                             "jmp (M1, 1)",
                             "mov (M8, 32)",
                             "1e999:f",
                             "\"",
                             "\xFF"};

Bytes mutated(Bytes bytes, const std::vector<Bytes>& all, std::mt19937_64& random) {
  const unsigned count = 1 + static_cast<unsigned>(random() % 4);
  for (unsigned n = 0; n < count && !bytes.empty(); ++n) {
    const auto at = static_cast<std::ptrdiff_t>(random() % bytes.size());
    switch (random() % 8) {
      case 0:
        bytes[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1U << random() % 8);
        break;
      case 2:
        bytes.resize(static_cast<std::size_t>(at));
        break;
      case 3: {
        const auto end =
            std::min<std::ptrdiff_t>(at + 1 + static_cast<std::ptrdiff_t>(random() % 12),
                                     static_cast<std::ptrdiff_t>(bytes.size()));
        bytes.erase(bytes.begin() + at, bytes.begin() + end);
        break;
      }
      case 4: {
        const std::string word = words[random() % std::size(words)];
        bytes.insert(bytes.begin() + at, word.begin(), word.end());
        break;
      }
      case 5: {
        const Bytes& other = all[random() % all.size()];
        const auto from = static_cast<std::ptrdiff_t>(random() % other.size());
        const auto end = std::min<std::ptrdiff_t>(from + static_cast<std::ptrdiff_t>(random() % 64),
                                                  static_cast<std::ptrdiff_t>(other.size()));
        bytes.insert(bytes.begin() + at, other.begin() + from, other.begin() + end);
        break;
      }
      case 6: {
        const std::uint32_t values[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF, 32, 255};
        const std::uint32_t value = values[random() % std::size(values)];
        for (std::size_t k = 0; k < 4 && static_cast<std::size_t>(at) + k < bytes.size(); ++k) {
          bytes[static_cast<std::size_t>(at) + k] = static_cast<std::uint8_t>(value >> (8 * k));
        }
        break;
      }
      default: {
        // Replacing a digit by a digit leaves most texts valid.
        for (std::size_t k = static_cast<std::size_t>(at); k < bytes.size(); ++k) {
          if (bytes[k] < '0' || bytes[k] > '9') continue;
          bytes[k] = static_cast<std::uint8_t>('0' + random() % 10);
          break;
        }
      }
    }
  }
  return bytes;
}

TEST(DpasFuzz, StoredFilesAndMutations) {
  const std::vector<Bytes> files = seeds();
  for (const Bytes& file : files) LLVMFuzzerTestOneInput(file.data(), file.size());
  for (const std::uint64_t seed : test_seeds(1, 20000)) {
    std::mt19937_64 random(seed);
    const Bytes bytes = mutated(files[random() % files.size()], files, random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

}  // namespace
}  // namespace tactus::dpas

// Feeds bytes to the reader of packages and its verifier. An accepted package must link, have
// outputs that can be laid out, be explained, and read back after it was written. A refusal must be
// a UserError.
//
// With clang and libFuzzer (TACTUS_FUZZ) this is a program of its own; the replay test calls the
// same function with stored and mutated files.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "isa/darwinn/file.h"
#include "isa/darwinn/json.h"
#include "isa/darwinn/linker.h"
#include "isa/darwinn/relayout.h"
#include "isa/darwinn/tcu_package.h"
#include "isa/darwinn/verify.h"
#include "isa/darwinn/writer.h"
#include "isa/support/error.h"

namespace {

using namespace tactus;
using namespace tactus::darwinn;

constexpr std::int64_t most_buffer_bytes = 1 << 24;  // larger outputs are not laid out here

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "darwinn_fuzz: %s\n", what);
  std::abort();
}

void exercise(const Executable& executable, bool tcu) {
  Addresses addresses;
  try {
    BuddyAllocator allocator(0, extended_bytes);
    addresses = allocate(executable, allocator, tcu ? tcu_block_bytes : BuddyAllocator::page);
    if (tcu) addresses = in_blocks(addresses);
  } catch (const UserError&) {
    return;  // the device has too few addresses
  }
  for (std::size_t i = 0; i < executable.chunks.size(); ++i) {
    const auto code = link(executable, i, addresses);
    require(code.size() == executable.chunks[i].code.size(), "a linked chunk has another size");
  }
  for (const Layer& layer : executable.outputs) {
    if (layer.padded_bytes() > most_buffer_bytes) continue;
    // The buffers have exact sizes, so that a sanitizer detects any access beyond them.
    const std::vector<std::uint8_t> device(static_cast<std::size_t>(layer.padded_bytes()), 1);
    std::vector<std::uint8_t> host(static_cast<std::size_t>(layer.actual_bytes()));
    Relayout(layer).run(device.data(), host.data());
    flip_sign(layer.data_type, host.data(), host.size());
    for (const std::uint8_t byte : host) require(byte != 0, "a byte of a tensor was not written");
  }
  for (const Layer& layer : executable.inputs) {
    if (layer.padded_bytes() > most_buffer_bytes) continue;
    const std::vector<std::uint8_t> tensor(static_cast<std::size_t>(layer.actual_bytes()));
    (void)scatter_input(layer, tensor);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const File file(std::vector<std::uint8_t>(data, data + size), "input");
    VerifyOptions options;
    options.resident_token = file.package().main().token;
    (void)verify(file.package(), file.name(), options);
    try {
      for (const Executable& executable : file.package().executables) {
        exercise(executable, is_tcu(*executable.chip));
      }
      (void)to_json(file);
      const File again(write_package(file.package()), "again");
      (void)verify(again.package(), again.name(), options);
    } catch (const UserError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      require(false, "an accepted package is refused later");
    }
  } catch (const UserError&) {
  }
  return 0;
}

#include "isa/support/sha256.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nettle/sha2.h>

namespace tactus {

std::string sha256(const std::vector<std::uint8_t>& bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), bytes.data());
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace tactus

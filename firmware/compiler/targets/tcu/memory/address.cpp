#include "firmware/compiler/targets/tcu/memory/address.h"

#include <fmt/format.h>

namespace tactus::compiler {
namespace {

/// Text of a run of `count` vectors that starts at an address.
std::string text(Address address, std::uint64_t count) {
  const auto numbers = [&](const std::string& before) {
    return count == 1 ? fmt::format("{}{}", before, address.raw())
                      : fmt::format("{}{}..{}", before, address.raw(), address.raw() + count - 1);
  };
  switch (address.tag()) {
    case Tag::temp:
      return fmt::format("Temp({})", numbers(fmt::format("{}.", address.ref())));
    case Tag::accumulators:
      return fmt::format("Acc({})", numbers(""));
    case Tag::local:
      return fmt::format("Local({})", numbers(""));
    case Tag::dram0:
      return fmt::format("DRAM0({})", numbers(""));
    case Tag::dram1:
      return fmt::format("DRAM1({})", numbers(""));
    case Tag::zeroes:
      return count == 1 ? "Zeroes" : fmt::format("Zeroes*{}", count);
    case Tag::invalid:
      break;
  }
  return "Invalid";
}

}  // namespace

std::string to_string(Address address) { return text(address, 1); }

std::string to_string(const Addresses& addresses) {
  std::string out;
  for (std::size_t i = 0; i < addresses.size();) {
    const Address first = addresses[i];
    std::size_t end = i + 1;
    while (end < addresses.size() &&
           addresses[end].bits() ==
               first.bits() + (first.is(Tag::zeroes) ? 0 : static_cast<std::uint64_t>(end - i))) {
      ++end;
    }
    if (!out.empty()) out += ' ';
    out += text(first, end - i);
    i = end;
  }
  return out;
}

}  // namespace tactus::compiler

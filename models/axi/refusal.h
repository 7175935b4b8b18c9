// The words for an access that a memory has refused.
#pragma once

#include <string>

#include <fmt/format.h>
#include <tlm>

namespace tactus {

/// `access` has been answered with an error; its address is the one that its initiator sent.
[[nodiscard]] inline std::string refusal(const tlm::tlm_generic_payload& access) {
  return fmt::format("the memory answered a {} of {} bytes at address 0x{:x} with {}",
                     access.is_read() ? "read" : "write", access.get_data_length(),
                     access.get_address(), access.get_response_string());
}

}  // namespace tactus

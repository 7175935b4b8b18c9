// Text of counts and times for users.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace tactus {

/// "1 cycle", "2 cycles".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Milliseconds with a suitable unit: "7.01 us" below 1 ms, "1.234 ms" from 1 ms on.
[[nodiscard]] inline std::string time_text(double ms) {
  if (ms == 0) return "0 us";
  // The limit keeps two-digit microseconds from being rounded up to 1000.00 us.
  return ms < 0.999995 ? fmt::format("{:.2f} us", 1e3 * ms) : fmt::format("{:.3f} ms", ms);
}

/// "78573 cycles = 785.73 us at 100 MHz".
[[nodiscard]] inline std::string cycles_text(std::uint64_t cycles, double clock_mhz) {
  return fmt::format("{} = {} at {:g} MHz", counted(cycles, "cycle"),
                     time_text(static_cast<double>(cycles) / clock_mhz / 1e3), clock_mhz);
}

}  // namespace tactus

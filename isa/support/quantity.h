// Text of counts and times for users.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace tactus {

/// "1 cycle", "2 cycles".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Decimals of a time in ms that tell one cycle from the next: 5 at 100 MHz.
[[nodiscard]] inline int decimals_of_ms(double clock_mhz) {
  return std::max(0, static_cast<int>(std::ceil(std::log10(1e3 * clock_mhz))));
}

/// Cycles in ms, rounded to 15 digits, so that files have 0.24895 and not 0.24894999999999998.
[[nodiscard]] inline double cycles_in_ms(std::uint64_t cycles, double clock_mhz) {
  const double ms = static_cast<double>(cycles) / clock_mhz / 1e3;
  if (ms == 0) return 0;
  const double scale = std::pow(10.0, 14 - std::floor(std::log10(ms)));
  return std::round(ms * scale) / scale;
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
                     time_text(cycles_in_ms(cycles, clock_mhz)), clock_mhz);
}

}  // namespace tactus

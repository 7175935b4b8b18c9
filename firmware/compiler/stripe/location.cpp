// Locations and the patterns that match them.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "firmware/compiler/stripe/ir.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {

std::string Location::text() const {
  std::string out;
  for (const Device& device : devices) {
    if (!out.empty()) out += '/';
    out += device.name;
    if (device.units.empty()) continue;
    out += '[';
    for (std::size_t i = 0; i < device.units.size(); ++i) {
      if (i != 0) out += ", ";
      out += device.units[i].text();
    }
    out += ']';
  }
  return out;
}

bool operator<(const Location& a, const Location& b) {
  return std::lexicographical_compare(a.devices.begin(), a.devices.end(), b.devices.begin(),
                                      b.devices.end(), [](const Device& x, const Device& y) {
                                        return std::tie(x.name, x.units) <
                                               std::tie(y.name, y.units);
                                      });
}

namespace {

/// Reads the text of a location pattern.
class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  std::vector<DevicePattern> run() {
    std::vector<DevicePattern> devices;
    while (!text_.empty()) {
      DevicePattern& device = devices.emplace_back();
      const std::string name = word();
      if (name.empty()) fail("the name of a device or *");
      if (name != "*") device.name = name;
      if (is('[')) device.units = units();
      if (at_ == text_.size()) break;
      if (!is('/')) fail("\"/\" or the end");
      ++at_;
    }
    return devices;
  }

 private:
  [[noreturn]] void fail(std::string_view allowed) const {
    user_error("location pattern {}: column {}: expected {}", quote(text_), at_ + 1, allowed);
  }
  [[nodiscard]] bool is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void skip_spaces() {
    while (is(' ')) ++at_;
  }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view("[]/, ").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }
  /// The number of a unit; nothing for *.
  std::optional<std::int64_t> unit() {
    const std::size_t begin = at_;
    const std::string number = word();
    if (number == "*") return std::nullopt;
    std::int64_t value = 0;
    std::size_t used = 0;
    try {
      value = std::stoll(number, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != number.size()) {
      at_ = begin;
      fail("the number of a unit or *");
    }
    return value;
  }
  std::vector<std::optional<std::int64_t>> units() {
    std::vector<std::optional<std::int64_t>> all;
    ++at_;
    skip_spaces();
    while (at_ < text_.size() && !is(']')) {
      all.push_back(unit());
      skip_spaces();
      if (is(',')) {
        ++at_;
        skip_spaces();
        if (is(']')) fail("the number of a unit or *");
      } else if (at_ < text_.size() && !is(']')) {
        fail("\",\" or \"]\"");
      }
    }
    if (at_ == text_.size()) fail("\"]\"");
    ++at_;
    return all;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

LocationPattern::LocationPattern(std::string_view text) : devices_(PatternReader(text).run()) {}

bool LocationPattern::matches(const Location& location) const {
  if (location.devices.size() != devices_.size()) return false;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const DevicePattern& pattern = devices_[i];
    const Device& device = location.devices[i];
    if (pattern.name && *pattern.name != device.name) return false;
    if (!pattern.units) continue;
    if (pattern.units->size() != device.units.size()) return false;
    for (std::size_t k = 0; k < device.units.size(); ++k) {
      const auto& unit = (*pattern.units)[k];
      if (unit && device.units[k] != Affine(*unit)) return false;
    }
  }
  return true;
}

}  // namespace tactus::stripe

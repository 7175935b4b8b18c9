// Facts: what the decisions of a cycle look at, packed into one word.
//
// A unit lists each of its facts once, with name, width in bits and value:
//
//   auto fact_list() const {
//     return list_facts(fact<2>("stored", stored_), fact<1>("stage1", stage1_));
//   }
//
// The list's type knows its width, so that lists are put together, and checked to fit a word, at
// compile time; packed() compiles to the shifts one would write by hand. Names are looked at by the
// verify engine only.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

namespace tactus {

/// A word of which the low `width` bits are used.
template <unsigned width>
struct PackedFacts {
  static_assert(width <= 64, "facts do not fit a word");
  static constexpr unsigned bits = width;
  std::uint64_t word = 0;
  [[nodiscard]] constexpr PackedFacts packed() const { return *this; }
};

/// The first part takes the lowest bits.
template <typename... Parts>
[[nodiscard]] constexpr auto pack_facts(const Parts&... parts) {
  PackedFacts<(Parts::bits + ...)> all;
  unsigned at = 0;
  ((all.word |= parts.packed().word << at, at += Parts::bits), ...);
  return all;
}

template <unsigned width>
struct Fact {
  static constexpr unsigned bits = width;
  const char* name;
  std::uint64_t value;  ///< less than 2^width

  [[nodiscard]] constexpr PackedFacts<width> packed() const {
    assert(fits());
    return {value};
  }
  [[nodiscard]] constexpr bool fits() const { return width == 64 || value >> width == 0; }
  /// Calls visit(name, value, width) for every fact.
  template <typename Visit>
  void for_each(const std::string& prefix, Visit&& visit) const {
    visit(prefix + name, value, width);
  }
};

template <unsigned width, typename T>
[[nodiscard]] constexpr Fact<width> fact(const char* name, T value) {
  return {name, static_cast<std::uint64_t>(value)};
}

template <typename... Parts>
class FactList {
 public:
  static constexpr unsigned bits = (Parts::bits + ...);
  constexpr explicit FactList(const Parts&... parts) : parts_(parts...) {}

  [[nodiscard]] constexpr PackedFacts<bits> packed() const {
    return std::apply([](const auto&... part) { return pack_facts(part...); }, parts_);
  }
  /// Whether no value needs more bits than its fact has.
  [[nodiscard]] constexpr bool fits() const {
    return std::apply([](const auto&... part) { return (part.fits() && ...); }, parts_);
  }
  template <typename Visit>
  void for_each(const std::string& prefix, Visit&& visit) const {
    std::apply([&](const auto&... part) { (part.for_each(prefix, visit), ...); }, parts_);
  }

 private:
  std::tuple<Parts...> parts_;
};

template <typename... Parts>
[[nodiscard]] constexpr FactList<Parts...> list_facts(const Parts&... parts) {
  return FactList<Parts...>(parts...);
}

/// The facts of a part of a unit, whose names begin with that of the part.
template <typename List>
struct FactGroup {
  static constexpr unsigned bits = List::bits;
  const char* name;
  List list;
  [[nodiscard]] constexpr auto packed() const { return list.packed(); }
  [[nodiscard]] constexpr bool fits() const { return list.fits(); }
  template <typename Visit>
  void for_each(const std::string& prefix, Visit&& visit) const {
    list.for_each(prefix + name + ".", visit);
  }
};

template <typename List>
[[nodiscard]] constexpr FactGroup<List> fact_group(const char* name, const List& list) {
  return {name, list};
}

}  // namespace tactus

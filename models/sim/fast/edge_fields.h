// The names of an Edge's members (see engine.h), for the verify engine to name one that differs.
//
//   struct Edge {
//     bool issues, leaves;
//     static constexpr auto fields() {
//       return edge_fields(edge_field("issues", &Edge::issues), edge_field("leaves", ...));
//     }
//   };
//   static_assert(names_all_fields<Edge>());
//
// The assertion fails when a member was forgotten: the named ones have to fill the whole struct.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

namespace tactus {

template <typename Edge, typename T>
struct EdgeField {
  static constexpr std::size_t size = sizeof(T);
  const char* name;
  T Edge::*member;
};
template <typename Edge, typename T>
[[nodiscard]] constexpr EdgeField<Edge, T> edge_field(const char* name, T Edge::*member) {
  return {name, member};
}

template <typename... Fields>
[[nodiscard]] constexpr std::tuple<Fields...> edge_fields(Fields... fields) {
  return {fields...};
}

template <typename... Fields>
[[nodiscard]] constexpr std::size_t bytes_of(const std::tuple<Fields...>& /*fields*/) {
  return (Fields::size + ...);
}
/// Also that there is no padding, so that edges may be compared as bytes.
template <typename Edge>
[[nodiscard]] constexpr bool names_all_fields() {
  return bytes_of(Edge::fields()) == sizeof(Edge) && std::has_unique_object_representations_v<Edge>;
}

template <typename T, typename = void>
struct HasEdgeFields : std::false_type {};
template <typename T>
struct HasEdgeFields<T, std::void_t<decltype(T::fields())>> : std::true_type {};

template <typename T, std::size_t count>
[[nodiscard]] bool same_edge(const std::array<T, count>& a, const std::array<T, count>& b);

template <typename T>
[[nodiscard]] bool same_edge(const T& a, const T& b) {
  if constexpr (HasEdgeFields<T>::value) {
    return std::apply(
        [&](const auto&... field) { return (same_edge(a.*field.member, b.*field.member) && ...); },
        T::fields());
  } else {
    return a == b;
  }
}
template <typename T, std::size_t count>
[[nodiscard]] bool same_edge(const std::array<T, count>& a, const std::array<T, count>& b) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!same_edge(a[i], b[i])) return false;
  }
  return true;
}

/// "unit.field"; either may be empty.
[[nodiscard]] inline std::string joined_name(const std::string& prefix, const char* name) {
  return prefix.empty() || *name == '\0' ? prefix + name : prefix + "." + name;
}

template <typename T, std::size_t count, typename Visit>
void for_each_difference(const std::string& name, const std::array<T, count>& expected,
                         const std::array<T, count>& actual, Visit&& visit);

/// Calls visit(name, expected, actual) for every number in which the two differ.
template <typename T, typename Visit>
void for_each_difference(const std::string& name, const T& expected, const T& actual,
                         Visit&& visit) {
  if constexpr (HasEdgeFields<T>::value) {
    std::apply(
        [&](const auto&... field) {
          (for_each_difference(joined_name(name, field.name), expected.*field.member,
                               actual.*field.member, visit),
           ...);
        },
        T::fields());
  } else {
    if (expected != actual) {
      visit(name, static_cast<unsigned long long>(expected),
            static_cast<unsigned long long>(actual));
    }
  }
}
template <typename T, std::size_t count, typename Visit>
void for_each_difference(const std::string& name, const std::array<T, count>& expected,
                         const std::array<T, count>& actual, Visit&& visit) {
  for (std::size_t i = 0; i < count; ++i) {
    for_each_difference(name + "[" + std::to_string(i) + "]", expected[i], actual[i], visit);
  }
}

}  // namespace tactus

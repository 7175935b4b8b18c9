// Templates and functions that make parameters. Include parameter.h instead.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include "isa/support/parameter.h"

namespace tactus {

namespace parameter_detail {

ParameterInfo make_info(std::string_view key, ParameterType type, std::string_view unit,
                        std::string_view sentence);
/// Throws an InternalError if the range exceeds that of the member.
void check_fits(const ParameterInfo& info, std::uint64_t most);

}  // namespace parameter_detail

/// A whole number, read and written through functions; for values that are not plain members.
template <typename T>
[[nodiscard]] Parameter<T> whole_by(std::string_view key,
                                    std::function<std::uint64_t(const T&)> get,
                                    std::function<void(T&, std::uint64_t)> set, WholeRange range,
                                    std::string_view unit, std::string_view sentence) {
  Parameter<T> p;
  static_cast<ParameterInfo&>(p) =
      parameter_detail::make_info(key, ParameterType::whole, unit, sentence);
  p.whole = range;
  p.get = [get = std::move(get)](const T& object) -> ParameterValue { return get(object); };
  p.set = [set = std::move(set)](T& object, const ParameterValue& value) {
    set(object, std::get<std::uint64_t>(value));
  };
  return p;
}

template <typename T, typename M>
[[nodiscard]] Parameter<T> whole(std::string_view key, M T::*member, WholeRange range,
                                 std::string_view unit, std::string_view sentence) {
  static_assert(std::is_unsigned_v<M>, "whole numbers are unsigned");
  Parameter<T> p = whole_by<T>(
      key, [member](const T& object) { return std::uint64_t{object.*member}; },
      [member](T& object, std::uint64_t value) { object.*member = static_cast<M>(value); }, range,
      unit, sentence);
  parameter_detail::check_fits(p, std::numeric_limits<M>::max());
  return p;
}

/// An optional whole number, read and written through functions; `missing` says what not set means.
template <typename T>
[[nodiscard]] Parameter<T> optional_whole_by(
    std::string_view key, std::function<std::optional<std::uint64_t>(const T&)> get,
    std::function<void(T&, std::uint64_t)> set, WholeRange range, std::string_view unit,
    std::string_view missing, std::string_view sentence) {
  Parameter<T> p = whole_by<T>(key, nullptr, std::move(set), range, unit, sentence);
  p.optional = true;
  p.missing = missing;
  p.get = [get = std::move(get)](const T& object) -> ParameterValue {
    const std::optional<std::uint64_t> value = get(object);
    return value ? ParameterValue(*value) : ParameterValue();
  };
  return p;
}

template <typename T, typename M>
[[nodiscard]] Parameter<T> optional_whole(std::string_view key, std::optional<M> T::*member,
                                          WholeRange range, std::string_view unit,
                                          std::string_view missing, std::string_view sentence) {
  Parameter<T> p = optional_whole_by<T>(
      key, [member](const T& object) -> std::optional<std::uint64_t> { return object.*member; },
      [member](T& object, std::uint64_t value) { object.*member = static_cast<M>(value); }, range,
      unit, missing, sentence);
  parameter_detail::check_fits(p, std::numeric_limits<M>::max());
  return p;
}

template <typename T>
[[nodiscard]] Parameter<T> real(std::string_view key, double T::*member, RealRange range,
                                std::string_view unit, std::string_view sentence) {
  Parameter<T> p;
  static_cast<ParameterInfo&>(p) =
      parameter_detail::make_info(key, ParameterType::real, unit, sentence);
  p.real = range;
  p.get = [member](const T& object) -> ParameterValue { return object.*member; };
  p.set = [member](T& object, const ParameterValue& value) {
    object.*member = std::get<double>(value);
  };
  return p;
}

/// An optional real number, read and written through functions; `missing` says what not set means.
template <typename T>
[[nodiscard]] Parameter<T> optional_real_by(std::string_view key,
                                            std::function<std::optional<double>(const T&)> get,
                                            std::function<void(T&, double)> set, RealRange range,
                                            std::string_view unit, std::string_view missing,
                                            std::string_view sentence) {
  Parameter<T> p;
  static_cast<ParameterInfo&>(p) =
      parameter_detail::make_info(key, ParameterType::real, unit, sentence);
  p.real = range;
  p.optional = true;
  p.missing = missing;
  p.get = [get = std::move(get)](const T& object) -> ParameterValue {
    const std::optional<double> value = get(object);
    return value ? ParameterValue(*value) : ParameterValue();
  };
  p.set = [set = std::move(set)](T& object, const ParameterValue& value) {
    set(object, std::get<double>(value));
  };
  return p;
}

template <typename T>
[[nodiscard]] Parameter<T> optional_real(std::string_view key, std::optional<double> T::*member,
                                         RealRange range, std::string_view unit,
                                         std::string_view missing, std::string_view sentence) {
  return optional_real_by<T>(
      key, [member](const T& object) { return object.*member; },
      [member](T& object, double value) { object.*member = value; }, range, unit, missing,
      sentence);
}

template <typename T>
[[nodiscard]] Parameter<T> boolean(std::string_view key, bool T::*member,
                                   std::string_view sentence) {
  Parameter<T> p;
  static_cast<ParameterInfo&>(p) =
      parameter_detail::make_info(key, ParameterType::boolean, "", sentence);
  p.get = [member](const T& object) -> ParameterValue { return object.*member; };
  p.set = [member](T& object, const ParameterValue& value) {
    object.*member = std::get<bool>(value);
  };
  return p;
}

/// A choice; `names` are those of the enumeration's values 0, 1, ...
template <typename T, typename E>
[[nodiscard]] Parameter<T> choice(std::string_view key, E T::*member,
                                  const std::vector<std::string_view>& names,
                                  std::string_view sentence) {
  static_assert(std::is_enum_v<E>, "a choice is an enumeration");
  Parameter<T> p;
  static_cast<ParameterInfo&>(p) =
      parameter_detail::make_info(key, ParameterType::choice, "", sentence);
  p.choices = names;
  p.get = [member, names](const T& object) -> ParameterValue {
    return std::string(names.at(static_cast<std::size_t>(object.*member)));
  };
  p.set = [member, names](T& object, const ParameterValue& value) {
    const auto found = std::find(names.begin(), names.end(), std::get<std::string>(value));
    object.*member = static_cast<E>(found - names.begin());
  };
  return p;
}

/// A name or path. Empty means not set; `missing` says what that implies.
template <typename T>
[[nodiscard]] Parameter<T> text(std::string_view key, std::string T::*member,
                                std::string_view missing, std::string_view sentence) {
  Parameter<T> p;
  static_cast<ParameterInfo&>(p) =
      parameter_detail::make_info(key, ParameterType::text, "", sentence);
  p.optional = true;
  p.missing = missing;
  p.get = [member](const T& object) -> ParameterValue {
    if ((object.*member).empty()) return {};
    return object.*member;
  };
  p.set = [member](T& object, const ParameterValue& value) {
    object.*member = std::get<std::string>(value);
  };
  return p;
}

// ---- Parameter ----------------------------------------------------------------------------------

template <typename T>
Parameter<T> Parameter<T>::with_option(const std::string& name) const {
  Parameter p = *this;
  p.option = name;
  return p;
}

template <typename T>
Parameter<T> Parameter<T>::with_value_name(const std::string& name) const {
  Parameter p = *this;
  p.value_name = name;
  return p;
}

template <typename T>
Parameter<T> Parameter<T>::with_number_at(const std::string& choice) const {
  Parameter p = *this;
  p.numbered = choice;
  return p;
}

template <typename T>
Parameter<T> Parameter<T>::which_is_number_of(const std::string& choice_option,
                                              const std::string& choice) const {
  Parameter p = without_option();
  p.number_of_option = choice_option;
  p.number_of_choice = choice;
  return p;
}

template <typename T>
Parameter<T> Parameter<T>::which_old_files_lack() const {
  Parameter p = *this;
  p.added_later = true;
  return p;
}

template <typename T>
Parameter<T> Parameter<T>::which_shapes_no_machine() const {
  Parameter p = *this;
  p.shapes_machine = false;
  return p;
}

template <typename T>
Parameter<T> Parameter<T>::refusing(std::string_view name, std::string_view why) const {
  Parameter p = *this;
  p.refused.emplace_back(name, why);
  return p;
}

// ---- ParameterTable -----------------------------------------------------------------------------

template <typename T>
void ParameterTable<T>::read(ObjectReader& reader, T& object, MissingKeys missing) const {
  for (const Parameter<T>& p : parameters_) {
    const bool may_lack = p.optional || missing == MissingKeys::allowed ||
                          (missing == MissingKeys::old_allowed && p.added_later);
    if (may_lack && !reader.has(p.key)) continue;
    if (p.read_json) {
      p.read_json(reader, object);
    } else {
      p.set(object, read_parameter(p, reader));
    }
  }
}

template <typename T>
void ParameterTable<T>::write(nlohmann::ordered_json& json, const T& object) const {
  for (const Parameter<T>& p : parameters_) {
    if (p.write_json) {
      p.write_json(json, object);
    } else {
      write_parameter(p, p.get(object), json);
    }
  }
}

template <typename T>
bool ParameterTable<T>::equal(const T& a, const T& b) const {
  return std::all_of(begin(), end(), [&](const Parameter<T>& p) {
    return p.equal ? p.equal(a, b) : p.get(a) == p.get(b);
  });
}

template <typename T>
std::string ParameterTable<T>::differences(const T& a, const T& b, bool machine_only) const {
  std::string text;
  for (const Parameter<T>& p : parameters_) {
    const ParameterValue x = p.get(a);
    const ParameterValue y = p.get(b);
    if (machine_only && !p.shapes_machine) continue;
    if (p.equal ? p.equal(a, b) : x == y) continue;
    text += (text.empty() ? "" : ", ") + p.key + " (" + to_text(p, x) + ", " + to_text(p, y) + ")";
  }
  return text;
}

template <typename T>
ParameterSection ParameterTable<T>::section() const {
  return {name_, about_, {parameters_.begin(), parameters_.end()}};
}

template <typename T>
template <typename Outer, typename Access>
std::vector<Parameter<Outer>> ParameterTable<T>::within(Access access) const {
  std::vector<Parameter<Outer>> result;
  for (const Parameter<T>& p : parameters_) {
    if (p.read_json) internal_error("parameter {} cannot be part of another table", p.key);
    Parameter<Outer> outer;
    static_cast<ParameterInfo&>(outer) = p;
    outer.get = [get = p.get, access](const Outer& object) { return get(access(object)); };
    outer.set = [set = p.set, access](Outer& object, const ParameterValue& value) {
      set(access(object), value);
    };
    result.push_back(std::move(outer));
  }
  return result;
}

}  // namespace tactus

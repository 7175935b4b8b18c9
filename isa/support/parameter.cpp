#include "isa/support/parameter.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "isa/support/text.h"

namespace tactus {
namespace {

bool is_power_of_two(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

std::string list(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Reads the whole word as a number. Empty if characters remain or the number is out of the type's
/// range.
template <typename Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

std::string ParameterInfo::range() const {
  switch (type) {
    case ParameterType::whole:
      return range_text(whole.min, whole.max) + (whole.power_of_two ? ", a power of two" : "");
    case ParameterType::real:
      return fmt::format("{:g}..{:.15g}", real.min, real.max);
    case ParameterType::boolean:
      return "true, false";
    case ParameterType::choice:
      return quote_list(choices);
    case ParameterType::text:
    case ParameterType::other:
      return {};
  }
  internal_error("parameter type {}", static_cast<int>(type));
}

std::string ParameterInfo::default_text() const { return to_text(*this, initial); }

std::string ParameterInfo::problem(const ParameterValue& value) const {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    const bool within = *number >= whole.min && *number <= whole.max;
    if (within && (!whole.power_of_two || is_power_of_two(*number))) return "";
    return fmt::format("{} is {}; allowed {}", *number,
                       within ? "not a power of two" : "out of range", range());
  }
  if (const auto* number = std::get_if<double>(&value)) {
    const bool good = *number >= real.min && *number <= real.max;
    return good ? "" : fmt::format("{} is out of range; allowed {}", *number, range());
  }
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr || type != ParameterType::choice) return {};
  if (std::find(choices.begin(), choices.end(), *name) != choices.end()) return {};
  for (const auto& [word, why] : refused) {
    if (word == *name) return fmt::format("{} {}; allowed {}", quote(word), why, range());
  }
  return fmt::format("{} is unknown; allowed {}{}", quote(*name), range(),
                     suggestion(*name, choices));
}

std::string to_text(const ParameterInfo& info, const ParameterValue& value) {
  struct Text {
    const ParameterInfo& info;
    std::string operator()(std::monostate) const { return info.missing; }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::uint64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(const std::string& v) const { return v; }
  };
  return std::visit(Text{info}, value);
}

ParameterValue parse_parameter(const ParameterInfo& info, const std::string& where,
                               const std::string& text) {
  ParameterValue value;
  std::string allowed = info.range();
  switch (info.type) {
    case ParameterType::whole:
      allowed = "a whole number " + allowed;
      if (const auto number = parse_number<std::uint64_t>(text)) value = *number;
      break;
    case ParameterType::real:
      allowed = "a number " + allowed;
      if (const auto number = parse_number<double>(text)) value = *number;
      break;
    case ParameterType::boolean:
      if (text == "true" || text == "false") value = text == "true";
      break;
    case ParameterType::choice:
      allowed = list(info.choices);
      value = text;
      break;
    case ParameterType::text:
      return text;
    case ParameterType::other:
      internal_error("parameter {} cannot be given as a word", info.key);
  }
  if (!std::holds_alternative<std::monostate>(value) && info.problem(value).empty()) return value;
  const bool name = info.type == ParameterType::choice;
  user_error("{} {} is not allowed; allowed: {}{}", where, quote(text), allowed,
             name ? suggestion(text, info.choices) : "");
}

ParameterValue read_parameter(const ParameterInfo& info, ObjectReader& reader) {
  switch (info.type) {
    case ParameterType::whole: {
      // The check for a power of two is made here, together with the range.
      const WholeRange range = info.whole.power_of_two ? WholeRange{} : info.whole;
      const std::uint64_t value = reader.get_u64(info.key, range.min, range.max);
      const std::string problem = info.problem(value);
      if (problem.empty()) return value;
      const bool reported = reader.problems().concerns(reader.path() + "/" + info.key);
      if (!reported) reader.add_problem(info.key, problem);
      return info.whole.min;
    }
    case ParameterType::real:
      return reader.get_real_in(info.key, info.real.min, info.real.max);
    case ParameterType::boolean:
      return reader.get_bool(info.key);
    case ParameterType::choice: {
      if (!reader.is_string(info.key)) {
        (void)reader.get_string(info.key);  // reports that the value is no string
        return std::string(info.choices.front());
      }
      std::string name = reader.get_string(info.key);
      const std::string problem = info.problem(name);
      if (problem.empty()) return name;
      reader.add_problem(info.key, problem);
      return std::string(info.choices.front());
    }
    case ParameterType::text:
      return reader.get_string(info.key);
    case ParameterType::other:
      break;
  }
  internal_error("parameter {} reads itself", info.key);
}

std::string scalar_problem(const ParameterInfo& info, const JsonScalar& scalar) {
  const auto* integer = std::get_if<std::int64_t>(&scalar);
  switch (info.type) {
    case ParameterType::whole:
      if (integer == nullptr) return "must be an integer";
      if (*integer < 0) {
        return fmt::format("{} is out of range; allowed {}", *integer, info.range());
      }
      return info.problem(static_cast<std::uint64_t>(*integer));
    case ParameterType::real:
      if (integer != nullptr) return info.problem(static_cast<double>(*integer));
      if (const auto* number = std::get_if<double>(&scalar)) return info.problem(*number);
      return "must be a number";
    case ParameterType::boolean:
      return std::holds_alternative<bool>(scalar) ? "" : "must be true or false";
    case ParameterType::choice:
    case ParameterType::text:
      if (const auto* name = std::get_if<std::string>(&scalar)) return info.problem(*name);
      return "must be a string";
    case ParameterType::other:
      break;
  }
  return "is no single value";
}

void write_parameter(const ParameterInfo& info, const ParameterValue& value,
                     nlohmann::ordered_json& object) {
  std::visit(
      [&](const auto& v) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, std::monostate>) {
          object[info.key] = v;
        }
      },
      value);
}

namespace parameter_detail {

ParameterInfo make_info(std::string_view key, ParameterType type, std::string_view unit,
                        std::string_view sentence) {
  ParameterInfo info;
  info.key = key;
  info.type = type;
  info.unit = unit;
  info.sentence = sentence;
  info.option = key;
  std::replace(info.option.begin(), info.option.end(), '_', '-');
  return info;
}

void check_fits(const ParameterInfo& info, std::uint64_t most) {
  if (info.whole.max > most || info.whole.min > info.whole.max) {
    internal_error("parameter {}: the range {} does not fit its member", info.key, info.range());
  }
}

}  // namespace parameter_detail

}  // namespace tactus

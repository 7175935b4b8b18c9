#include "isa/support/provenance.h"

#include <algorithm>
#include <array>

#include "isa/support/text.h"

namespace tactus {
namespace {

constexpr std::array<std::string_view, 4> kind_names{"published", "measured", "fitted", "assumed"};

bool has_date(Provenance::Kind kind) {
  return kind == Provenance::Kind::published || kind == Provenance::Kind::measured;
}

/// True for YYYY-MM or YYYY-MM-DD.
bool is_date(std::string_view text) {
  if (text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : (text[i] < '0' || text[i] > '9')) return false;
  }
  const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
  const int month = number(5);
  const int day = text.size() == 10 ? number(8) : 1;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

}  // namespace

std::string_view to_text(Provenance::Kind kind) {
  return kind_names.at(static_cast<std::size_t>(kind));
}

Provenance decode_provenance(ObjectReader& parent, std::string_view key) {
  ObjectReader reader = parent.get_object(key);
  Provenance provenance;
  unsigned given = 0;
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    const auto text = reader.get_optional_string(kind_names[i]);
    if (!text) continue;
    ++given;
    provenance.kind = static_cast<Provenance::Kind>(i);
    provenance.text = *text;
  }
  if (parent.has(key) && given != 1) {
    parent.add_problem(key,
                       "must have one of \"published\" or \"measured\" with \"date\", \"fitted\", "
                       "\"assumed\"");
  }
  if (given == 1 && has_date(provenance.kind)) {
    provenance.date = reader.get_string("date");
    if (!provenance.date.empty() && !is_date(provenance.date)) {
      reader.add_problem("date",
                         quote(provenance.date) + " is no date; allowed YYYY-MM-DD, YYYY-MM");
    }
  }
  reader.finish();
  if (given == 1 && provenance.text.empty()) {
    parent.add_problem(key, "must say where the value comes from, is empty");
  }
  return provenance;
}

void assign_provenance(ObjectReader& reader, const ParameterSection& section,
                       const ProvenanceByKey& groups, const std::vector<std::string>& order,
                       ProvenanceByKey& assigned) {
  const auto group = std::find_if(order.begin(), order.end(), [&](const std::string& name) {
    return groups.find(name) != groups.end();
  });
  for (const ParameterInfo& parameter : section.parameters) {
    if (parameter.type == ParameterType::other && parameter.optional) continue;
    const bool own = reader.has(parameter.key) || group == order.end();
    assigned[parameter.key] = own ? decode_provenance(reader, parameter.key) : groups.at(*group);
  }
}

ProvenanceByKey read_provenance(ObjectReader reader, const ParameterSection& section) {
  ProvenanceByKey groups, assigned;
  if (reader.has("*")) groups["*"] = decode_provenance(reader, "*");
  assign_provenance(reader, section, groups, {"*"}, assigned);
  reader.finish();
  return assigned;
}

}  // namespace tactus

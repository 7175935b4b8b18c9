#include "isa/support/provenance.h"

#include <algorithm>

#include "isa/support/text.h"

namespace tactus {
namespace {

/// YYYY-MM or YYYY-MM-DD.
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

Provenance decode_entry(ObjectReader& parent, std::string_view key) {
  ObjectReader reader = parent.get_object(key);
  Provenance provenance;
  const auto published = reader.get_optional_string("published");
  const auto assumed = reader.get_optional_string("assumed");
  if (parent.has(key) && published.has_value() == assumed.has_value()) {
    parent.add_problem(key, "must have either \"published\" with \"date\" or \"assumed\"");
  }
  provenance.published = published.has_value();
  provenance.text = published ? *published : assumed.value_or("");
  if (published) {
    provenance.date = reader.get_string("date");
    if (!provenance.date.empty() && !is_date(provenance.date)) {
      reader.add_problem("date",
                         quote(provenance.date) + " is no date; allowed YYYY-MM-DD, YYYY-MM");
    }
  }
  reader.finish();
  if (published.has_value() != assumed.has_value() && provenance.text.empty()) {
    parent.add_problem(key, "must say where the value comes from, is empty");
  }
  return provenance;
}

}  // namespace

ProvenanceByKey decode_provenance(ObjectReader reader,
                                  const std::vector<ProvenanceSection>& sections) {
  ProvenanceByKey groups;
  for (const ProvenanceSection& section : sections) {
    for (const std::string& group : section.groups) {
      if (groups.count(group) == 0 && reader.has(group)) {
        groups[group] = decode_entry(reader, group);
      }
    }
  }
  ProvenanceByKey result;
  for (const ProvenanceSection& section : sections) {
    const auto group =
        std::find_if(section.groups.begin(), section.groups.end(),
                     [&](const std::string& name) { return groups.count(name) != 0; });
    for (const ParameterInfo& parameter : section.parameters.parameters) {
      if (parameter.type == ParameterType::other && parameter.optional) continue;
      const bool own = reader.has(parameter.key) || group == section.groups.end();
      result[parameter.key] = own ? decode_entry(reader, parameter.key) : groups.at(*group);
    }
  }
  reader.finish();
  return result;
}

}  // namespace tactus

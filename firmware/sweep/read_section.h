// Reads one section of a point's configuration into an object of C++.
#pragma once

#include <initializer_list>
#include <string>

#include "firmware/sweep/configuration.h"
#include "isa/support/json_text.h"

namespace tactus::sweep {

/// Sets the members of `object` to the values of the section `name`, as `table` describes them. A
/// missing key, and one that is null, keeps the object's value. Keys in `apart` are skipped, since
/// the table lacks them. Throws UserError for other unknown keys and for bad values.
template <typename T>
void read_section(const Configuration& configuration, const char* name,
                  const ParameterTable<T>& table, T& object,
                  std::initializer_list<const char*> apart = {}) {
  Configuration section = without_nulls(configuration.at(name));
  for (const char* key : apart) section.erase(key);
  JsonDocument document(text_of_json(section), std::string("the point's ") + name);
  ObjectReader reader = document.root();
  table.read(reader, object, MissingKeys::allowed);
  document.problems().throw_if_any();
}

}  // namespace tactus::sweep

#include "firmware/compiler/stripe/passes/json_values.h"

#include <string>

#include "firmware/compiler/stripe/passes/integers.h"

namespace tactus::stripe {

std::vector<Stencil> read_stencils(const ArrayReader& list) {
  std::vector<Stencil> result;
  for (std::size_t i = 0; i < list.size(); ++i) {
    ObjectReader entry = list.get_object(i);
    Stencil stencil;
    stencil.startup_cost = std::int64_t{entry.get_optional_u32("startup_cost").value_or(0)};
    const ArrayReader indexes = entry.get_array("idxs");
    for (std::size_t k = 0; k < indexes.size(); ++k) {
      ObjectReader index = indexes.get_object(k);
      StencilIndex rule;
      rule.name = index.get_string("name");
      rule.size = integer(index, "size");
      if (rule.size == 0 || rule.size < -1) {
        index.add_problem("size", std::to_string(rule.size) + " is no size; allowed -1 and from 1");
      }
      rule.outs = integers(index, "outs");
      rule.ins = integers(index, "ins");
      index.finish();
      stencil.indexes.push_back(std::move(rule));
    }
    entry.finish();
    result.push_back(std::move(stencil));
  }
  return result;
}

std::string without_trailing_commas(std::string_view json) {
  std::string out(json);
  std::size_t comma = std::string::npos;
  for (std::size_t at = 0; at < out.size(); ++at) {
    const char c = out[at];
    if (c == '"') {
      for (++at; at < out.size() && out[at] != '"'; ++at) {
        if (out[at] == '\\') ++at;
      }
      comma = std::string::npos;
    } else if (c == '/' && at + 1 < out.size() && out[at + 1] == '/') {
      while (at < out.size() && out[at] != '\n') ++at;
    } else if (c == '/' && at + 1 < out.size() && out[at + 1] == '*') {
      const std::size_t end = out.find("*/", at + 2);
      at = end == std::string::npos ? out.size() : end + 1;
    } else if (c == ',') {
      comma = at;
    } else if (c == '}' || c == ']') {
      if (comma != std::string::npos) out[comma] = ' ';
      comma = std::string::npos;
    } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      comma = std::string::npos;
    }
  }
  return out;
}

}  // namespace tactus::stripe

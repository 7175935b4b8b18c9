// Templates of configurations: the subset of Jinja2 that those of Stripe need.
//
//   {{ EXPR }}                                  a value
//   {% for NAME in range(EXPR) %} ... {% endfor %}   NAME counts from 0; loop.first, loop.last
//   {% if EXPR %} ... {% else %} ... {% endif %}
//   {# ... #} and, to the end of the line, ##   comments
//
// EXPR has integers, decimals, names, + - * / // %, comparisons, not, and, or, parentheses. /
// divides exactly; what is no integer is printed as a decimal.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tactus::stripe {

using TemplateValues = std::map<std::string, double>;

/// Throws UserError "WHERE:LINE: what" for what is not in the subset, names without a value,
/// division by zero, and output beyond 64 MiB.
[[nodiscard]] std::string render(std::string_view text, const TemplateValues& values,
                                 const std::string& where);

/// Mends what the slides' texts have: typographic quotes, "{endfor %}", no braces around the whole,
/// no commas between the values of a list.
[[nodiscard]] std::string normalise_slide_text(std::string_view text);

}  // namespace tactus::stripe

// Templates of configurations: the subset of Jinja2 that those of Stripe need.
//
//   {{ EXPR }}                                  a value
//   {% for NAME in range(EXPR) %} ... {% endfor %}   NAME counts from 0; loop.first, loop.last
//   {% if EXPR %} ... {% else %} ... {% endif %}
//   {# ... #} and, to the end of the line, ##   comments
//
// EXPR has integers, decimals, names, + - * / // %, comparisons, not, and, or, parentheses. / is
// the exact quotient; a value that is no integer is printed as a decimal.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tactus::stripe {

using TemplateValues = std::map<std::string, double>;

/// Renders a template. Throws UserError "WHERE:LINE: what" for constructs outside of the subset,
/// names without a value, division by zero, output beyond 64 MiB, and too many rounds of loops.
[[nodiscard]] std::string render(std::string_view text, const TemplateValues& values,
                                 const std::string& where);

/// Corrects mistakes of the slides' texts: typographic quotes, "{endfor %}", missing outer braces,
/// missing commas in lists.
[[nodiscard]] std::string normalise_slide_text(std::string_view text);

}  // namespace tactus::stripe

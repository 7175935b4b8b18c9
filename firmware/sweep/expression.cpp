#include "firmware/sweep/expression.h"

#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <muParser.h>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::sweep {

struct Expression::State {
  mu::Parser parser;
  /// A variable of the parser: the key that it stands for, and its value.
  struct Variable {
    std::string key;
    double value = 0;
  };
  std::map<std::string, Variable> variables;
  std::vector<Variable*> used;
};

namespace {

std::map<std::string, std::string> names_of_numbers(const Configuration& keys) {
  std::map<std::string, std::string> names;
  std::set<std::string> ambiguous;
  for (const std::string& key : key_names(keys)) {
    const std::string last = key.substr(key.find('.') + 1);
    if (!names.emplace(last, key).second) ambiguous.insert(last);
  }
  for (const std::string& name : ambiguous) names.erase(name);
  for (const std::string& key : key_names(keys)) names.emplace(key, key);
  for (auto it = names.begin(); it != names.end();) {
    it = get_key(keys, it->second).is_number() ? std::next(it) : names.erase(it);
  }
  return names;
}

[[noreturn]] void unknown_name(const std::string& name, const std::string& text,
                               const std::map<std::string, std::string>& names) {
  std::vector<std::string_view> candidates;
  for (const auto& known : names) candidates.emplace_back(known.first);
  user_error("unknown name {} in {}{}", quote(name), quote(text), suggestion(name, candidates));
}

/// True if the text contains a single =, which muParser would take for an assignment.
bool assigns(std::string_view text) {
  for (std::size_t i = text.find('='); i != std::string_view::npos; i = text.find('=', i + 1)) {
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
    } else if (i == 0 || std::string_view("<>!").find(text[i - 1]) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

Expression::Expression(std::string text, const Configuration& keys)
    : text_(std::move(text)), state_(std::make_unique<State>()) {
  if (assigns(text_)) user_error("{}: = is no comparison; allowed ==", quote(text_));
  const std::map<std::string, std::string> names = names_of_numbers(keys);
  mu::Parser& parser = state_->parser;
  try {
    parser.DefineNameChars("0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    parser.DefineFun("floor", [](double x) { return std::floor(x); });
    parser.DefineFun("ceil", [](double x) { return std::ceil(x); });
    parser.DefineFun("mod", [](double x, double y) { return std::fmod(x, y); });
    for (const auto& [name, key] : names) {
      State::Variable& variable = state_->variables[name];
      variable.key = key;
      parser.DefineVar(name, &variable.value);
    }
    parser.SetExpr(text_);
    // GetUsedVar() also lists unknown names.
    for (const auto& used : parser.GetUsedVar()) {
      const auto variable = state_->variables.find(used.first);
      if (variable == state_->variables.end()) unknown_name(used.first, text_, names);
      state_->used.push_back(&variable->second);
      keys_.push_back(variable->second.key);
    }
    (void)parser.Eval();  // muParser parses the whole text only when it evaluates
  } catch (const mu::Parser::exception_type& error) {
    user_error("{}, in {}", printable(error.GetMsg(), 200), quote(text_));
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

double Expression::value(const Configuration& configuration) const {
  std::vector<double> values;
  for (const std::string& key : keys_) {
    const Configuration* value = find_key(configuration, key);
    if (value == nullptr || !value->is_number()) {
      user_error("{} uses {}, which has no value here", quote(text_), key);
    }
    values.push_back(value->get<double>());
  }
  return value_of(values);
}

double Expression::value_of(const std::vector<double>& values) const {
  for (std::size_t i = 0; i < values.size(); ++i) state_->used[i]->value = values[i];
  double result = 0;
  try {
    result = state_->parser.Eval();
  } catch (const mu::Parser::exception_type& error) {
    user_error("{}, in {}", printable(error.GetMsg(), 200), quote(text_));
  }
  if (!std::isfinite(result)) user_error("{} has no finite value", quote(text_));
  return result;
}

}  // namespace tactus::sweep

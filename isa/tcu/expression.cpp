#include "isa/tcu/expression.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "isa/support/text.h"

namespace tactus::tcu {
namespace {

/// Limits the recursion for text such as "((((" and "----".
constexpr unsigned max_depth = 64;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

[[noreturn]] void overflow(const Token& op) {
  syntax_error(op.column, "the result of {} is too large; allowed -2^63..2^63-1", quote(op.text));
}

std::int64_t apply_shift(const Token& op, std::int64_t left, std::int64_t right) {
  if (right < 0 || right > 62) {
    syntax_error(op.column, "cannot shift by {}; allowed 0..62", right);
  }
  const std::int64_t factor = std::int64_t{1} << right;
  if (op.text == ">>") return left / factor - (left % factor < 0 ? 1 : 0);  // rounds down
  std::int64_t result = 0;
  if (__builtin_mul_overflow(left, factor, &result)) overflow(op);
  return result;
}

std::int64_t apply(const Token& op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (op.text[0]) {
    case '+':
      overflows = __builtin_add_overflow(left, right, &result);
      break;
    case '-':
      overflows = __builtin_sub_overflow(left, right, &result);
      break;
    case '*':
      overflows = __builtin_mul_overflow(left, right, &result);
      break;
    case '/':
    case '%':
      if (right == 0) syntax_error(op.column, "division by zero");
      overflows = left == least && right == -1;
      if (!overflows) result = op.text[0] == '/' ? left / right : left % right;
      break;
    default:
      return apply_shift(op, left, right);
  }
  if (overflows) overflow(op);
  return result;
}

/// Precedence of a binary operator; 0 if the token is not one.
int binding(const Token& token) {
  if (token.kind != Token::Kind::punctuation) return 0;
  if (token.text == "<<" || token.text == ">>") return 1;
  if (token.text == "+" || token.text == "-") return 2;
  if (token.text == "*" || token.text == "/" || token.text == "%") return 3;
  return 0;
}

class Evaluator {
 public:
  Evaluator(TokenCursor& cursor, const SymbolTable& symbols) : cursor_(cursor), symbols_(symbols) {}

  /// Evaluates operators of at least this precedence.
  std::int64_t binary(int least_binding) {
    std::int64_t value = unary();
    for (int bound = binding(cursor_.peek()); bound >= least_binding;
         bound = binding(cursor_.peek())) {
      const Token op = cursor_.next();
      value = apply(op, value, binary(bound + 1));
    }
    return value;
  }

  std::int64_t primary() {
    const Token token = cursor_.next();
    if (token.kind == Token::Kind::number) return number_value(token);
    if (token.kind == Token::Kind::name) return symbols_.value(token);
    if (token.text != "(") {
      syntax_error(token.column, "expected a number, a name or \"(\", found {}", describe(token));
    }
    enter(token);
    const std::int64_t value = binary(1);
    cursor_.expect(")");
    --depth_;
    return value;
  }

 private:
  std::int64_t unary() {
    const Token token = cursor_.peek();
    if (!cursor_.accept("-")) return primary();
    enter(token);
    const std::int64_t value = unary();
    --depth_;
    return apply(token, 0, value);
  }

  void enter(const Token& token) {
    if (++depth_ > max_depth) {
      syntax_error(token.column, "the expression is nested too deeply; allowed {} levels",
                   max_depth);
    }
  }

  TokenCursor& cursor_;
  const SymbolTable& symbols_;
  unsigned depth_ = 0;
};

}  // namespace

void SymbolTable::check_free(const Token& name, Kind kind) const {
  const auto found = symbols_.find(lower_name(name.text));
  if (found == symbols_.end()) return;
  if (found->second.kind == Kind::predefined || found->second.kind == Kind::block) {
    syntax_error(name.column, "{} is predefined from the architecture; allowed any other name",
                 quote(name.text));
  }
  if (found->second.kind == Kind::counter || kind == Kind::counter) {
    syntax_error(name.column, "{} is already in use; allowed a new name for a counter",
                 quote(name.text));
  }
}

void SymbolTable::define(const Token& name, Kind kind, std::int64_t value) {
  check_free(name, kind);
  symbols_.insert_or_assign(lower_name(name.text),
                            Symbol{kind, std::string(name.text), value, true});
}

void SymbolTable::define_predefined(std::string_view name, std::int64_t value) {
  symbols_.insert_or_assign(lower_name(name),
                            Symbol{Kind::predefined, std::string(name), value, true});
}

void SymbolTable::define_block(std::string_view name, std::int64_t number) {
  symbols_.insert_or_assign(lower_name(name), Symbol{Kind::block, std::string(name), number, true});
}

void SymbolTable::define_invalid(const Token& name, Kind kind) {
  check_free(name, kind);
  symbols_.insert_or_assign(lower_name(name.text), Symbol{kind, std::string(name.text), 0, false});
}

void SymbolTable::set(std::string_view name, std::int64_t value) {
  const auto found = symbols_.find(lower_name(name));
  if (found != symbols_.end()) found->second.value = value;
}

void SymbolTable::remove(std::string_view name) { symbols_.erase(lower_name(name)); }

bool SymbolTable::contains(std::string_view name) const {
  return symbols_.count(lower_name(name)) != 0;
}

std::vector<std::string_view> SymbolTable::block_names() const {
  std::map<std::int64_t, std::string_view> names;
  for (const auto& entry : symbols_) {
    if (entry.second.kind == Kind::block) names[entry.second.value] = entry.second.spelling;
  }
  std::vector<std::string_view> list;
  for (const auto& name : names) list.push_back(name.second);
  return list;
}

std::int64_t SymbolTable::value(const Token& name) const {
  const auto found = symbols_.find(lower_name(name.text));
  if (found != symbols_.end()) {
    if (!found->second.valid) throw DependsOnError{};
    return found->second.value;
  }
  std::vector<std::string_view> candidates;
  candidates.reserve(symbols_.size());
  for (const auto& entry : symbols_) candidates.emplace_back(entry.second.spelling);
  // sorted, so that the suggestion does not depend on the machine
  std::sort(candidates.begin(), candidates.end());
  const std::string suggested = suggestion(name.text, candidates);
  syntax_error(
      name.column, "unknown name {}{}", quote(name.text),
      suggested.empty() ? "; allowed names defined before with .equ or .repeat" : suggested);
}

std::int64_t evaluate(TokenCursor& cursor, const SymbolTable& symbols) {
  return Evaluator(cursor, symbols).binary(1);
}

std::int64_t evaluate_primary(TokenCursor& cursor, const SymbolTable& symbols) {
  return Evaluator(cursor, symbols).primary();
}

}  // namespace tactus::tcu

// Programs from printed text, in either dialect.
#include <charconv>
#include <cstdlib>

#include "firmware/compiler/stripe/text.h"
#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Program read() {
    Program program;
    try {
      program.entry = statement(nullptr, 0);
      if (program.entry.block() == nullptr) fail("the program must be a block");
      if (!program.entry.deps.empty()) fail("the program's block has no statements before it");
      skip_space();
      if (at_ != text_.size()) fail("more text after the end of the program");
    } catch (const UserError& error) {
      // Messages of arithmetic get their line here.
      if (placed_) throw;
      user_error("{}:{}: {}", where_, line_, error.what());
    }
    return program;
  }

 private:
  // ---- characters ----

  [[noreturn]] void fail(const std::string& what) {
    placed_ = true;
    user_error("{}:{}: {}", where_, line_, what);
  }

  [[noreturn]] void expected(std::string_view what) {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '\n' && end - at_ < 40) ++end;
    if (at_ == text_.size()) fail(fmt::format("expected {}, the text ends", what));
    if (end == at_) fail(fmt::format("expected {}, the line ends", what));
    fail(fmt::format("expected {}, not {}", what, quote(text_.substr(at_, end - at_))));
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool ahead(std::string_view word) const {
    return text_.substr(at_, word.size()) == word;
  }

  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') break;
      ++at_;
    }
  }
  /// Within the line.
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
  }

  bool take(std::string_view token) {
    const std::size_t at = at_;
    const std::uint32_t line = line_;
    skip_space();
    if (ahead(token)) {
      at_ += token.size();
      return true;
    }
    // Errors are reported where something was, not where the next line begins.
    at_ = at;
    line_ = line;
    return false;
  }
  void need(std::string_view token) {
    if (!take(token)) expected("\"" + std::string(token) + "\"");
  }

  /// Entries with commas between them, up to `end`; each is read by `entry()`.
  template <typename Entry>
  void list(std::string_view end, Entry entry) {
    if (take(end)) return;
    do {
      entry();
    } while (take(","));
    need(end);
  }

  /// The rest of the line after "//" and one space.
  std::string comment() {
    at_ += 2;
    if (peek() == ' ') ++at_;
    std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) end = text_.size();
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return std::string(line);
  }

  std::string_view word() {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) > 0x20 &&
           std::string_view("[]{}()<>,;:=*+-/\"#").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  std::string name(std::string_view what) {
    skip_space();
    const std::size_t begin = at_;
    const std::string_view found = word();
    if (!is_name(found)) {
      at_ = begin;
      expected(what);
    }
    return std::string(found);
  }

  // ---- numbers ----

  template <typename Whole>
  Whole whole(std::string_view what) {
    skip_space();
    Whole value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) {
      fail(fmt::format("{} does not fit 64 bits", what));
    }
    if (error != std::errc()) expected(what);
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  std::uint64_t unsigned_number(std::string_view what) { return whole<std::uint64_t>(what); }
  std::int64_t signed_number(std::string_view what) { return whole<std::int64_t>(what); }

  /// Text of a number: digits, sign, point, exponent, inf, nan.
  std::string_view number_text() {
    skip_space();
    const std::size_t begin = at_;
    const auto in = [this](std::string_view set) {
      return at_ < text_.size() && set.find(text_[at_]) != std::string_view::npos;
    };
    while (in("0123456789.+-eEinfa")) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  double real(std::string_view what) {
    const std::size_t begin = (skip_space(), at_);
    const std::string digits(number_text());
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end != '\0') {
      at_ = begin;
      expected(what);
    }
    return value;
  }

  std::variant<std::int64_t, double> number(std::string_view what) {
    const std::size_t begin = (skip_space(), at_);
    const std::string_view digits = number_text();
    const bool is_real = digits.find_first_of(".eEinfa") != std::string_view::npos;
    at_ = begin;
    if (is_real) return real(what);
    return signed_number(what);
  }

  // ---- parts ----

  /// `marked`: names may begin with "#".
  Affine affine(bool marked = false) {
    Affine sum;
    std::int64_t sign = take("-") ? -1 : 1;
    while (true) {
      skip_space();
      if (peek() >= '0' && peek() <= '9') {
        // Digits and sign together, because the smallest number has no positive counterpart.
        const std::size_t begin = at_;
        while (peek() >= '0' && peek() <= '9') ++at_;
        const std::string digits =
            (sign < 0 ? "-" : "") + std::string(text_.substr(begin, at_ - begin));
        const auto value = read_number<std::int64_t>(digits);
        if (!value) fail(digits + " does not fit 64 bits");
        skip_blanks();
        sum += take_star() ? Affine(term(marked), *value) : Affine(*value);
      } else {
        sum += Affine(term(marked), sign);
      }
      skip_blanks();
      if (take("+")) {
        sign = 1;
      } else if (take("-")) {
        sign = -1;
      } else {
        return sum;
      }
    }
  }

  bool take_star() {
    if (peek() != '*') return false;
    ++at_;
    return true;
  }

  std::string term(bool marked) {
    skip_space();
    const bool mark = marked && take("#");
    return (mark ? "#" : "") + name("an index or a number");
  }

  Attribute attribute_value() {
    if (peek() == '"') return quoted();
    if (ahead("true")) return at_ += 4, true;
    if (ahead("false")) return at_ += 5, false;
    if (ahead("any(")) {
      at_ += 4;
      AnyValue any;
      any.type_url = quoted();
      need(",");
      skip_space();
      any.bytes = quoted();
      need(")");
      return any;
    }
    const auto value = number("the value of the attribute");
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
    return std::get<double>(value);
  }

  std::string quoted() {
    if (peek() != '"') expected("a text in quotes");
    ++at_;
    std::string out;
    while (peek() != '"') {
      if (at_ == text_.size() || peek() == '\n') fail("a text in quotes does not end in its line");
      if (peek() != '\\') {
        out += text_[at_++];
        continue;
      }
      ++at_;
      if (peek() == 'x') {
        unsigned code = 0;
        const char* begin = text_.data() + at_ + 1;
        if (at_ + 3 > text_.size() ||
            std::from_chars(begin, begin + 2, code, 16).ptr != begin + 2) {
          fail("expected two hexadecimal digits after \\x");
        }
        out += static_cast<char>(code);
        at_ += 3;
      } else if (peek() == '"' || peek() == '\\') {
        out += text_[at_++];
      } else {
        fail("a backslash in quotes must be followed by \\, \" or x");
      }
    }
    ++at_;
    return out;
  }

  void tags(Tagged& tagged, bool values) {
    while (take("#")) {
      const std::string tag = name("the name of a tag");
      Attribute value;
      if (values && peek() == '=') {
        ++at_;
        value = attribute_value();
      }
      if (!tagged.attributes.emplace(tag, std::move(value)).second) {
        fail("tag #" + tag + " is given twice");
      }
    }
  }

  /// After "<", up to ">".
  Location location() {
    Location result;
    while (true) {
      Device device;
      skip_space();
      // The empty location of the slides is "[0]".
      const bool unnamed = peek() == '[' && result.devices.empty();
      if (!unnamed) device.name = name("the name of a device");
      if (take("[")) {
        do {
          device.units.push_back(affine(true));
        } while (take(","));
        need("]");
      }
      if (unnamed) {
        if (device.units.size() != 1 || !device.units[0].is_zero()) {
          fail("a location without a name must be [0]");
        }
        need(">");
        return {};
      }
      result.devices.push_back(std::move(device));
      if (take(">")) return result;
      if (!take("/")) expected("\"/\" or \">\"");
    }
  }

  Index index() {
    Index idx;
    const bool tagged = take("(");
    if (tagged) tags(idx, false);
    idx.name = name("the name of an index");
    idx.line = line_;
    if (take(":")) {
      idx.range = unsigned_number("the range of index " + quote(idx.name));
    } else if (take("=")) {
      idx.affine = affine();
    } else {
      expected("\":\" or \"=\" after the index");
    }
    if (tagged) need(")");
    return idx;
  }

  // ---- refinements ----

  [[nodiscard]] static std::optional<Direction> direction_of(std::string_view text) {
    if (text == "none") return Direction::none;
    if (text == "in") return Direction::in;
    if (text == "out") return Direction::out;
    if (text == "inout") return Direction::inout;
    return std::nullopt;
  }

  Refinement refinement(const Block& block) {
    Refinement ref;
    tags(ref, false);
    skip_space();
    ref.line = line_;
    const std::size_t begin = at_;
    const auto direction = direction_of(word());
    if (!direction) {
      at_ = begin;
      expected("a refinement (none, in, out or inout), a constraint or \")\"");
    }
    ref.direction = *direction;
    bool allocation = false;
    bool located = false;
    ref.into = marks(ref, allocation, located);
    if (take("=")) ref.from = name("the name of the buffer in the enclosing block");
    if (ref.from.empty() && !allocation) ref.from = ref.into;
    if (allocation && ref.from == ref.into) fail("an allocation is no view of " + quote(ref.from));
    if (!located && take("<")) ref.location = location();
    need("[");
    list("]", [&] { ref.access.push_back(affine()); });
    if (take(":")) ref.agg_op = name("the name of an aggregation");
    for (const Affine& access : ref.access) check_names(block, access);
    shape(block, ref);
    if (ref.access.size() != ref.shape.dims.size()) {
      fail(fmt::format("refinement {} has {} accesses for {} dimensions", quote(ref.into),
                       ref.access.size(), ref.shape.dims.size()));
    }
    return ref;
  }

  /// "const", "new@...", the slides' location, and the name that ends them.
  std::string marks(Refinement& ref, bool& allocation, bool& located) {
    while (true) {
      skip_blanks();
      if (peek() == '<') {
        ++at_;
        ref.location = location();
        located = true;
        continue;
      }
      std::string found = name("the name of the refinement");
      if (found == "const" && followed_by_name()) {
        ref.shape.is_const = true;
      } else if (found == "new@0x" || found.substr(0, 6) == "new@0x") {
        allocation = true;
        const auto offset = read_number<std::uint64_t>(found.substr(6), 16);
        if (!offset) fail(quote(found) + " is no offset: new@0x and up to 16 hexadecimal digits");
        ref.offset = *offset;
        if (peek() == ',') {
          ++at_;
          ref.bank_dim = unsigned_number("the dimension that is banked");
        }
      } else {
        return found;
      }
    }
  }

  /// True if another word or a location comes before the brackets of the access.
  bool followed_by_name() {
    skip_blanks();
    return peek() != '[' && peek() != '=' && peek() != '\n';
  }

  void shape(const Block& block, Refinement& ref) {
    const std::string type = name("the type of the elements");
    const auto known = type_of_name(type);
    if (!known) {
      fail(quote(type) +
           " is no type; known are bool, i8, i16, i32, i64, i128, u8, u16, u32, u64, fp16, fp32, "
           "fp64, bf16, prng, void");
    }
    ref.shape.type = *known;
    if (take("(")) return slide_dims(ref);
    if (take("[")) {
      ref.shape.layout = std::string(word());
      need("]");
      if (take("[")) {
        ref.shape.codec = name("the name of a codec");
        need("]");
      }
    }
    need(":I");
    for (const std::uint64_t size : sizes(ref, true)) ref.shape.dims.push_back({size, 0});
    need(":");
    strides(ref);
    if (take(":")) check_bytes(ref.shape, ref.shape, ref);
    if (take(", E")) exterior(block, ref);
    if (take(", cache[")) {
      ref.cache_unit = affine(true);
      need("]");
    }
  }

  void slide_dims(Refinement& ref) {
    list(")", [&] {
      Dimension dim;
      dim.size = unsigned_number("the size of a dimension");
      need(":");
      dim.stride = signed_number("the stride of a dimension");
      ref.shape.dims.push_back(dim);
    });
    skip_blanks();
    if (ahead("//")) comment();
  }

  std::vector<std::uint64_t> sizes(Refinement& ref, bool banks) {
    std::vector<std::uint64_t> result;
    need("(");
    list(")", [&] {
      const bool banked = take("{");
      result.push_back(unsigned_number("the size of a dimension"));
      if (!banked) return;
      need("}");
      if (banks && ref.bank_dim) fail("two dimensions are banked");
      if (banks) ref.bank_dim = result.size() - 1;
    });
    return result;
  }

  void strides(Refinement& ref) {
    std::size_t count = 0;
    need("(");
    list(")", [&] {
      const bool banked = take("{");
      const std::int64_t stride = signed_number("the stride of a dimension");
      if (banked) need("}");
      if (count < ref.shape.dims.size()) ref.shape.dims[count].stride = stride;
      ++count;
    });
    if (count != ref.shape.dims.size()) {
      fail(fmt::format("refinement {} has {} sizes and {} strides", quote(ref.into),
                       ref.shape.dims.size(), count));
    }
  }

  /// Checks the number of bytes in the text, which follows from the shape.
  void check_bytes(const TensorShape& shape, const TensorShape& coded, const Refinement& ref) {
    byte_count(shape, ref);
    if (!coded.codec.empty() && take("(")) {
      byte_count(coded, ref);
      need(")");
    }
  }

  void byte_count(const TensorShape& shape, const Refinement& ref) {
    const double stated = real("a number of bytes");
    const bool kilo = take("KiB");
    if (!kilo) need("B");
    const std::uint64_t bytes = shape.bytes();
    const double actual =
        kilo
            ? std::strtod(fmt::format("{:g}", static_cast<double>(bytes) / 1024.0).c_str(), nullptr)
            : static_cast<double>(bytes);
    if (stated != actual) {
      fail(fmt::format("refinement {} has {} bytes, not {}{}", quote(ref.into), bytes,
                       fmt::format("{:g}", stated), kilo ? " KiB" : ""));
    }
  }

  void exterior(const Block& block, Refinement& ref) {
    const TensorShape swept = block.exterior_shape(ref);
    const auto stated = sizes(ref, false);
    if (stated != swept.sizes()) {
      fail(fmt::format("the exterior of refinement {} is ({}), not ({})", quote(ref.into),
                       fmt::join(swept.sizes(), ", "), fmt::join(stated, ", ")));
    }
    if (take(":")) check_bytes(swept, swept, ref);
  }

  void check_names(const Block& block, const Affine& affine) {
    for (const Affine::Term& term : affine.terms()) {
      if (block.index(term.first) == nullptr) {
        fail(fmt::format("{} is no index of this block", quote(term.first)));
      }
    }
  }

  // ---- statements ----

  Statement statement(const Block* parent, std::size_t depth) {
    if (depth > max_block_depth) {
      fail(fmt::format("blocks are nested more than {} deep", max_block_depth));
    }
    Statement stmt;
    const std::size_t count = parent != nullptr ? parent->statements.size() : 0;
    const std::uint64_t number = unsigned_number("a statement, which begins with its number,");
    stmt.line = line_;
    if (number != count) fail(fmt::format("statement {} has the number {}", count, number));
    if (take("[")) {
      do {
        stmt.deps.push_back(dependency(parent));
      } while (take(","));
      need("]");
    }
    need(":");
    tags(stmt, true);
    skip_space();
    const std::size_t begin = at_;
    const std::uint32_t begin_line = line_;
    if (word() == "block") {
      skip_blanks();
      if (peek() == '<' || peek() == '[') {
        stmt.op = BlockBox(block(depth));
        return stmt;
      }
    }
    at_ = begin;
    line_ = begin_line;
    stmt.op = operation();
    return stmt;
  }

  StatementId dependency(const Block* parent) {
    if (take("parent")) return parent_statement;
    const std::uint64_t number = unsigned_number("the number of an earlier statement");
    const std::size_t count = parent != nullptr ? parent->statements.size() : 0;
    if (number >= count) {
      fail(fmt::format("a dependency on statement {}, which does not come before", number));
    }
    return parent->statements[number].id;
  }

  Block block(std::size_t depth) {
    Block result;
    if (take("<")) result.location = location();
    need("[");
    list("]", [&] {
      Index idx = index();
      if (result.index(idx.name) != nullptr) fail("index " + quote(idx.name) + " is given twice");
      result.indexes.push_back(std::move(idx));
    });
    std::optional<std::uint64_t> stated;
    if (take(":")) stated = unsigned_number("the number of positions");
    need("(");
    skip_blanks();
    if (ahead("//")) result.name = comment();
    const std::uint64_t actual = result.positions();
    if (stated && *stated != actual) {
      fail(fmt::format("the indexes make {} positions, not {}", actual, *stated));
    }
    head(result);
    need("{");
    while (!take("}")) {
      result.append(statement(&result, depth + 1));
      take(";");
    }
    return result;
  }

  /// Comments, constraints and refinements, up to ")".
  void head(Block& block) {
    bool commented = false;
    while (!take(")")) {
      skip_space();
      if (ahead("//")) {
        if (commented) block.comments += '\n';
        block.comments += comment();
        commented = true;
      } else if (is_constraint()) {
        Affine constraint = affine();
        need(">=");
        if (signed_number("0") != 0) fail("a constraint ends with \">= 0\"");
        check_names(block, constraint);
        block.constraints.push_back(std::move(constraint));
      } else {
        Refinement ref = refinement(block);
        if (block.ref(ref.into) != nullptr) {
          fail("refinement " + quote(ref.into) + " is given twice");
        }
        block.add_ref(std::move(ref));
      }
    }
  }

  /// Only constraints have ">=" in their line.
  [[nodiscard]] bool is_constraint() const {
    const std::size_t end = text_.find_first_of("\n:[", at_);
    return text_.substr(at_, end == std::string_view::npos ? end : end - at_).find(">=") !=
           std::string_view::npos;
  }

  std::vector<std::string> names_until(std::string_view end) {
    std::vector<std::string> result;
    list(end, [&] { result.push_back(name("a name")); });
    return result;
  }

  Statement::Operation operation() {
    std::vector<std::string> outputs;
    if (take("(")) {
      outputs = names_until(")");
    } else if (skip_space(), peek() != '=') {
      outputs.push_back(name("a statement"));
    }
    need("=");
    skip_space();
    if (outputs.size() == 1 && is_scalar_name(outputs[0])) {
      if (take("(int)")) return Constant{outputs[0], signed_number("an integer")};
      if (take("(float)")) return Constant{outputs[0], real("a number")};
      if (std::string_view("-0123456789").find(peek()) != std::string_view::npos) {
        return Constant{outputs[0], number("a number")};
      }
    }
    const std::string function = name("the name of an operation");
    need("(");
    if (function == "load_index") {
      LoadIndex load{affine(), single(outputs, true, function)};
      need(")");
      return load;
    }
    std::vector<std::string> inputs = names_until(")");
    if (function == "load") {
      return Load{single(inputs, false, function), single(outputs, true, function)};
    }
    if (function == "store") {
      return Store{single(inputs, true, function), single(outputs, false, function)};
    }
    return call(function, std::move(inputs), std::move(outputs));
  }

  std::string single(const std::vector<std::string>& names, bool scalar,
                     const std::string& function) {
    if (names.size() != 1 || is_scalar_name(names[0]) != scalar) {
      fail(fmt::format("{} has one scalar, which begins with $, and one other operand", function));
    }
    return names[0];
  }

  /// Scalars begin with $: those are intrinsics, all others specials.
  Statement::Operation call(const std::string& function, std::vector<std::string> inputs,
                            std::vector<std::string> outputs) {
    std::size_t scalars = 0;
    for (const std::string& n : inputs) scalars += is_scalar_name(n) ? 1 : 0;
    for (const std::string& n : outputs) scalars += is_scalar_name(n) ? 1 : 0;
    if (scalars == 0) return Special{function, std::move(inputs), std::move(outputs), {}, {}};
    if (scalars != inputs.size() + outputs.size()) {
      fail(quote(function) + " mixes scalars, which begin with $, and refinements");
    }
    return Intrinsic{function, std::move(inputs), std::move(outputs), DataType::unknown};
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool placed_ = false;
};

}  // namespace

Program read_text_form(std::string_view text, const std::string& where) {
  if (text.size() > longest_program_text) {
    user_error("{}: {} bytes; at most {} are read", where, text.size(), longest_program_text);
  }
  return Reader(text, where).read();
}

}  // namespace tactus::stripe

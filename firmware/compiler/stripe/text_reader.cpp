// Programs from printed text, in either dialect.
#include <cstdlib>

#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/text_parts.h"
#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

class Reader : TextParts {
 public:
  Reader(std::string_view text, const std::string& where) : TextParts(text, where) {}

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

  // ---- statements ----

  Statement statement(const Block* parent, std::size_t depth) {
    if (depth > max_block_depth) {
      fail(fmt::format("blocks are nested more than {} deep", max_block_depth));
    }
    Statement stmt;
    const std::size_t count = parent != nullptr ? parent->statements.size() : 0;
    const std::uint64_t number = unsigned_number("a statement, \"NUMBER: ...\"");
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
};

}  // namespace

Program read_text_form(std::string_view text, const std::string& where) {
  if (text.size() > longest_program_text) {
    user_error("{}: {} bytes; at most {} are read", where, text.size(), longest_program_text);
  }
  return Reader(text, where).read();
}

}  // namespace tactus::stripe

// Programs from protobuf text.
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "firmware/compiler/stripe/protobuf_names.h"
#include "firmware/compiler/stripe/text.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;
using Tree = TextFormat::ParseInfoTree;

/// Messages that one block may add to the nesting: statement, block, and within it down to the
/// terms of an access.
constexpr int messages_a_block = 2;
constexpr int messages_within = 8;

class Collector : public google::protobuf::io::ErrorCollector {
 public:
  explicit Collector(const std::string& where) : where_(where) {}
  void AddError(int line, int column, const std::string& what) override {
    if (first_.empty()) first_ = fmt::format("{}:{}:{}: {}", where_, line + 1, column + 1, what);
  }
  void AddWarning(int line, int column, const std::string& what) override {
    AddError(line, column, what);
  }
  [[nodiscard]] const std::string& first() const { return first_; }

 private:
  const std::string& where_;
  std::string first_;
};

class FromMessages {
 public:
  FromMessages(const std::string& where, bool lenient) : where_(where), lenient_(lenient) {}

  Statement statement(const proto::Statement& from, const Tree* tree, std::uint32_t line,
                      const Block& parent, std::size_t depth) {
    Statement stmt;
    stmt.line = line;
    attributes(from.attrs(), stmt, line);
    for (const std::uint32_t dep : from.deps()) {
      if (dep >= parent.statements.size()) {
        fail(line, fmt::format("a dependency on statement {}, which does not come before", dep));
      }
      stmt.deps.push_back(parent.statements[dep].id);
    }
    operation(from, tree, stmt, depth);
    return stmt;
  }

  Block block(const proto::Block& from, const Tree* tree, std::size_t depth) {
    if (depth > max_block_depth) {
      fail(line_, fmt::format("blocks are nested more than {} deep", max_block_depth));
    }
    Block result;
    result.name = from.name();
    result.comments = from.comments();
    result.location = location(from.loc(), line_);
    for (int i = 0; i < from.idxs_size(); ++i) {
      result.indexes.push_back(index(from.idxs(i), line_of(from, "idxs", i, tree)));
    }
    for (const proto::Affine& constraint : from.constraints()) {
      result.constraints.push_back(affine(constraint, line_));
      check_names(result, result.constraints.back(), line_);
    }
    for (int i = 0; i < from.refs_size(); ++i) {
      const std::uint32_t line = line_of(from, "refs", i, tree);
      Refinement ref = refinement(from.refs(i), line);
      if (result.ref(ref.into) != nullptr) {
        fail(line, "refinement " + quote(ref.into) + " is given twice");
      }
      for (const Affine& access : ref.access) check_names(result, access, line);
      result.add_ref(std::move(ref));
    }
    for (int i = 0; i < from.stmts_size(); ++i) {
      const std::uint32_t line = line_of(from, "stmts", i, tree);
      result.append(statement(from.stmts(i), nested(from, "stmts", i, tree), line, result, depth));
    }
    return result;
  }

  [[noreturn]] void fail(std::uint32_t line, const std::string& what) const {
    user_error("{}:{}: {}", where_, line, what);
  }

  std::uint32_t line_of(const Message& message, const std::string& field, int index,
                        const Tree* tree) {
    if (tree == nullptr) return line_;
    const FieldDescriptor* descriptor = message.GetDescriptor()->FindFieldByName(field);
    const auto location = tree->GetLocation(descriptor, descriptor->is_repeated() ? index : -1);
    if (location.line >= 0) line_ = static_cast<std::uint32_t>(location.line) + 1;
    return line_;
  }

  static const Tree* nested(const Message& message, const std::string& field, int index,
                            const Tree* tree) {
    if (tree == nullptr) return nullptr;
    const FieldDescriptor* descriptor = message.GetDescriptor()->FindFieldByName(field);
    return tree->GetTreeForNested(descriptor, descriptor->is_repeated() ? index : -1);
  }

 private:
  void check_names(const Block& block, const Affine& affine, std::uint32_t line) const {
    for (const Affine::Term& term : affine.terms()) {
      if (block.index(term.first) == nullptr) {
        fail(line, fmt::format("{} is no index of block {}", quote(term.first), quote(block.name)));
      }
    }
  }

  template <typename Entries>
  void attributes(const Entries& entries, Tagged& tagged, std::uint32_t line) const {
    for (const proto::AttributeEntry& entry : entries) {
      if (!tagged.attributes.emplace(entry.key(), attribute(entry.value())).second) {
        fail(line, "attribute " + quote(entry.key()) + " is given twice");
      }
    }
  }

  static Attribute attribute(const proto::Attribute& from) {
    switch (from.attr_case()) {
      case proto::Attribute::kBval:
        return from.bval();
      case proto::Attribute::kIval:
        return std::int64_t{from.ival()};
      case proto::Attribute::kFval:
        return from.fval();
      case proto::Attribute::kSval:
        return from.sval();
      case proto::Attribute::kAny:
        return AnyValue{from.any().type_url(), from.any().value()};
      case proto::Attribute::ATTR_NOT_SET:
        break;
    }
    return std::monostate();
  }

  Affine affine(const proto::Affine& from, std::uint32_t line) const {
    Affine result(from.offset());
    for (const proto::Term& term : from.terms()) {
      if (term.key().empty()) fail(line, "a term of an affine has no name");
      if (result.uses(term.key())) {
        fail(line, "index " + quote(term.key()) + " is given twice in an affine");
      }
      result.set_coefficient(term.key(), term.value());
    }
    return result;
  }

  Location location(const proto::Location& from, std::uint32_t line) const {
    Location result;
    for (const proto::Device& device : from.devs()) {
      result.devices.push_back({device.name(), {}});
      for (const proto::Affine& unit : device.units()) {
        result.devices.back().units.push_back(affine(unit, line));
      }
    }
    if (from.name().empty()) return result;
    if (!result.devices.empty()) fail(line, "a location has either devs or name and unit");
    result.devices.push_back({from.name(), {}});
    if (from.has_unit()) result.devices.back().units.push_back(affine(from.unit(), line));
    return result;
  }

  Index index(const proto::Index& from, std::uint32_t line) const {
    Index result;
    result.name = from.name();
    result.range = from.range();
    result.affine = affine(from.affine(), line);
    result.line = line;
    attributes(from.attrs(), result, line);
    return result;
  }

  Refinement refinement(const proto::RefinementEntry& entry, std::uint32_t line) const {
    const proto::Refinement& from = entry.value();
    Refinement ref;
    ref.line = line;
    ref.into = entry.key();
    const auto direction = other_half<Direction>(protobuf_directions, from.dir());
    if (!direction) fail(line, "unknown direction");
    ref.direction = *direction;
    ref.from = from.from();
    for (const proto::Affine& access : from.access()) ref.access.push_back(affine(access, line));
    const proto::TensorShape& shape = from.interior_shape();
    ref.shape.type = type_of(shape.type());
    ref.shape.codec = shape.codec();
    ref.shape.layout = shape.layout();
    ref.shape.is_const = shape.is_const();
    for (const auto& dim : shape.dims()) ref.shape.dims.push_back({dim.size(), dim.stride()});
    ref.agg_op = from.agg_op();
    ref.location = location(from.loc(), line);
    ref.offset = from.offset();
    if (from.has_bank_dim()) ref.bank_dim = from.bank_dim().value();
    attributes(from.attrs(), ref, line);
    if (lenient_) {
      if (ref.from.empty() && ref.direction != Direction::none) ref.from = ref.into;
      if (ref.access.empty()) ref.access.resize(ref.shape.dims.size());
    }
    return ref;
  }

  void operation(const proto::Statement& from, const Tree* tree, Statement& stmt,
                 std::size_t depth) {
    switch (from.op_case()) {
      case proto::Statement::kLoad:
        stmt.op = Load{from.load().from(), from.load().into()};
        return;
      case proto::Statement::kStore:
        stmt.op = Store{from.store().from(), from.store().into()};
        return;
      case proto::Statement::kLoadIndex:
        stmt.op = LoadIndex{affine(from.load_index().from(), stmt.line), from.load_index().into()};
        return;
      case proto::Statement::kIntrinsic: {
        const proto::Intrinsic& op = from.intrinsic();
        stmt.op = Intrinsic{op.name(),
                            {op.inputs().begin(), op.inputs().end()},
                            {op.outputs().begin(), op.outputs().end()},
                            type_of(op.type())};
        return;
      }
      case proto::Statement::kConstant:
        constant(from.constant(), stmt);
        return;
      case proto::Statement::kBlock:
        stmt.op = BlockBox(block(from.block(), nested(from, "block", -1, tree), depth + 1));
        return;
      case proto::Statement::kSpecial:
        special(from.special(), stmt);
        return;
      case proto::Statement::OP_NOT_SET:
        fail(stmt.line, "a statement without an operation");
    }
  }

  void constant(const proto::Constant& from, Statement& stmt) const {
    switch (from.value_case()) {
      case proto::Constant::kIconst:
        stmt.op = Constant{from.name(), std::int64_t{from.iconst()}};
        return;
      case proto::Constant::kFconst:
        stmt.op = Constant{from.name(), from.fconst()};
        return;
      case proto::Constant::VALUE_NOT_SET:
        fail(stmt.line, "constant " + quote(from.name()) + " has no value");
    }
  }

  void special(const proto::Special& from, Statement& stmt) const {
    Special op;
    op.name = from.name();
    op.inputs.assign(from.inputs().begin(), from.inputs().end());
    op.outputs.assign(from.outputs().begin(), from.outputs().end());
    const auto read = [&](const auto& params, auto& to) {
      for (const auto& param : params) {
        if (to.emplace(param.key(), param.value()).second) continue;
        fail(stmt.line, "parameter " + quote(param.key()) + " is given twice");
      }
    };
    read(from.int_params(), op.int_params);
    read(from.str_params(), op.str_params);
    stmt.op = std::move(op);
  }

  const std::string& where_;
  bool lenient_;
  std::uint32_t line_ = 1;  ///< line of the last token
};

/// The first word that is no comment; protobuf text of a program begins with one of its two fields.
bool holds_program(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '#') {
      while (at < text.size() && text[at] != '\n') ++at;
    } else if (std::isspace(static_cast<unsigned char>(text[at])) == 0) {
      break;
    } else {
      ++at;
    }
  }
  const auto begins = [&](std::string_view word) { return text.substr(at, word.size()) == word; };
  return begins("entry") || begins("buffers");
}

void parse(std::string_view text, const std::string& where, Message& message, Tree& tree) {
  if (text.size() > longest_program_text) {
    user_error("{}: {} bytes; at most {} are read", where, text.size(), longest_program_text);
  }
  const std::size_t invalid = find_invalid_utf8(text);
  if (invalid != std::string_view::npos) {
    user_error(
        "{}:{}: not UTF-8", where,
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(invalid), '\n'));
  }
  Collector errors(where);
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&tree);
  parser.SetRecursionLimit(messages_a_block * static_cast<int>(max_block_depth + 1) +
                           messages_within);
  if (!parser.ParseFromString(std::string(text), &message)) {
    throw UserError(errors.first().empty() ? where + ": is no protobuf text" : errors.first());
  }
  // Warnings of the parser, which it can only print, are errors here.
  if (!errors.first().empty()) throw UserError(errors.first());
}

}  // namespace

Program read_protobuf_text(std::string_view text, const std::string& where, bool lenient) {
  Program program;
  Tree tree;
  FromMessages from(where, lenient);
  try {
    if (!holds_program(text)) {
      proto::Block message;
      parse(text, where, message, tree);
      program.entry.op = BlockBox(from.block(message, &tree, 0));
      return program;
    }
    proto::Program message;
    parse(text, where, message, tree);
    const std::uint32_t line = from.line_of(message, "entry", -1, &tree);
    if (!message.entry().has_block()) from.fail(line, "the entry of a program must be a block");
    if (message.entry().deps_size() != 0) {
      from.fail(line, "the program's block has no statements before it");
    }
    program.entry =
        from.statement(message.entry(), from.nested(message, "entry", -1, &tree), line, Block(), 0);
    for (const proto::BufferEntry& entry : message.buffers()) {
      auto [buffer, added] =
          program.buffers.emplace(entry.key(), std::map<std::string, std::string>());
      if (!added) from.fail(line, "buffer " + quote(entry.key()) + " is given twice");
      for (const proto::Section& section : entry.value().sections()) {
        if (!buffer->second.emplace(section.key(), section.value()).second) {
          from.fail(line, "section " + quote(section.key()) + " is given twice");
        }
      }
    }
  } catch (const google::protobuf::FatalException& error) {
    user_error("{}: {}", where, error.what());
  }
  return program;
}

}  // namespace tactus::stripe

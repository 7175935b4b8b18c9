// Programs as printed text.

#include <fmt/format.h>

#include "firmware/compiler/stripe/text.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

/// Six significant digits, as the canonical form has them: 0.1, 1e-05, 3.
std::string number_of(double value) { return fmt::format("{:g}", value); }

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

struct AttributeText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(bool value) const { return value ? "=true" : "=false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("={}", value); }
  std::string operator()(double value) const {
    std::string text = fmt::format("{}", value);
    // A float must not read as an integer.
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return "=" + text;
  }
  std::string operator()(const std::string& value) const { return "=" + quoted(value); }
  std::string operator()(const AnyValue& value) const {
    return "=any(" + quoted(value.type_url) + ", " + quoted(value.bytes) + ")";
  }
};

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  return number_of(static_cast<double>(bytes) / 1024.0) + " KiB";
}

std::string list_of(const std::vector<Affine>& affines) {
  std::string out;
  for (const Affine& affine : affines) {
    if (!out.empty()) out += ", ";
    out += affine.text();
  }
  return out;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

class Printer {
 public:
  explicit Printer(Dialect dialect) : slides_(dialect == Dialect::slides) {}

  std::string print(const Statement& entry) {
    statement(entry, 0, 0, {});
    return std::move(out_);
  }

 private:
  void indent(std::size_t depth) { out_.append(2 * depth, ' '); }

  void tags(const Tagged& tagged, bool values) {
    for (const auto& [name, value] : tagged.attributes) {
      out_ += '#' + name;
      if (values) out_ += std::visit(AttributeText(), value);
      out_ += ' ';
    }
  }

  [[nodiscard]] std::string slide_location(const Location& location) const {
    if (location.empty()) return "[0]";
    if (location.devices.size() > 1 || location.devices[0].units.size() > 1) {
      user_error("the slides' dialect has one name and one unit a location, not {}",
                 quote(location.text()));
    }
    const Device& device = location.devices[0];
    return device.name + "[" + (device.units.empty() ? "0" : device.units[0].text()) + "]";
  }

  void dims(const TensorShape& shape, const std::optional<std::size_t>& bank_dim, bool strides) {
    out_ += '(';
    for (std::size_t i = 0; i < shape.dims.size(); ++i) {
      if (i != 0) out_ += ", ";
      const Dimension& dim = shape.dims[i];
      const std::string text = strides ? std::to_string(dim.stride) : std::to_string(dim.size);
      out_ += bank_dim == i ? "{" + text + "}" : text;
    }
    out_ += ')';
  }

  void codec_bytes(const TensorShape& shape) {
    out_ += bytes_text(shape.bytes());
    if (!shape.codec.empty()) out_ += "(" + bytes_text(shape.bytes()) + ")";
  }

  void refinement(const Block& block, const Refinement& ref) {
    if (!slides_) tags(ref, false);
    out_ += direction_name(ref.direction);
    if (ref.shape.is_const) out_ += " const";
    if (ref.from.empty()) out_ += fmt::format(" new@0x{:08x}", ref.offset);
    if (slides_) {
      if (ref.from.empty() && ref.bank_dim) out_ += fmt::format(",{}", *ref.bank_dim);
      out_ += "<" + slide_location(ref.location) + ">";
    }
    out_ += " " + ref.into;
    if (!ref.from.empty() && ref.from != ref.into) out_ += " = " + ref.from;
    if (!slides_ && !ref.location.empty()) out_ += "<" + ref.location.text() + ">";
    out_ += "[" + list_of(ref.access) + "]";
    if (!ref.agg_op.empty()) out_ += ":" + ref.agg_op;
    out_ += fmt::format(" {}", type_name(ref.shape.type));
    if (slides_) {
      out_ += '(';
      for (std::size_t i = 0; i < ref.shape.dims.size(); ++i) {
        const Dimension& dim = ref.shape.dims[i];
        out_ += fmt::format("{}{}:{}", i == 0 ? "" : ", ", dim.size, dim.stride);
      }
      out_ += ')';
      return;
    }
    // A codec must be preceded by the layout's brackets.
    if (!ref.shape.layout.empty() || !ref.shape.codec.empty()) {
      out_ += "[" + ref.shape.layout + "]";
    }
    if (!ref.shape.codec.empty()) out_ += "[" + ref.shape.codec + "]";
    out_ += ":I";
    dims(ref.shape, ref.bank_dim, false);
    out_ += ':';
    dims(ref.shape, ref.bank_dim, true);
    out_ += ':';
    codec_bytes(ref.shape);
    if (!ref.from.empty()) {
      const TensorShape exterior = block.exterior_shape(ref);
      out_ += ", E";
      dims(exterior, ref.bank_dim, false);
      out_ += ':';
      codec_bytes(exterior);
    }
    if (ref.cache_unit) out_ += ", cache[" + ref.cache_unit->text() + "]";
  }

  void index(const Index& idx) {
    const bool tagged = !slides_ && !idx.attributes.empty();
    if (tagged) {
      out_ += '(';
      tags(idx, false);
    }
    out_ += idx.name;
    out_ += idx.is_computed() ? " = " + idx.affine.text() : fmt::format(":{}", idx.range);
    if (tagged) out_ += ')';
  }

  void block(const Block& block, std::size_t depth) {
    out_ += "block";
    if (!block.location.empty()) {
      out_ += "<" + (slides_ ? slide_location(block.location) : block.location.text()) + ">";
    }
    out_ += " [";
    for (std::size_t i = 0; i < block.indexes.size(); ++i) {
      if (i != 0) out_ += ", ";
      index(block.indexes[i]);
    }
    out_ += ']';
    if (!slides_) out_ += fmt::format(":{}", block.positions());
    out_ += " (";
    if (!block.name.empty()) out_ += " // " + block.name;
    out_ += '\n';
    comments(block.comments, depth + 2);
    for (const Affine& constraint : block.constraints) {
      indent(depth + 2);
      out_ += constraint.text() + " >= 0\n";
    }
    for (const auto& [into, ref] : block.refs) {
      indent(depth + 2);
      refinement(block, ref);
      out_ += '\n';
    }
    indent(depth);
    out_ += ") {\n";
    std::map<StatementId, std::size_t> before;
    for (std::size_t i = 0; i < block.statements.size(); ++i) {
      statement(block.statements[i], depth + 1, i, before);
      before.emplace(block.statements[i].id, i);
    }
    indent(depth);
    out_ += "}\n";
  }

  void comments(const std::string& text, std::size_t depth) {
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = text.find('\n', begin);
      if (end == std::string::npos) end = text.size();
      indent(depth);
      out_ += "// " + text.substr(begin, end - begin) + "\n";
      begin = end + 1;
    }
  }

  void statement(const Statement& stmt, std::size_t depth, std::size_t number,
                 const std::map<StatementId, std::size_t>& before) {
    if (depth > max_block_depth) {
      user_error("blocks are nested more than {} deep", max_block_depth);
    }
    indent(depth);
    out_ += std::to_string(number);
    if (!stmt.deps.empty()) {
      out_ += '[';
      for (std::size_t i = 0; i < stmt.deps.size(); ++i) {
        if (i != 0) out_ += ", ";
        const auto it = before.find(stmt.deps[i]);
        out_ += it != before.end() ? std::to_string(it->second) : "parent";
      }
      out_ += ']';
    }
    out_ += ": ";
    tags(stmt, true);
    if (!slides_ && !stmt.attributes.empty()) {
      out_ += '\n';
      indent(depth);
    }
    if (const Block* nested = stmt.block()) {
      block(*nested, depth);
    } else {
      std::visit([this](const auto& op) { operation(op); }, stmt.op);
      out_ += '\n';
    }
  }

  void operation(const Load& op) { out_ += op.into + " = load(" + op.from + ")"; }
  void operation(const Store& op) { out_ += op.into + " = store(" + op.from + ")"; }
  void operation(const LoadIndex& op) { out_ += op.into + " = load_index(" + op.from.text() + ")"; }
  void operation(const Constant& op) {
    out_ += op.name + " = ";
    if (const auto* integer = std::get_if<std::int64_t>(&op.value)) {
      if (!slides_) out_ += "(int)";
      out_ += std::to_string(*integer);
    } else {
      if (!slides_) out_ += "(float)";
      out_ += number_of(std::get<double>(op.value));
    }
  }
  void operation(const Intrinsic& op) { call(op.name, op.inputs, op.outputs); }
  void operation(const Special& op) { call(op.name, op.inputs, op.outputs); }
  void operation(const BlockBox&) {}

  void call(const std::string& name, const std::vector<std::string>& inputs,
            const std::vector<std::string>& outputs) {
    out_ += outputs.size() > 1 ? "(" + list_of(outputs) + ")" : list_of(outputs);
    out_ += " = " + name + "(" + list_of(inputs) + ")";
  }

  bool slides_;
  std::string out_;
};

}  // namespace

std::string print(const Statement& entry, Dialect dialect) { return Printer(dialect).print(entry); }

std::string print(const Program& program, Dialect dialect) { return print(program.entry, dialect); }

}  // namespace tactus::stripe

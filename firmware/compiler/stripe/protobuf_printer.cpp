// Programs to protobuf text.
#include <google/protobuf/text_format.h>

#include <algorithm>

#include "firmware/compiler/stripe/protobuf_names.h"
#include "firmware/compiler/stripe/text.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

void write(const Affine& from, proto::Affine& to) {
  to.set_offset(from.constant());
  for (const Affine::Term& term : from.terms()) {
    proto::Term& added = *to.add_terms();
    added.set_key(term.first);
    added.set_value(term.second);
  }
}

void write(const Location& from, proto::Location& to) {
  for (const Device& device : from.devices) {
    proto::Device& added = *to.add_devs();
    added.set_name(device.name);
    for (const Affine& unit : device.units) write(unit, *added.add_units());
  }
}

template <typename To>
void write_attributes(const Tagged& from, To& to) {
  for (const auto& [key, value] : from.attributes) {
    proto::AttributeEntry& entry = *to.add_attrs();
    entry.set_key(key);
    proto::Attribute& attr = *entry.mutable_value();
    if (const auto* flag = std::get_if<bool>(&value)) attr.set_bval(*flag);
    if (const auto* integer = std::get_if<std::int64_t>(&value)) attr.set_ival(*integer);
    if (const auto* real = std::get_if<double>(&value)) attr.set_fval(*real);
    if (const auto* text = std::get_if<std::string>(&value)) attr.set_sval(*text);
    if (const auto* any = std::get_if<AnyValue>(&value)) {
      attr.mutable_any()->set_type_url(any->type_url);
      attr.mutable_any()->set_value(any->bytes);
    }
  }
}

void write(const Refinement& from, proto::Refinement& to) {
  to.set_dir(other_half<proto::Refinement_Dir>(protobuf_directions, from.direction)
                 .value_or(proto::Refinement::None));
  to.set_from(from.from);
  for (const Affine& access : from.access) write(access, *to.add_access());
  proto::TensorShape& shape = *to.mutable_interior_shape();
  shape.set_type(type_of(from.shape.type));
  shape.set_codec(from.shape.codec);
  shape.set_layout(from.shape.layout);
  shape.set_is_const(from.shape.is_const);
  for (const Dimension& dim : from.shape.dims) {
    auto& added = *shape.add_dims();
    added.set_size(dim.size);
    added.set_stride(dim.stride);
  }
  to.set_agg_op(from.agg_op);
  write(from.location, *to.mutable_loc());
  to.set_offset(from.offset);
  write_attributes(from, to);
}

void write(const Block& from, proto::Block& to);

struct OperationWriter {
  proto::Statement& to;

  void operator()(const Load& op) const {
    to.mutable_load()->set_from(op.from);
    to.mutable_load()->set_into(op.into);
  }
  void operator()(const Store& op) const {
    to.mutable_store()->set_from(op.from);
    to.mutable_store()->set_into(op.into);
  }
  void operator()(const LoadIndex& op) const {
    write(op.from, *to.mutable_load_index()->mutable_from());
    to.mutable_load_index()->set_into(op.into);
  }
  void operator()(const Constant& op) const {
    to.mutable_constant()->set_name(op.name);
    if (const auto* integer = std::get_if<std::int64_t>(&op.value)) {
      to.mutable_constant()->set_iconst(*integer);
    } else {
      to.mutable_constant()->set_fconst(std::get<double>(op.value));
    }
  }
  void operator()(const Intrinsic& op) const {
    proto::Intrinsic& out = *to.mutable_intrinsic();
    out.set_name(op.name);
    for (const std::string& input : op.inputs) out.add_inputs(input);
    for (const std::string& output : op.outputs) out.add_outputs(output);
    out.set_type(type_of(op.type));
  }
  void operator()(const Special& op) const {
    proto::Special& out = *to.mutable_special();
    out.set_name(op.name);
    for (const std::string& input : op.inputs) out.add_inputs(input);
    for (const std::string& output : op.outputs) out.add_outputs(output);
    for (const auto& [key, value] : op.int_params) {
      out.add_int_params()->set_key(key);
      out.mutable_int_params()->rbegin()->set_value(value);
    }
    for (const auto& [key, value] : op.str_params) {
      out.add_str_params()->set_key(key);
      out.mutable_str_params()->rbegin()->set_value(value);
    }
  }
  void operator()(const BlockBox& box) const { write(*box, *to.mutable_block()); }
};

void write(const Statement& from, const std::map<StatementId, std::size_t>& before,
           proto::Statement& to) {
  std::vector<std::uint32_t> deps;
  for (const StatementId id : from.deps) {
    const auto it = before.find(id);
    if (it != before.end()) deps.push_back(static_cast<std::uint32_t>(it->second));
  }
  std::sort(deps.begin(), deps.end());
  for (const std::uint32_t dep : deps) to.add_deps(dep);
  write_attributes(from, to);
  std::visit(OperationWriter{to}, from.op);
}

void write(const Block& from, proto::Block& to) {
  to.set_name(from.name);
  to.set_comments(from.comments);
  write(from.location, *to.mutable_loc());
  for (const Index& idx : from.indexes) {
    proto::Index& added = *to.add_idxs();
    added.set_name(idx.name);
    added.set_range(idx.range);
    write(idx.affine, *added.mutable_affine());
    write_attributes(idx, added);
  }
  for (const Affine& constraint : from.constraints) write(constraint, *to.add_constraints());
  for (const auto& [into, ref] : from.refs) {
    proto::RefinementEntry& added = *to.add_refs();
    added.set_key(into);
    write(ref, *added.mutable_value());
  }
  std::map<StatementId, std::size_t> before;
  for (const Statement& stmt : from.statements) {
    write(stmt, before, *to.add_stmts());
    before.emplace(stmt.id, before.size());
  }
}

}  // namespace

std::string print_protobuf_text(const Program& program) {
  proto::Program message;
  write(program.entry, {}, *message.mutable_entry());
  for (const auto& [name, sections] : program.buffers) {
    proto::BufferEntry& entry = *message.add_buffers();
    entry.set_key(name);
    for (const auto& [key, bytes] : sections) {
      proto::Section& section = *entry.mutable_value()->add_sections();
      section.set_key(key);
      section.set_value(bytes);
    }
  }
  std::string text;
  google::protobuf::TextFormat::Printer printer;
  if (!printer.PrintToString(message, &text)) internal_error("a program could not be printed");
  return text;
}

}  // namespace tactus::stripe

#include "isa/dpas/container.h"

#include <algorithm>
#include <map>
#include <set>

#include "isa/dpas/bytes.h"
#include "isa/support/text.h"

namespace tactus::dpas {
namespace {

constexpr std::uint32_t magic = 0x41534943;  // "CISA"
/// Bytes of an annotation: index, flags, token that is set, tokens that are waited for.
constexpr unsigned annotation_bytes = 4 + 1 + 1 + 4 + 4;
constexpr unsigned annotations_each = 255 / annotation_bytes;
constexpr std::size_t most_instructions = 1U << 24U;

bool wide_ids(unsigned minor) { return minor >= 4; }

// ---- writing ------------------------------------------------------------------------------------

class KernelWriter {
 public:
  KernelWriter(const Program& program, const Kernel& kernel, const BinaryForm& form)
      : program_(program), kernel_(kernel), form_(form), out_(bytes_) {}

  std::vector<std::uint8_t> run(std::size_t& input_offset) {
    collect_strings();
    out_.u32(strings_.size());
    for (const std::string& text : strings_) {
      out_.text(text);
      out_.u8(0);
    }
    out_.u32(string(kernel_.name));
    write_variables();
    out_.u16(0);  // addresses
    out_.u16(kernel_.predicates.size());
    for (const Predicate& predicate : kernel_.predicates) {
      out_.u32(string(predicate.name));
      out_.u16(predicate.elements);
      out_.u8(0);
    }
    out_.u16(kernel_.labels.size());
    for (const Label& label : kernel_.labels) {
      out_.u32(string(label.name));
      out_.u8(label.is_function ? 1 : 0);
      out_.u8(0);
    }
    out_.u8(0);  // samplers
    out_.u8(0);  // surfaces
    out_.u8(0);  // VME variables
    input_offset = bytes_.size();
    write_inputs();
    write_code();
    return std::move(bytes_);
  }

 private:
  void add_string(const std::string& text) {
    if (index_.emplace(text, strings_.size()).second) strings_.push_back(text);
  }
  std::uint32_t string(const std::string& text) const {
    return static_cast<std::uint32_t>(index_.at(text));
  }

  void collect_strings() {
    add_string("");
    add_string(kernel_.name);
    for (const Variable& variable : kernel_.variables) add_string(variable.name);
    for (const Predicate& predicate : kernel_.predicates) add_string(predicate.name);
    for (const Label& label : kernel_.labels) add_string(label.name);
    for (const Attribute& attribute : kernel_.attributes) add_string(attribute.name);
    add_string(std::string(annotation_attribute));
  }

  void write_variables() {
    out_.u32(kernel_.variables.size());
    for (const Variable& v : kernel_.variables) {
      out_.u32(string(v.name));
      out_.u8(static_cast<unsigned>(v.type) | static_cast<unsigned>(v.align) << 4);
      out_.u16(v.elements);
      out_.put(v.alias_of, form_.wide_ids ? 4 : 2);
      out_.u16(v.alias_offset);
      out_.u8(0);
      out_.u8(0);
    }
  }

  void write_inputs() {
    out_.put(kernel_.inputs.size(), program_.minor >= 5 ? 4 : 1);
    for (const Input& input : kernel_.inputs) {
      out_.u8(0);
      out_.put(input.variable, form_.wide_ids ? 4 : 2);
      out_.u16(input.offset);
      out_.u16(input.size);
    }
  }

  static std::string attribute_bytes(const Attribute& attribute) {
    if (attribute.name == "Target") return {attribute.value == "3d" ? '\1' : '\0'};
    if (!attribute.is_number) return attribute.value;
    std::vector<std::uint8_t> bytes;
    ByteWriter out(bytes);
    out.put(std::stoull(attribute.value), is_byte_attribute(attribute.name) ? 1 : 4);
    return {bytes.begin(), bytes.end()};
  }

  std::vector<std::string> annotation_values() const {
    std::vector<std::uint8_t> bytes;
    ByteWriter out(bytes);
    for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
      const Annotations& a = kernel_.instructions[i].annotations;
      if (!a.any()) continue;
      out.u32(i);
      out.u8(a.atomic ? 1 : 0);
      out.u8(a.sets);
      out.u32(a.waits_written);
      out.u32(a.waits_read);
    }
    std::vector<std::string> values;
    constexpr std::size_t step = annotations_each * annotation_bytes;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      const auto count = static_cast<std::ptrdiff_t>(std::min(step, bytes.size() - at));
      values.emplace_back(first, first + count);
    }
    return values;
  }

  void write_attribute(const std::string& name, const std::string& value) {
    out_.u32(string(name));
    out_.u8(value.size());
    out_.text(value);
  }

  void write_code() {
    std::vector<std::uint8_t> code;
    for (const Instruction& instruction : kernel_.instructions) encode(instruction, form_, code);
    const std::vector<std::string> annotations = annotation_values();
    out_.u32(code.size());
    const std::size_t entry = bytes_.size();
    out_.u32(0);
    out_.u16(kernel_.attributes.size() + annotations.size());
    for (const Attribute& attribute : kernel_.attributes) {
      write_attribute(attribute.name, attribute_bytes(attribute));
    }
    for (const std::string& value : annotations) {
      write_attribute(std::string(annotation_attribute), value);
    }
    out_.patch(entry, bytes_.size(), 4);
    bytes_.insert(bytes_.end(), code.begin(), code.end());
  }

  const Program& program_;
  const Kernel& kernel_;
  BinaryForm form_;
  std::vector<std::uint8_t> bytes_;
  ByteWriter out_;
  std::vector<std::string> strings_;
  std::map<std::string, std::size_t> index_;
};

// ---- reading ------------------------------------------------------------------------------------

/// True if the text is a name that the assembler accepts. Names from binaries appear in text, so
/// they must be.
bool is_name(const std::string& text) {
  if (text.empty() || text.size() > 255 || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || c == '@' || c == '?';
  });
}

class KernelReader {
 public:
  KernelReader(ByteReader in, Program& program, const BinaryForm& form, const std::uint8_t* bytes,
               const std::string& where)
      : in_(in), program_(program), form_(form), bytes_(bytes), where_(where), start_(in.at()) {}

  Kernel run(const std::string& name) {
    kernel_.name = name;
    read_strings();
    (void)string("the kernel's name");
    read_variables();
    refuse_any(2, "address");
    read_predicates();
    read_labels();
    refuse_any(1, "sampler");
    refuse_any(1, "surface");
    refuse_any(1, "VME");
    read_inputs();
    read_code();
    return std::move(kernel_);
  }

 private:
  void read_strings() {
    const std::uint32_t count = in_.count(4, 1, "the number of names");
    for (std::uint32_t i = 0; i < count; ++i) strings_.push_back(in_.text_to_nul("a name"));
  }

  const std::string& string(const char* what) {
    const std::size_t start = in_.at();
    const std::uint32_t index = in_.u32(what);
    if (index >= strings_.size()) {
      in_.fail(start, "{} is name number {}; allowed 0..{}", what, index,
               static_cast<std::int64_t>(strings_.size()) - 1);
    }
    return strings_[index];
  }

  /// Returns the name if the text form accepts it and it is not used yet; otherwise a name made of
  /// the id.
  std::string unique_name(const std::string& name, char kind, std::size_t number) {
    if (is_name(name) && used_.insert(name).second) return name;
    std::string made = kind + std::to_string(number);
    while (!used_.insert(made).second) made += "_";
    return made;
  }

  void skip_attributes() {
    const std::uint8_t count = in_.u8("a number of attributes");
    for (unsigned i = 0; i < count; ++i) {
      (void)string("an attribute's name");
      const std::uint8_t size = in_.u8("an attribute's size");
      (void)in_.text(size, "an attribute");
    }
  }

  void refuse_any(unsigned width, const char* kind) {
    const std::size_t start = in_.at();
    const std::uint64_t count = in_.get(width, "a number of variables");
    if (count != 0) {
      in_.fail(start, "the kernel has {} {} variables; allowed general variables and predicates",
               count, kind);
    }
  }

  void read_variables() {
    const std::uint32_t count = in_.count(4, form_.wide_ids ? 15 : 13, "the number of variables");
    for (std::uint32_t i = 0; i < count; ++i) read_variable(i);
  }

  void read_variable(std::uint32_t index) {
    Variable v;
    v.name = unique_name(string("a variable's name"), 'V', index + first_user_variable);
    const std::size_t start = in_.at();
    const std::uint8_t bits = in_.u8("a variable's type");
    v.type = static_cast<Type>(bits & 0xFU);
    if (bits >> 4 >= align_codes || v.type == Type::v || v.type == Type::vf || v.type == Type::uv ||
        v.type == Type::boolean) {
      in_.fail(start, "variable {} has type and alignment 0x{:02X}, which do not exist",
               quote(v.name), bits);
    }
    v.align = static_cast<Align>(bits >> 4);
    v.elements = in_.u16("a variable's elements");
    if (v.elements == 0) in_.fail(start, "variable {} has no elements", quote(v.name));
    const std::size_t alias_at = in_.at();
    v.alias_of = static_cast<std::uint32_t>(in_.get(form_.wide_ids ? 4 : 2, "an alias"));
    v.alias_offset = in_.u16("an alias offset");
    if (v.alias_of != null_variable &&
        (v.alias_of < first_user_variable || v.alias_of - first_user_variable >= index)) {
      in_.fail(alias_at, "variable {} is an alias of id {}; allowed {}..{}, variables before it",
               quote(v.name), v.alias_of, first_user_variable, first_user_variable + index - 1);
    }
    if (v.alias_of == null_variable && v.alias_offset != 0) {
      in_.fail(alias_at, "variable {} has an alias offset without an alias", quote(v.name));
    }
    if (in_.u8("an alias scope") != 0) {
      in_.fail(alias_at,
               "variable {} is an alias of a variable of the file; allowed those of the "
               "kernel",
               quote(v.name));
    }
    skip_attributes();
    v.place = static_cast<std::uint32_t>(start);
    kernel_.variables.push_back(std::move(v));
  }

  void read_predicates() {
    const std::uint32_t count = in_.count(2, 7, "the number of predicates");
    for (std::uint32_t i = 0; i < count; ++i) {
      Predicate predicate;
      predicate.name = unique_name(string("a predicate's name"), 'P', i + 1);
      const std::size_t start = in_.at();
      predicate.elements = in_.u16("a predicate's elements");
      const std::uint32_t n = predicate.elements;
      if (n == 0 || n > 32 || (n & (n - 1)) != 0) {
        in_.fail(start, "predicate {} has {} elements; allowed 1, 2, 4, 8, 16, 32",
                 quote(predicate.name), n);
      }
      skip_attributes();
      kernel_.predicates.push_back(std::move(predicate));
    }
  }

  void read_labels() {
    const std::uint32_t count = in_.count(2, 6, "the number of labels");
    used_.clear();  // labels have a name space of their own
    for (std::uint32_t i = 0; i < count; ++i) {
      Label label;
      label.name = unique_name(string("a label's name"), 'L', i);
      label.is_function = (in_.u8("a label's kind") & 1U) != 0;
      skip_attributes();
      kernel_.labels.push_back(std::move(label));
    }
  }

  void read_inputs() {
    const std::uint32_t count =
        in_.count(program_.minor >= 5 ? 4 : 1, form_.wide_ids ? 9 : 7, "the number of inputs");
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t start = in_.at();
      if (in_.u8("an input's kind") != 0) {
        in_.fail(start, "input {} is no general variable; allowed kind 0", i);
      }
      Input input;
      input.variable = static_cast<std::uint32_t>(in_.get(form_.wide_ids ? 4 : 2, "an input"));
      input.offset = in_.u16("an input's offset");
      input.size = in_.u16("an input's size");
      if (kernel_.variable(input.variable) == nullptr) {
        in_.fail(start, "input {} is variable id {}; allowed {}", i, input.variable, id_range());
      }
      input.place = static_cast<std::uint32_t>(start);
      kernel_.inputs.push_back(input);
    }
  }

  std::string id_range() const {
    if (kernel_.variables.empty()) return "none: the kernel has no variables";
    return fmt::format("{}..{}", first_user_variable,
                       first_user_variable + kernel_.variables.size() - 1);
  }

  void read_code() {
    const std::size_t size_at = in_.at();
    const std::uint32_t size = in_.u32("the size of the code");
    const std::size_t entry_at = in_.at();
    const std::uint32_t entry = in_.u32("the entry");
    const std::uint16_t attributes = in_.u16("the number of attributes");
    for (unsigned i = 0; i < attributes; ++i) read_attribute();
    if (entry != in_.at() - start_) {
      in_.fail(entry_at,
               "the code starts at byte {} of the kernel; allowed {}, behind the "
               "attributes",
               entry, in_.at() - start_);
    }
    if (size > in_.end() - in_.at()) {
      in_.fail(size_at, "the code has {} bytes; {} are left", size, in_.end() - in_.at());
    }
    std::size_t at = in_.at();
    const std::size_t end = at + size;
    while (at < end) {
      kernel_.places.push_back(static_cast<std::uint32_t>(at));
      Instruction instruction = decode(bytes_, end, at, form_, where_);
      check_ids(instruction, kernel_.places.back());
      kernel_.instructions.push_back(instruction);
      if (kernel_.instructions.size() > most_instructions) {
        in_.fail(at, "more than {} instructions", most_instructions);
      }
    }
    if (kernel_.instructions.empty()) in_.fail(size_at, "the kernel has no instructions");
    apply_annotations();
  }

  void read_attribute() {
    const std::size_t start = in_.at();
    Attribute attribute;
    attribute.name = string("an attribute's name");
    const std::uint8_t size = in_.u8("an attribute's size");
    const std::string value = in_.text(size, "an attribute");
    if (attribute.name == annotation_attribute) {
      annotations_ += value;
      if (value.size() % annotation_bytes != 0) in_.fail(start, "annotations of {} bytes", size);
      return;
    }
    const bool text = !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
      return c >= ' ' && c < 127 && c != '"';
    });
    if (attribute.name == "Target" && size == 1 && (value[0] == 0 || value[0] == 1)) {
      attribute.value = value[0] == 1 ? "3d" : "cm";
    } else if (is_name(attribute.name) && text && !is_byte_attribute(attribute.name) &&
               attribute.name != "Target") {
      attribute.value = value;
    } else if (is_name(attribute.name) && size <= 4 && attribute.name != "Target" &&
               (size < 4 || value[3] == 0)) {
      std::uint32_t number = 0;
      for (unsigned i = 0; i < size; ++i) {
        number |= std::uint32_t{static_cast<std::uint8_t>(value[i])} << (8 * i);
      }
      attribute.is_number = true;
      attribute.value = std::to_string(size == 0 ? 1 : number);
    } else {
      program_.warnings.push_back(
          fmt::format("{}:offset 0x{:X}: warning: attribute {} of {} bytes is neither a text nor a "
                      "small number "
                      "and is left out",
                      where_, start, quote(attribute.name), size));
      return;
    }
    kernel_.attributes.push_back(std::move(attribute));
  }

  void apply_annotations() {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(annotations_.data());
    ByteReader in(bytes, annotations_.size(), 0, where_);
    while (in.at() < in.end()) {
      const std::uint32_t index = in.u32("an annotation");
      Annotations a;
      a.atomic = in.u8("an annotation") != 0;
      a.sets = in.u8("an annotation");
      a.waits_written = in.u32("an annotation");
      a.waits_read = in.u32("an annotation");
      if (index >= kernel_.instructions.size() ||
          (a.sets > 31 && a.sets != Annotations::no_token)) {
        in_.fail(start_, "an annotation is of instruction {} and token {}; allowed 0..{} and 0..31",
                 index, a.sets, kernel_.instructions.size() - 1);
      }
      kernel_.instructions[index].annotations = a;
    }
  }

  /// Checks the variables, predicates and labels that an instruction names; takes types from their
  /// declarations.
  void check_ids(Instruction& i, std::size_t at) {
    check_operand(i.dst, at);
    for (Operand& source : i.source) check_operand(source, at);
    check_predicate(i.predicate.variable, at, true);
    if ((i.opcode == Opcode::jmp || i.opcode == Opcode::label) &&
        i.label >= kernel_.labels.size()) {
      in_.fail(at, "label number {}; the kernel has {}", i.label, kernel_.labels.size());
    }
  }

  void check_predicate(std::uint32_t id, std::size_t at, bool none_allowed) {
    if ((none_allowed && id == 0) || (id >= 1 && id <= kernel_.predicates.size())) return;
    in_.fail(at, "predicate id {}; the kernel has {}", id, kernel_.predicates.size());
  }

  void check_operand(Operand& operand, std::size_t at) {
    if (operand.kind == Operand::Kind::predicate)
      return check_predicate(operand.variable, at, false);
    if (!operand.in_registers()) return;
    if (const Variable* const v = kernel_.variable(operand.variable)) {
      operand.type = v->type;
      return;
    }
    for (const PredefinedVariable& p : predefined_variables) {
      if (p.id != operand.variable) continue;
      operand.type = p.type;
      return;
    }
    in_.fail(at, "variable id {}; allowed {}, and of predefined ones 1..5 and 12", operand.variable,
             id_range());
  }

  ByteReader in_;
  Program& program_;
  BinaryForm form_;
  const std::uint8_t* bytes_;
  const std::string& where_;
  std::size_t start_;
  Kernel kernel_;
  std::vector<std::string> strings_;
  std::set<std::string> used_;
  std::string annotations_;
};

struct KernelEntry {
  std::string name;
  std::size_t at;  ///< position of the entry
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

KernelEntry read_entry(ByteReader& in, unsigned minor) {
  KernelEntry entry{{}, in.at()};
  const std::size_t length = minor >= 7 ? in.u16("a kernel's name") : in.u8("a kernel's name");
  entry.name = in.text(length, "a kernel's name");
  const bool printable_name = std::all_of(entry.name.begin(), entry.name.end(),
                                          [](char c) { return c >= ' ' && c < 127 && c != '"'; });
  if (entry.name.empty() || entry.name.size() > 255 || !printable_name) {
    in.fail(entry.at, "a kernel's name is {}; allowed 1..255 printable characters",
            quote(entry.name));
  }
  entry.offset = in.u32("a kernel's offset");
  entry.size = in.u32("a kernel's size");
  (void)in.u32("the offset of the inputs");
  for (const char* symbols : {"variable symbols", "function symbols"}) {
    const std::size_t at = in.at();
    if (in.u16("symbols") != 0)
      in.fail(at, "kernel {} has {}; allowed none", quote(entry.name), symbols);
  }
  const std::uint8_t binaries = in.u8("a number of native binaries");
  for (unsigned i = 0; i < binaries; ++i) (void)in.text(9, "a native binary's entry");
  return entry;
}

void refuse_file_scope(ByteReader& in, const char* what) {
  const std::size_t at = in.at();
  if (in.u16(what) != 0) in.fail(at, "the file has {}; allowed kernels only", what);
}

}  // namespace

bool is_byte_attribute(std::string_view name) {
  return name == "SimdSize" || name == "SLMSize" || name == "ArgSize" || name == "RetValSize";
}

bool is_container(const std::vector<std::uint8_t>& bytes) {
  return bytes.size() >= 4 && bytes[0] == 'C' && bytes[1] == 'I' && bytes[2] == 'S' &&
         bytes[3] == 'A';
}

std::vector<std::uint8_t> write_container(const Program& program, bool dpas_predicate) {
  std::vector<std::uint8_t> bytes;
  ByteWriter out(bytes);
  out.u32(magic);
  out.u8(program.major);
  out.u8(program.minor);
  out.u16(program.kernels.size());
  const BinaryForm form{wide_ids(program.minor), dpas_predicate};
  std::vector<std::size_t> entries;
  for (const Kernel& kernel : program.kernels) {
    out.put(kernel.name.size(), program.minor >= 7 ? 2 : 1);
    out.text(kernel.name);
    entries.push_back(out.size());
    for (unsigned i = 0; i < 3; ++i) out.u32(0);
    out.u16(0);
    out.u16(0);
    out.u8(0);
  }
  out.u16(0);  // number of file-scope variables
  out.u16(0);  // number of functions
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    std::size_t inputs = 0;
    const auto body = KernelWriter(program, program.kernels[i], form).run(inputs);
    out.patch(entries[i], bytes.size(), 4);
    out.patch(entries[i] + 4, body.size(), 4);
    out.patch(entries[i] + 8, bytes.size() + inputs, 4);
    bytes.insert(bytes.end(), body.begin(), body.end());
  }
  return bytes;
}

Program read_container(const std::vector<std::uint8_t>& bytes, const std::string& where,
                       bool dpas_predicate) {
  ByteReader in(bytes.data(), bytes.size(), 0, where);
  if (in.u32("the magic number") != magic) {
    in.fail(0, "is no vISA container; allowed are files that begin with CISA");
  }
  Program program;
  program.source = where;
  program.is_text = false;
  program.major = in.u8("the version");
  program.minor = in.u8("the version");
  if (program.major != 3) {
    in.fail(4, "version {}.{}; allowed 3.0 and later", program.major, program.minor);
  }
  const BinaryForm form{wide_ids(program.minor), dpas_predicate};
  const std::uint32_t count = in.count(2, 15, "the number of kernels");
  if (count == 0) in.fail(6, "the file has no kernels");
  std::vector<KernelEntry> entries;
  for (std::uint32_t i = 0; i < count; ++i) {
    entries.push_back(read_entry(in, program.minor));
    for (std::uint32_t j = 0; j < i; ++j) {
      if (entries[j].name == entries[i].name) {
        in.fail(entries[i].at, "kernel {} is there already", quote(entries[i].name));
      }
    }
  }
  refuse_file_scope(in, "variables of the file");
  refuse_file_scope(in, "functions");
  for (const KernelEntry& entry : entries) {
    if (entry.offset > bytes.size() || entry.size > bytes.size() - entry.offset) {
      in.fail(entry.at, "kernel {} has bytes {}..{}; the file has {}", quote(entry.name),
              entry.offset, std::uint64_t{entry.offset} + entry.size, bytes.size());
    }
    const ByteReader body(bytes.data(), entry.offset + entry.size, entry.offset, where);
    program.kernels.push_back(
        KernelReader(body, program, form, bytes.data(), where).run(entry.name));
  }
  return program;
}

}  // namespace tactus::dpas

#include "isa/dpas/container.h"

#include <algorithm>
#include <map>
#include <set>

#include "isa/support/byte_fields.h"
#include "isa/support/text.h"

namespace tactus::dpas {
namespace {

constexpr std::uint32_t magic = 0x41534943;  // "CISA"
/// Bytes of an annotation: index, flags, token that is set, tokens that are waited for.
constexpr unsigned annotation_bytes = 4 + 1 + 1 + 4 + 4;
constexpr unsigned annotations_each = 255 / annotation_bytes;
constexpr std::size_t most_instructions = 1U << 24U;

bool wide_ids(unsigned minor) { return minor >= 4; }
unsigned id_bytes(const BinaryForm& form) { return form.wide_ids ? 4 : 2; }

bool printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c < 127 && c != '"'; });
}

/// True if the text is a name that the assembler accepts. Names from binaries appear in text, so
/// they must be.
bool is_name(const std::string& text) {
  if (text.empty() || text.size() > 255 || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || c == '@' || c == '?';
  });
}

/// The fields of a kernel, in their order in the file.
class KernelFields {
 public:
  KernelFields(ByteFields fields, Program& program, const BinaryForm& form, Kernel& kernel)
      : f_(fields), program_(program), form_(form), start_(fields.at()), kernel_(kernel) {}

  /// Reads or writes the kernel. Returns the offset of the inputs in it.
  std::size_t run() {
    if (!f_.reads()) collect_strings();
    list(strings_, 4, 1, "the number of names",
         [&](std::string& text, std::size_t) { f_.text_and_nul(text, "a name"); });
    std::string name = kernel_.name;
    string(name, "the kernel's name");
    list(kernel_.variables, 4, form_.wide_ids ? 15 : 13, "the number of variables",
         [&](Variable& v, std::size_t i) { variable(v, i); });
    none(2, "address");
    list(kernel_.predicates, 2, 7, "the number of predicates",
         [&](Predicate& p, std::size_t i) { predicate(p, i); });
    used_.clear();  // labels have a name space of their own
    list(kernel_.labels, 2, 6, "the number of labels", [&](Label& label, std::size_t i) {
      unique_name(label.name, "a label's name", 'L', i);
      auto kind = static_cast<unsigned>(label.is_function);
      f_.field(kind, 1, "a label's kind");
      label.is_function = (kind & 1U) != 0;
      no_attributes();
    });
    none(1, "sampler");
    none(1, "surface");
    none(1, "VME");
    const std::size_t inputs = f_.at() - start_;
    list(kernel_.inputs, program_.minor >= 5 ? 4 : 1, form_.wide_ids ? 9 : 7,
         "the number of inputs", [&](Input& i, std::size_t number) { input(i, number); });
    code();
    return inputs;
  }

 private:
  // ---- names ----

  void collect_strings() {
    const auto add = [&](const std::string& text) {
      if (index_.emplace(text, strings_.size()).second) strings_.push_back(text);
    };
    add("");
    add(kernel_.name);
    for (const Variable& variable : kernel_.variables) add(variable.name);
    for (const Predicate& predicate : kernel_.predicates) add(predicate.name);
    for (const Label& label : kernel_.labels) add(label.name);
    for (const Attribute& attribute : kernel_.attributes) add(attribute.name);
    add(std::string(annotation_attribute));
  }

  void string(std::string& text, const char* what) {
    const std::size_t start = f_.at();
    std::size_t index = f_.reads() ? 0 : index_.at(text);
    f_.field(index, 4, what);
    if (index >= strings_.size()) {
      f_.fail(start, "{} is name number {}; allowed 0..{}", what, index,
              static_cast<std::int64_t>(strings_.size()) - 1);
    }
    text = strings_[index];
  }

  /// A name that is read stays if the text form accepts it and it is not used yet; otherwise one is
  /// made of the id.
  void unique_name(std::string& name, const char* what, char kind, std::size_t number) {
    string(name, what);
    if (!f_.reads() || (is_name(name) && used_.insert(name).second)) return;
    name = kind + std::to_string(number);
    while (!used_.insert(name).second) name += "_";
  }

  // ---- declarations ----

  template <typename T, typename Each>
  void list(std::vector<T>& items, unsigned width, std::size_t smallest, const char* what,
            Each each) {
    std::size_t count = items.size();
    f_.count(count, width, smallest, what);
    for (std::size_t i = 0; i < count; ++i) {
      if (f_.reads()) items.emplace_back();
      each(items[i], i);
    }
  }

  /// Attributes of a declaration: none are written, those of others are left out.
  void no_attributes() {
    const std::uint64_t count = f_.zero(1, "a number of attributes");
    for (std::uint64_t i = 0; i < count; ++i) {
      RawAttribute ignored;
      raw_attribute(ignored);
    }
  }

  void none(unsigned width, const char* kind) {
    const std::size_t start = f_.at();
    const std::uint64_t count = f_.zero(width, "a number of variables");
    if (count != 0) {
      f_.fail(start, "the kernel has {} {} variables; allowed general variables and predicates",
              count, kind);
    }
  }

  void variable(Variable& v, std::size_t index) {
    unique_name(v.name, "a variable's name", 'V', index + first_user_variable);
    const std::size_t start = f_.at();
    unsigned bits = static_cast<unsigned>(v.type) | static_cast<unsigned>(v.align) << 4;
    f_.field(bits, 1, "a variable's type");
    v.type = static_cast<Type>(bits & 0xFU);
    v.align = static_cast<Align>(bits >> 4);
    if (bits >> 4 >= align_codes || v.type == Type::v || v.type == Type::vf || v.type == Type::uv ||
        v.type == Type::boolean) {
      f_.fail(start, "variable {} has type and alignment 0x{:02X}, which do not exist",
              quote(v.name), bits);
    }
    f_.field(v.elements, 2, "a variable's elements");
    if (v.elements == 0) f_.fail(start, "variable {} has no elements", quote(v.name));
    alias(v, index);
    no_attributes();
    v.place = static_cast<std::uint32_t>(start);
  }

  void alias(Variable& v, std::size_t index) {
    const std::size_t start = f_.at();
    f_.field(v.alias_of, id_bytes(form_), "an alias");
    f_.field(v.alias_offset, 2, "an alias offset");
    if (v.alias_of != null_variable &&
        (v.alias_of < first_user_variable || v.alias_of - first_user_variable >= index)) {
      f_.fail(start, "variable {} is an alias of id {}; allowed {}..{}, variables before it",
              quote(v.name), v.alias_of, first_user_variable, first_user_variable + index - 1);
    }
    if (v.alias_of == null_variable && v.alias_offset != 0) {
      f_.fail(start, "variable {} has an alias offset without an alias", quote(v.name));
    }
    if (f_.zero(1, "an alias scope") != 0) {
      f_.fail(start,
              "variable {} is an alias of a variable of the file; allowed those of the kernel",
              quote(v.name));
    }
  }

  void predicate(Predicate& p, std::size_t index) {
    unique_name(p.name, "a predicate's name", 'P', index + 1);
    const std::size_t start = f_.at();
    f_.field(p.elements, 2, "a predicate's elements");
    const std::uint32_t n = p.elements;
    if (n == 0 || n > 32 || (n & (n - 1)) != 0) {
      f_.fail(start, "predicate {} has {} elements; allowed 1, 2, 4, 8, 16, 32", quote(p.name), n);
    }
    no_attributes();
  }

  void input(Input& input, std::size_t number) {
    const std::size_t start = f_.at();
    if (f_.zero(1, "an input's kind") != 0) {
      f_.fail(start, "input {} is no general variable; allowed kind 0", number);
    }
    f_.field(input.variable, id_bytes(form_), "an input");
    f_.field(input.offset, 2, "an input's offset");
    f_.field(input.size, 2, "an input's size");
    if (kernel_.variable(input.variable) == nullptr) {
      f_.fail(start, "input {} is variable id {}; allowed {}", number, input.variable, id_range());
    }
    input.place = static_cast<std::uint32_t>(start);
  }

  std::string id_range() const {
    if (kernel_.variables.empty()) return "none: the kernel has no variables";
    return fmt::format("{}..{}", first_user_variable,
                       first_user_variable + kernel_.variables.size() - 1);
  }

  // ---- attributes ----

  /// An attribute as the file has it.
  struct RawAttribute {
    std::string name, value;
  };

  void raw_attribute(RawAttribute& attribute) {
    string(attribute.name, "an attribute's name");
    std::size_t size = attribute.value.size();
    f_.field(size, 1, "an attribute's size");
    f_.text(attribute.value, size, "an attribute");
  }

  static void annotation(ByteFields& f, std::size_t& index, Annotations& a) {
    f.field(index, 4, "an annotation");
    f.field(a.atomic, 1, "an annotation");
    f.field(a.sets, 1, "an annotation");
    f.field(a.waits_written, 4, "an annotation");
    f.field(a.waits_read, 4, "an annotation");
  }

  static std::string value_of(const Attribute& attribute) {
    if (attribute.name == "Target") return {attribute.value == "3d" ? '\1' : '\0'};
    if (!attribute.is_number) return attribute.value;
    const std::uint64_t number = std::stoull(attribute.value);
    std::string bytes;
    for (unsigned i = 0; i < (is_byte_attribute(attribute.name) ? 1U : 4U); ++i) {
      bytes += static_cast<char>(number >> (8 * i));
    }
    return bytes;
  }

  /// The attributes to write; annotations are the last.
  std::vector<RawAttribute> raw_attributes() {
    std::vector<RawAttribute> raw;
    for (const Attribute& each : kernel_.attributes) raw.push_back({each.name, value_of(each)});
    std::vector<std::uint8_t> bytes;
    ByteFields out(bytes);
    for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
      if (kernel_.instructions[i].annotations.any()) {
        annotation(out, i, kernel_.instructions[i].annotations);
      }
    }
    constexpr std::size_t step = annotations_each * annotation_bytes;
    const std::string all(bytes.begin(), bytes.end());
    for (std::size_t at = 0; at < all.size(); at += step) {
      raw.push_back({std::string(annotation_attribute), all.substr(at, step)});
    }
    return raw;
  }

  /// Takes an attribute that was read.
  void take(const RawAttribute& raw, std::size_t start) {
    const std::string& value = raw.value;
    const std::size_t size = value.size();
    if (raw.name == annotation_attribute) {
      annotations_ += value;
      if (size % annotation_bytes != 0) f_.fail(start, "annotations of {} bytes", size);
      return;
    }
    Attribute attribute;
    attribute.name = raw.name;
    const bool is_target = raw.name == "Target", named = is_name(raw.name) && !is_target;
    if (is_target && size == 1 && (value[0] == 0 || value[0] == 1)) {
      attribute.value = value[0] == 1 ? "3d" : "cm";
    } else if (named && !value.empty() && printable(value) && !is_byte_attribute(raw.name)) {
      attribute.value = value;
    } else if (named && size <= 4 && (size < 4 || value[3] == 0)) {
      std::uint32_t number = 0;
      for (std::size_t i = 0; i < size; ++i) {
        number |= std::uint32_t{static_cast<std::uint8_t>(value[i])} << (8 * i);
      }
      attribute.is_number = true;
      attribute.value = std::to_string(size == 0 ? 1 : number);
    } else {
      program_.warnings.push_back(
          fmt::format("{}:offset 0x{:X}: warning: attribute {} of {} bytes is neither a text nor a "
                      "small number and is left out",
                      program_.source, start, quote(raw.name), size));
      return;
    }
    kernel_.attributes.push_back(std::move(attribute));
  }

  void apply_annotations() {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(annotations_.data());
    ByteFields in(bytes, annotations_.size(), 0, program_.source);
    while (in.at() < in.end()) {
      std::size_t index = 0;
      Annotations a;
      annotation(in, index, a);
      if (index >= kernel_.instructions.size() ||
          (a.sets > 31 && a.sets != Annotations::no_token)) {
        f_.fail(start_, "an annotation is of instruction {} and token {}; allowed 0..{} and 0..31",
                index, a.sets, kernel_.instructions.size() - 1);
      }
      kernel_.instructions[index].annotations = a;
    }
  }

  // ---- code ----

  void code() {
    std::vector<std::uint8_t> written;
    std::vector<RawAttribute> attributes;
    if (!f_.reads()) {
      for (const Instruction& instruction : kernel_.instructions) {
        encode(instruction, form_, written);
      }
      attributes = raw_attributes();
    }
    const std::size_t size_at = f_.at();
    std::size_t size = written.size();
    f_.field(size, 4, "the size of the code");
    const std::size_t entry_at = f_.at();
    std::size_t entry = entry_at - start_ + 4 + 2;
    for (const RawAttribute& attribute : attributes) entry += 4 + 1 + attribute.value.size();
    f_.field(entry, 4, "the entry");
    constexpr std::size_t any_number = 0;
    list(attributes, 2, any_number, "the number of attributes", [&](RawAttribute& a, std::size_t) {
      const std::size_t start = f_.at();
      raw_attribute(a);
      if (f_.reads()) take(a, start);
    });
    if (entry != f_.at() - start_) {
      f_.fail(entry_at,
              "the code starts at byte {} of the kernel; allowed {}, behind the attributes", entry,
              f_.at() - start_);
    }
    if (!f_.reads()) return f_.append(written);
    if (size > f_.end() - f_.at()) {
      f_.fail(size_at, "the code has {} bytes; {} are left", size, f_.end() - f_.at());
    }
    read_instructions(f_.part(size));
    if (kernel_.instructions.empty()) f_.fail(size_at, "the kernel has no instructions");
    apply_annotations();
  }

  void read_instructions(ByteFields code) {
    while (code.at() < code.end()) {
      kernel_.places.push_back(static_cast<std::uint32_t>(code.at()));
      Instruction& instruction = kernel_.instructions.emplace_back();
      instruction_fields(code, form_, instruction);
      check_ids(instruction, kernel_.places.back());
      if (kernel_.instructions.size() > most_instructions) {
        f_.fail(code.at(), "more than {} instructions", most_instructions);
      }
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
      f_.fail(at, "label number {}; the kernel has {}", i.label, kernel_.labels.size());
    }
  }

  void check_predicate(std::uint32_t id, std::size_t at, bool none_allowed) {
    if ((none_allowed && id == 0) || (id >= 1 && id <= kernel_.predicates.size())) return;
    f_.fail(at, "predicate id {}; the kernel has {}", id, kernel_.predicates.size());
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
    f_.fail(at, "variable id {}; allowed {}, and of predefined ones 1..5 and 12", operand.variable,
            id_range());
  }

  ByteFields f_;
  Program& program_;
  BinaryForm form_;
  std::size_t start_;
  Kernel& kernel_;
  std::vector<std::string> strings_;
  std::map<std::string, std::size_t> index_;
  std::set<std::string> used_;
  std::string annotations_;
};

// ---- the file ----

struct KernelEntry {
  std::string name;
  std::size_t offset = 0, size = 0, inputs = 0;
  std::size_t at = 0;  ///< position of the entry
};

void entry_fields(ByteFields& f, KernelEntry& entry, unsigned minor) {
  entry.at = f.at();
  std::size_t length = entry.name.size();
  f.field(length, minor >= 7 ? 2 : 1, "a kernel's name");
  f.text(entry.name, length, "a kernel's name");
  if (entry.name.empty() || entry.name.size() > 255 || !printable(entry.name)) {
    f.fail(entry.at, "a kernel's name is {}; allowed 1..255 printable characters",
           quote(entry.name));
  }
  f.field(entry.offset, 4, "a kernel's offset");
  f.field(entry.size, 4, "a kernel's size");
  f.field(entry.inputs, 4, "the offset of the inputs");
  for (const char* symbols : {"variable symbols", "function symbols"}) {
    const std::size_t at = f.at();
    if (f.zero(2, "symbols") != 0) {
      f.fail(at, "kernel {} has {}; allowed none", quote(entry.name), symbols);
    }
  }
  const std::uint64_t binaries = f.zero(1, "a number of native binaries");
  std::string ignored;
  for (std::uint64_t i = 0; i < binaries; ++i) f.text(ignored, 9, "a native binary's entry");
}

/// What precedes the kernels.
void header_fields(ByteFields& f, Program& program, std::vector<KernelEntry>& entries) {
  std::uint32_t number = magic;
  f.field(number, 4, "the magic number");
  if (number != magic) f.fail(0, "is no vISA container; allowed are files that begin with CISA");
  f.field(program.major, 1, "the version");
  f.field(program.minor, 1, "the version");
  if (program.major != 3) {
    f.fail(4, "version {}.{}; allowed 3.0 and later", program.major, program.minor);
  }
  std::size_t count = entries.size();
  f.count(count, 2, 15, "the number of kernels");
  if (count == 0) f.fail(6, "the file has no kernels");
  for (std::size_t i = 0; i < count; ++i) {
    if (f.reads()) entries.emplace_back();
    entry_fields(f, entries[i], program.minor);
    for (std::size_t j = 0; j < i; ++j) {
      if (entries[j].name == entries[i].name) {
        f.fail(entries[i].at, "kernel {} is there already", quote(entries[i].name));
      }
    }
  }
  for (const char* what : {"variables of the file", "functions"}) {
    const std::size_t at = f.at();
    if (f.zero(2, what) != 0) f.fail(at, "the file has {}; allowed kernels only", what);
  }
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
  Program copy = program;
  const BinaryForm form{wide_ids(program.minor), dpas_predicate};
  std::vector<KernelEntry> entries;
  std::vector<std::vector<std::uint8_t>> bodies;
  for (Kernel& kernel : copy.kernels) {
    std::vector<std::uint8_t>& body = bodies.emplace_back();
    const std::size_t inputs = KernelFields(ByteFields(body), copy, form, kernel).run();
    entries.push_back({kernel.name, 0, body.size(), inputs});
  }
  const auto header = [&] {
    std::vector<std::uint8_t> bytes;
    ByteFields fields(bytes);
    header_fields(fields, copy, entries);
    return bytes;
  };
  std::size_t at = header().size();
  for (KernelEntry& entry : entries) {
    entry.offset = at;
    entry.inputs += at;
    at += entry.size;
  }
  std::vector<std::uint8_t> bytes = header();
  for (const auto& body : bodies) bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

Program read_container(const std::vector<std::uint8_t>& bytes, const std::string& where,
                       bool dpas_predicate) {
  ByteFields in(bytes.data(), bytes.size(), 0, where);
  Program program;
  program.source = where;
  program.is_text = false;
  std::vector<KernelEntry> entries;
  header_fields(in, program, entries);
  const BinaryForm form{wide_ids(program.minor), dpas_predicate};
  for (const KernelEntry& entry : entries) {
    const std::size_t end = entry.offset + entry.size;
    if (end > bytes.size()) {
      in.fail(entry.at, "kernel {} has bytes {}..{}; the file has {}", quote(entry.name),
              entry.offset, end, bytes.size());
    }
    Kernel kernel;
    kernel.name = entry.name;
    const ByteFields body(bytes.data(), end, entry.offset, where);
    (void)KernelFields(body, program, form, kernel).run();
    program.kernels.push_back(std::move(kernel));
  }
  return program;
}

}  // namespace tactus::dpas

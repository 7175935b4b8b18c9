// Binary form of vISA instructions. Published: the format tables of the vISA pages. Taken from the
// public sources and not checked against Intel's tools: the codes of data order and of saturation.
#include <algorithm>
#include <iterator>

#include "isa/dpas/container.h"
#include "isa/support/byte_fields.h"

namespace tactus::dpas {
namespace {

constexpr unsigned class_general = 0, class_predicate = 2, class_indirect = 3, class_immediate = 5;
constexpr unsigned modifier_saturate = 4;
constexpr std::uint8_t order_plain = 1, order_transposed = 2;
constexpr std::uint8_t address_flat = 1;
constexpr std::uint16_t predicate_id_mask = 0x0FFF;
/// Elements per address, by code.
constexpr std::uint8_t vector_sizes[] = {0, 1, 2, 3, 4, 8, 16, 32, 64};

bool has_two_dwords(Type type) { return type == Type::df || type == Type::q || type == Type::uq; }

/// Code of a stride: 0 is "null", then 0, 1, 2, 4, 8, 16, 32 elements.
unsigned stride_code(unsigned stride) {
  unsigned code = 1;
  for (; stride != 0; stride /= 2) ++code;
  return code;
}

unsigned stride_of(unsigned code) { return code < 2 ? 0 : 1U << (code - 2); }

/// The fields of an instruction, in their order in the file.
class InstructionFields {
 public:
  InstructionFields(ByteFields& fields, const BinaryForm& form, Instruction& instruction)
      : f_(fields), form_(form), i_(instruction) {}

  void run() {
    const std::size_t start = f_.at();
    f_.field(i_.opcode, 1, "an instruction");
    switch (i_.opcode) {
      case Opcode::dpas:
      case Opcode::dpasw:
      case Opcode::bdpas:
        return dpas();
      case Opcode::mov:
      case Opcode::add:
        execution();
        predicate();
        vector(i_.dst, true);
        vector(i_.source[0]);
        if (i_.opcode == Opcode::add) vector(i_.source[1]);
        return;
      case Opcode::cmp:
        execution();
        f_.limited(i_.comparison, 0, 5, "a comparison");
        vector(i_.dst, true);
        vector(i_.source[0]);
        return vector(i_.source[1]);
      case Opcode::lsc_untyped:
        return message();
      case Opcode::lsc_fence:
        execution();
        predicate();
        f_.limited(i_.lsc.unit, 0, 3, "a unit of memory");
        f_.limited(i_.fence, 0, 5, "a fence");
        return f_.limited(i_.scope, 0, 6, "a scope");
      case Opcode::barrier:
        return;
      case Opcode::jmp:
        execution();
        predicate();
        return f_.field(i_.label, 2, "a label");
      case Opcode::label:
        return f_.field(i_.label, 2, "a label");
      case Opcode::ret:
        execution();
        return predicate();
    }
    f_.fail(start,
            "opcode 0x{:02X} is not in the subset; allowed dpas, dpasw, bdpas, mov, add, cmp, "
            "lsc_untyped, lsc_fence, barrier, jmp, label, ret",
            static_cast<unsigned>(i_.opcode));
  }

 private:
  void execution() {
    const std::size_t start = f_.at();
    unsigned log2 = 0;
    while ((1U << log2) < i_.execution_size) ++log2;
    unsigned bits = log2 | static_cast<unsigned>(i_.mask.code) << 4;
    f_.field(bits, 1, "an execution size");
    if ((bits & 0xFU) > 5) f_.fail(start, "execution size of code {}; allowed 0..5", bits & 0xFU);
    i_.execution_size = static_cast<std::uint8_t>(1U << (bits & 0xFU));
    i_.mask.code = static_cast<std::uint8_t>(bits >> 4);
  }

  void predicate() {
    const std::size_t start = f_.at();
    PredicateControl& p = i_.predicate;
    unsigned bits =
        p.variable | static_cast<unsigned>(p.combine) << 13 | (p.inverse ? 0x8000U : 0U);
    f_.field(bits, 2, "a predicate");
    p.variable = bits & predicate_id_mask;
    p.inverse = (bits & 0x8000U) != 0;
    const unsigned combine = (bits >> 13) & 3U;
    if (combine == 3 || (bits & 0x1000U) != 0 || (p.variable == 0 && bits != 0)) {
      f_.fail(start, "predicate 0x{:04X} has reserved bits", bits);
    }
    p.combine = static_cast<PredicateControl::Combine>(combine);
  }

  /// The id of a variable; of null for operands that are not in registers.
  void id(Operand& operand) {
    if (!operand.in_registers()) operand.variable = null_variable;
    f_.field(operand.variable, form_.wide_ids ? 4 : 2, "a variable's id");
  }

  /// A raw operand. One that is not `needed` is null in the file; returns true if it is present.
  bool raw(Operand& operand, bool needed = true) {
    const std::size_t start = f_.at();
    if (!operand.in_registers()) operand.offset = 0;
    id(operand);
    f_.field(operand.offset, 2, "a byte offset");
    operand.kind = operand.variable == null_variable ? Operand::Kind::null : Operand::Kind::raw;
    if (operand.kind == Operand::Kind::null && operand.offset != 0) {
      f_.fail(start, "null has byte offset {}; allowed 0", operand.offset);
    }
    if (needed) return false;
    if (operand.present()) return true;
    operand = Operand();
    return false;
  }

  void vector(Operand& operand, bool destination = false) {
    const std::size_t start = f_.at();
    unsigned tag = operand.kind == Operand::Kind::immediate   ? class_immediate
                   : operand.kind == Operand::Kind::predicate ? class_predicate
                   : destination && i_.saturate
                       ? class_general | modifier_saturate << 3
                       : class_general | static_cast<unsigned>(operand.modifier) << 3;
    f_.field(tag, 1, "an operand");
    const unsigned modifier = tag >> 3;
    switch (tag & 7U) {
      case class_general:
        return general(operand, modifier, destination, start);
      case class_predicate:
        operand.kind = Operand::Kind::predicate;
        operand.type = Type::boolean;
        f_.field(operand.variable, 2, "a predicate");
        if (!destination || i_.opcode != Opcode::cmp || modifier != 0) break;
        return;
      case class_immediate:
        if (destination || modifier != 0) break;
        return immediate(operand);
      case class_indirect:
        f_.fail(start, "{}: an operand is indirect; allowed general operands and constants",
                i_.is_dpas() ? "E_DPAS_INDIRECT" : "E_OPERAND");
      default:
        break;
    }
    f_.fail(start, "an operand of tag 0x{:02X} is not allowed here", tag);
  }

  void general(Operand& operand, unsigned modifier, bool destination, std::size_t start) {
    id(operand);
    operand.kind = operand.variable == null_variable ? Operand::Kind::null : Operand::Kind::general;
    f_.field(operand.row, 1, "a row");
    f_.field(operand.column, 1, "a column");
    Region& r = operand.region;
    unsigned region =
        stride_code(r.vertical) | stride_code(r.width) << 4 | stride_code(r.horizontal) << 8;
    f_.field(region, 2, "a region");
    if ((region & 0xF000U) != 0) f_.fail(start, "region 0x{:04X} has reserved bits", region);
    r.vertical = stride(region & 0xFU, start, 7);
    r.width = stride((region >> 4) & 0xFU, start, 6);
    r.horizontal = stride((region >> 8) & 0xFU, start, 7);
    if (destination) {
      r = {0, 1, r.horizontal};  // a destination has only the horizontal stride
      i_.saturate = modifier == modifier_saturate;
      if (modifier != 0 && !i_.saturate) {
        f_.fail(start, "a destination has modifier {}; allowed 0, 4", modifier);
      }
    } else if (modifier > 3) {
      f_.fail(start, "modifier {}; allowed 0..3", modifier);
    } else {
      operand.modifier = static_cast<Modifier>(modifier);
    }
  }

  std::uint8_t stride(unsigned code, std::size_t start, unsigned largest) {
    if (code > largest) f_.fail(start, "a stride of code {}; allowed 0..{}", code, largest);
    return static_cast<std::uint8_t>(stride_of(code));
  }

  void immediate(Operand& operand) {
    operand.kind = Operand::Kind::immediate;
    f_.limited(operand.type, 0, 15, "a constant's type");
    const unsigned bytes = info(operand.type).bytes;
    f_.field(operand.immediate, has_two_dwords(operand.type) ? 8 : 4, "a constant");
    if (bytes < 8) operand.immediate &= (std::uint64_t{1} << (8 * bytes)) - 1;
  }

  void dpas() {
    execution();
    if (form_.dpas_predicate) predicate();
    raw(i_.dst);
    raw(i_.source[0]);
    raw(i_.source[1]);
    if (i_.opcode == Opcode::bdpas) {
      raw(i_.source[2]);
      vector(i_.source[3]);
      vector(i_.source[4]);
    } else {
      vector(i_.source[2]);
    }
    f_.field(i_.w, 1, "precision W");
    f_.field(i_.a, 1, "precision A");
    f_.field(i_.systolic_depth, 1, "SD");
    f_.field(i_.repeat_count, 1, "RC");
  }

  // ---- messages ----

  void message() {
    const std::size_t start = f_.at();
    LscMessage& m = i_.lsc;
    f_.field(m.operation, 1, "an operation");
    if (!m.is_load() && m.operation != LscOperation::store && !m.is_block2d()) {
      f_.fail(start,
              "E_MESSAGE: operation 0x{:02X} is not in the subset; allowed load, store, "
              "load_block2d, store_block2d",
              static_cast<unsigned>(m.operation));
    }
    execution();
    predicate();
    f_.limited(m.unit, 0, 3, "a unit of memory");
    f_.limited(m.l1_caching, 0, 6, "caching in L1");
    f_.limited(m.l3_caching, 0, 6, "caching in L3");
    return m.is_block2d() ? block(m.block) : access(m);
  }

  template <typename T>
  void from_one(T& value, unsigned largest, const char* what) {
    f_.limited(value, 1, largest, what, "E_MESSAGE: ");
  }

  void order(bool& transposed) {
    std::uint8_t code = transposed ? order_transposed : order_plain;
    from_one(code, 2, "an order of data");
    transposed = code == order_transposed;
  }

  void access(LscMessage& m) {
    std::size_t start = f_.at();
    std::uint8_t address = address_flat;
    f_.field(address, 1, "a kind of address");
    if (address != address_flat) {
      f_.fail(start, "E_MESSAGE: addresses are not flat; allowed flat");
    }
    f_.field(m.address_scale, 2, "a scale");
    f_.field(m.address_offset, 4, "an offset");
    from_one(m.address_size, 3, "a size of addresses");
    from_one(m.data_size, 4, "a size of elements");
    order(m.transposed);
    auto size = std::find(std::begin(vector_sizes), std::end(vector_sizes), m.vector_size) -
                std::begin(vector_sizes);
    from_one(size, 8, "a number of elements");
    m.vector_size = vector_sizes[size];
    start = f_.at();
    // The channel mask is only used by quads.
    if (f_.zero(1, "a channel mask") != 0) f_.fail(start, "E_MESSAGE: a channel mask; allowed 0");
    start = f_.at();
    Operand surface;
    surface.kind = Operand::Kind::immediate;
    vector(surface);
    if (surface.kind != Operand::Kind::immediate || surface.immediate != 0) {
      f_.fail(start, "E_MESSAGE: a flat address has a surface; allowed the constant 0");
    }
    Operand third;
    bool too_many = raw(i_.dst, m.is_load());
    raw(i_.source[0]);
    too_many = raw(i_.source[1], !m.is_load()) || too_many;
    too_many = raw(third, false) || too_many;
    if (too_many) refuse_operands(start);
  }

  void block(Block2d& b) {
    from_one(i_.lsc.data_size, 4, "a size of elements");
    b.element_bytes = static_cast<std::uint8_t>(i_.lsc.element_bytes());
    order(b.transpose);
    f_.field(b.blocks, 1, "a number of blocks");
    f_.field(b.width, 2, "a width");
    f_.field(b.height, 2, "a height");
    f_.limited(b.transform, 0, 1, "a transformation");
    const std::size_t start = f_.at();
    bool too_many = raw(i_.dst, i_.lsc.is_load());
    for (unsigned n = 0; n < 6; ++n) {
      vector(i_.source[n]);
      i_.source[n].region = {0, 1, 0};  // one element, whatever the region
    }
    too_many = raw(i_.source[6], !i_.lsc.is_load()) || too_many;
    if (too_many) refuse_operands(start);
  }

  [[noreturn]] void refuse_operands(std::size_t start) const {
    f_.fail(start, "E_MESSAGE: a {} has an operand too many", i_.lsc.is_load() ? "load" : "store");
  }

  ByteFields& f_;
  BinaryForm form_;
  Instruction& i_;
};

}  // namespace

void instruction_fields(ByteFields& fields, const BinaryForm& form, Instruction& instruction) {
  InstructionFields(fields, form, instruction).run();
}

void encode(const Instruction& instruction, const BinaryForm& form,
            std::vector<std::uint8_t>& bytes) {
  ByteFields fields(bytes);
  Instruction copy = instruction;
  instruction_fields(fields, form, copy);
}

Instruction decode(const std::uint8_t* bytes, std::size_t size, std::size_t& offset,
                   const BinaryForm& form, const std::string& where) {
  ByteFields fields(bytes, size, offset, where);
  Instruction instruction;
  instruction_fields(fields, form, instruction);
  offset = fields.at();
  return instruction;
}

}  // namespace tactus::dpas

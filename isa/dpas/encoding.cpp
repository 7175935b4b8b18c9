// Binary form of vISA instructions. Published: the format tables of the vISA pages. Taken from the
// public sources and not checked against Intel's tools: the codes of data order and of saturation.
#include <algorithm>
#include <iterator>

#include "isa/dpas/bytes.h"
#include "isa/dpas/container.h"

namespace tactus::dpas {
namespace {

constexpr std::uint8_t class_general = 0, class_predicate = 2, class_immediate = 5;
constexpr std::uint8_t modifier_saturate = 4;
constexpr std::uint8_t order_plain = 1, order_transposed = 2;
constexpr std::uint8_t address_flat = 1;
constexpr std::uint16_t predicate_id_mask = 0x0FFF;
/// Elements per address, by code.
constexpr std::uint8_t vector_sizes[] = {0, 1, 2, 3, 4, 8, 16, 32, 64};

bool has_two_dwords(Type type) { return type == Type::df || type == Type::q || type == Type::uq; }

/// Code of a stride: 0 is "null", then 0, 1, 2, 4, 8, 16, 32 elements.
std::uint8_t stride_code(unsigned stride) {
  std::uint8_t code = 1;
  for (; stride != 0; stride /= 2) ++code;
  return code;
}

unsigned stride_of(unsigned code) { return code < 2 ? 0 : 1U << (code - 2); }

std::uint16_t predicate_bits(const PredicateControl& predicate) {
  return static_cast<std::uint16_t>(predicate.variable |
                                    static_cast<unsigned>(predicate.combine) << 13 |
                                    (predicate.inverse ? 0x8000U : 0U));
}

class Encoder {
 public:
  Encoder(const BinaryForm& form, std::vector<std::uint8_t>& bytes) : form_(form), out_(bytes) {}

  void instruction(const Instruction& i) {
    out_.u8(static_cast<std::uint8_t>(i.opcode));
    switch (i.opcode) {
      case Opcode::dpas:
      case Opcode::dpasw:
      case Opcode::bdpas:
        return dpas(i);
      case Opcode::mov:
      case Opcode::add:
        execution(i);
        out_.u16(predicate_bits(i.predicate));
        destination(i);
        source(i.source[0]);
        if (i.opcode == Opcode::add) source(i.source[1]);
        return;
      case Opcode::cmp:
        execution(i);
        out_.u8(static_cast<std::uint8_t>(i.comparison));
        destination(i);
        source(i.source[0]);
        source(i.source[1]);
        return;
      case Opcode::lsc_untyped:
        return message(i);
      case Opcode::lsc_fence:
        execution(i);
        out_.u16(predicate_bits(i.predicate));
        out_.u8(static_cast<std::uint8_t>(i.lsc.unit));
        out_.u8(static_cast<std::uint8_t>(i.fence));
        out_.u8(static_cast<std::uint8_t>(i.scope));
        return;
      case Opcode::barrier:
        return;
      case Opcode::jmp:
        execution(i);
        out_.u16(predicate_bits(i.predicate));
        out_.u16(i.label);
        return;
      case Opcode::label:
        out_.u16(i.label);
        return;
      case Opcode::ret:
        execution(i);
        out_.u16(predicate_bits(i.predicate));
        return;
    }
  }

 private:
  void execution(const Instruction& i) {
    unsigned log2 = 0;
    while ((1U << log2) < i.execution_size) ++log2;
    out_.u8(log2 | static_cast<unsigned>(i.mask.code) << 4);
  }

  void id(std::uint32_t value) { out_.put(value, form_.wide_ids ? 4 : 2); }

  void raw(const Operand& operand) {
    id(operand.in_registers() ? operand.variable : null_variable);
    out_.u16(operand.in_registers() ? operand.offset : 0);
  }

  void source(const Operand& operand, std::uint8_t extra_modifier = 0) {
    const unsigned modifier =
        extra_modifier != 0 ? extra_modifier : static_cast<unsigned>(operand.modifier);
    if (operand.kind == Operand::Kind::immediate) {
      out_.u8(class_immediate);
      out_.u8(static_cast<std::uint8_t>(operand.type));
      out_.put(operand.immediate, has_two_dwords(operand.type) ? 8 : 4);
      return;
    }
    if (operand.kind == Operand::Kind::predicate) {
      out_.u8(class_predicate);
      out_.u16(operand.variable);
      return;
    }
    out_.u8(class_general | modifier << 3);
    id(operand.in_registers() ? operand.variable : null_variable);
    out_.u8(operand.row);
    out_.u8(operand.column);
    const Region& r = operand.region;
    out_.u16(stride_code(r.vertical) | static_cast<unsigned>(stride_code(r.width)) << 4 |
             static_cast<unsigned>(stride_code(r.horizontal)) << 8);
  }

  void destination(const Instruction& i) {
    source(i.dst, i.saturate ? modifier_saturate : std::uint8_t{0});
  }

  void dpas(const Instruction& i) {
    execution(i);
    if (form_.dpas_predicate) out_.u16(predicate_bits(i.predicate));
    raw(i.dst);
    raw(i.source[0]);
    raw(i.source[1]);
    if (i.opcode == Opcode::bdpas) {
      raw(i.source[2]);
      source(i.source[3]);
      source(i.source[4]);
    } else {
      source(i.source[2]);
    }
    out_.u8(static_cast<std::uint8_t>(i.w));
    out_.u8(static_cast<std::uint8_t>(i.a));
    out_.u8(i.systolic_depth);
    out_.u8(i.repeat_count);
  }

  void message(const Instruction& i) {
    const LscMessage& m = i.lsc;
    out_.u8(static_cast<std::uint8_t>(m.operation));
    execution(i);
    out_.u16(predicate_bits(i.predicate));
    out_.u8(static_cast<std::uint8_t>(m.unit));
    out_.u8(m.l1_caching);
    out_.u8(m.l3_caching);
    if (m.is_block2d()) {
      block(i);
    } else {
      access(i);
    }
  }

  void access(const Instruction& i) {
    const LscMessage& m = i.lsc;
    out_.u8(address_flat);
    out_.u16(m.address_scale);
    out_.u32(static_cast<std::uint32_t>(m.address_offset));
    out_.u8(static_cast<std::uint8_t>(m.address_size));
    out_.u8(static_cast<std::uint8_t>(m.data_size));
    out_.u8(m.transposed ? order_transposed : order_plain);
    const auto size = std::find(std::begin(vector_sizes), std::end(vector_sizes), m.vector_size);
    out_.u8(static_cast<std::uint64_t>(size - std::begin(vector_sizes)));
    out_.u8(0);  // channel mask, only used by quads
    Operand surface;
    surface.kind = Operand::Kind::immediate;
    source(surface);
    raw(i.dst);
    raw(i.source[0]);
    raw(i.source[1]);
    raw(Operand());
  }

  void block(const Instruction& i) {
    const Block2d& b = i.lsc.block;
    out_.u8(static_cast<std::uint8_t>(i.lsc.data_size));
    out_.u8(b.transpose ? order_transposed : order_plain);
    out_.u8(b.blocks);
    out_.u16(b.width);
    out_.u16(b.height);
    out_.u8(b.transform ? 1 : 0);
    raw(i.dst);
    for (unsigned n = 0; n < 6; ++n) source(i.source[n]);
    raw(i.source[6]);
  }

  BinaryForm form_;
  ByteWriter out_;
};

class Decoder {
 public:
  Decoder(ByteReader& in, const BinaryForm& form) : in_(in), form_(form) {}

  Instruction run() {
    const std::size_t start = in_.at();
    const std::uint8_t opcode = in_.u8("an instruction");
    i_.opcode = static_cast<Opcode>(opcode);
    switch (i_.opcode) {
      case Opcode::dpas:
      case Opcode::dpasw:
      case Opcode::bdpas:
        dpas();
        break;
      case Opcode::mov:
      case Opcode::add:
        execution();
        predicate();
        i_.dst = destination();
        i_.source[0] = vector();
        if (i_.opcode == Opcode::add) i_.source[1] = vector();
        break;
      case Opcode::cmp:
        execution();
        i_.comparison = static_cast<Comparison>(limited(5, "a comparison"));
        i_.dst = destination();
        i_.source[0] = vector();
        i_.source[1] = vector();
        break;
      case Opcode::lsc_untyped:
        message();
        break;
      case Opcode::lsc_fence:
        execution();
        predicate();
        i_.lsc.unit = static_cast<LscUnit>(limited(3, "a unit of memory"));
        i_.fence = static_cast<FenceOperation>(limited(5, "a fence"));
        i_.scope = static_cast<FenceScope>(limited(6, "a scope"));
        break;
      case Opcode::barrier:
        break;
      case Opcode::jmp:
        execution();
        predicate();
        i_.label = in_.u16("a label");
        break;
      case Opcode::label:
        i_.label = in_.u16("a label");
        break;
      case Opcode::ret:
        execution();
        predicate();
        break;
      default:
        in_.fail(start,
                 "opcode 0x{:02X} is not in the subset; allowed dpas, dpasw, bdpas, mov, add, cmp, "
                 "lsc_untyped, lsc_fence, barrier, jmp, label, ret",
                 opcode);
    }
    return i_;
  }

 private:
  /// Reads a byte whose value must be 0..largest.
  std::uint8_t limited(unsigned largest, const char* what) {
    const std::size_t start = in_.at();
    const std::uint8_t value = in_.u8(what);
    if (value > largest) in_.fail(start, "{} of code {}; allowed 0..{}", what, value, largest);
    return value;
  }

  void execution() {
    const std::size_t start = in_.at();
    const std::uint8_t bits = in_.u8("an execution size");
    if ((bits & 0xFU) > 5) {
      in_.fail(start, "execution size of code {}; allowed 0..5", bits & 0xFU);
    }
    i_.execution_size = static_cast<std::uint8_t>(1U << (bits & 7U));
    i_.mask.code = bits >> 4;
  }

  void predicate() {
    const std::size_t start = in_.at();
    const std::uint16_t bits = in_.u16("a predicate");
    i_.predicate.variable = bits & predicate_id_mask;
    i_.predicate.inverse = (bits & 0x8000U) != 0;
    const unsigned combine = (bits >> 13) & 3U;
    if (combine == 3 || (bits & 0x1000U) != 0 || (i_.predicate.variable == 0 && bits != 0)) {
      in_.fail(start, "predicate 0x{:04X} has reserved bits", bits);
    }
    i_.predicate.combine = static_cast<PredicateControl::Combine>(combine);
  }

  std::uint32_t id() {
    return static_cast<std::uint32_t>(in_.get(form_.wide_ids ? 4 : 2, "a variable's id"));
  }

  Operand raw() {
    const std::size_t start = in_.at();
    Operand operand;
    operand.variable = id();
    operand.offset = in_.u16("a byte offset");
    operand.kind = operand.variable == null_variable ? Operand::Kind::null : Operand::Kind::raw;
    if (operand.kind == Operand::Kind::null && operand.offset != 0) {
      in_.fail(start, "null has byte offset {}; allowed 0", operand.offset);
    }
    return operand;
  }

  /// Reads an operand that messages encode as null when it is absent; the decoded form has none
  /// then.
  Operand optional_raw() {
    const Operand operand = raw();
    return operand.kind == Operand::Kind::null ? Operand() : operand;
  }

  std::uint8_t stride(unsigned code, std::size_t start, unsigned largest) {
    if (code > largest) in_.fail(start, "a stride of code {}; allowed 0..{}", code, largest);
    return static_cast<std::uint8_t>(stride_of(code));
  }

  Operand vector(bool destination = false) {
    const std::size_t start = in_.at();
    const std::uint8_t tag = in_.u8("an operand");
    const unsigned modifier = tag >> 3;
    Operand operand;
    switch (tag & 7U) {
      case class_general:
        general(operand, modifier, destination, start);
        return operand;
      case class_predicate:
        operand.kind = Operand::Kind::predicate;
        operand.type = Type::boolean;
        operand.variable = in_.u16("a predicate");
        if (!destination || i_.opcode != Opcode::cmp || modifier != 0) break;
        return operand;
      case class_immediate:
        if (destination || modifier != 0) break;
        immediate(operand);
        return operand;
      case 3:
        in_.fail(start, "{}: an operand is indirect; allowed general operands and constants",
                 i_.is_dpas() ? "E_DPAS_INDIRECT" : "E_OPERAND");
      default:
        break;
    }
    in_.fail(start, "an operand of tag 0x{:02X} is not allowed here", tag);
  }

  void general(Operand& operand, unsigned modifier, bool destination, std::size_t start) {
    operand.kind = Operand::Kind::general;
    operand.variable = id();
    operand.row = in_.u8("a row");
    operand.column = in_.u8("a column");
    const std::uint16_t region = in_.u16("a region");
    if (operand.variable == null_variable) operand.kind = Operand::Kind::null;
    if ((region & 0xF000U) != 0) in_.fail(start, "region 0x{:04X} has reserved bits", region);
    operand.region.vertical = stride(region & 0xFU, start, 7);
    operand.region.width = stride((region >> 4) & 0xFU, start, 6);
    operand.region.horizontal = stride((region >> 8) & 0xFU, start, 7);
    if (destination) {
      // A destination has only the horizontal stride.
      operand.region.vertical = 0;
      operand.region.width = 1;
      i_.saturate = modifier == modifier_saturate;
      if (modifier != 0 && !i_.saturate) {
        in_.fail(start, "a destination has modifier {}; allowed 0, 4", modifier);
      }
    } else if (modifier > 3) {
      in_.fail(start, "modifier {}; allowed 0..3", modifier);
    } else {
      operand.modifier = static_cast<Modifier>(modifier);
    }
  }

  void immediate(Operand& operand) {
    operand.kind = Operand::Kind::immediate;
    operand.type = static_cast<Type>(limited(15, "a constant's type"));
    const unsigned bytes = info(operand.type).bytes;
    operand.immediate = in_.get(has_two_dwords(operand.type) ? 8 : 4, "a constant");
    if (bytes < 8) operand.immediate &= (std::uint64_t{1} << (8 * bytes)) - 1;
  }

  Operand destination() { return vector(true); }

  /// Reads an operand of a message: one element, regardless of its region.
  Operand scalar() {
    Operand operand = vector();
    operand.region = {0, 1, 0};
    return operand;
  }

  void dpas() {
    execution();
    if (form_.dpas_predicate) predicate();
    i_.dst = raw();
    i_.source[0] = raw();
    i_.source[1] = raw();
    if (i_.opcode == Opcode::bdpas) {
      i_.source[2] = raw();
      i_.source[3] = vector();
      i_.source[4] = vector();
    } else {
      i_.source[2] = vector();
    }
    i_.w = static_cast<Precision>(in_.u8("precision W"));
    i_.a = static_cast<Precision>(in_.u8("precision A"));
    i_.systolic_depth = in_.u8("SD");
    i_.repeat_count = in_.u8("RC");
  }

  void message() {
    const std::size_t start = in_.at();
    const std::uint8_t operation = in_.u8("an operation");
    i_.lsc.operation = static_cast<LscOperation>(operation);
    if (operation != 0 && operation != 3 && operation != 4 && operation != 7) {
      in_.fail(start,
               "E_MESSAGE: operation 0x{:02X} is not in the subset; allowed load, store, "
               "load_block2d, store_block2d",
               operation);
    }
    execution();
    predicate();
    i_.lsc.unit = static_cast<LscUnit>(limited(3, "a unit of memory"));
    i_.lsc.l1_caching = limited(6, "caching in L1");
    i_.lsc.l3_caching = limited(6, "caching in L3");
    if (i_.lsc.is_block2d()) {
      block();
    } else {
      access();
    }
  }

  std::uint8_t from_one(unsigned largest, const char* what) {
    const std::size_t start = in_.at();
    const std::uint8_t value = in_.u8(what);
    if (value < 1 || value > largest) {
      in_.fail(start, "E_MESSAGE: {} of code {}; allowed 1..{}", what, value, largest);
    }
    return value;
  }

  void access() {
    LscMessage& m = i_.lsc;
    std::size_t start = in_.at();
    if (in_.u8("a kind of address") != address_flat) {
      in_.fail(start, "E_MESSAGE: addresses are not flat; allowed flat");
    }
    m.address_scale = in_.u16("a scale");
    m.address_offset = static_cast<std::int32_t>(in_.u32("an offset"));
    m.address_size = static_cast<LscAddressSize>(from_one(3, "a size of addresses"));
    m.data_size = static_cast<LscDataSize>(from_one(4, "a size of elements"));
    m.transposed = from_one(2, "an order of data") == order_transposed;
    m.vector_size = vector_sizes[from_one(8, "a number of elements")];
    start = in_.at();
    if (in_.u8("a channel mask") != 0) in_.fail(start, "E_MESSAGE: a channel mask; allowed 0");
    start = in_.at();
    const Operand surface = vector();
    if (surface.kind != Operand::Kind::immediate || surface.immediate != 0) {
      in_.fail(start, "E_MESSAGE: a flat address has a surface; allowed the constant 0");
    }
    const Operand dst = m.is_load() ? raw() : optional_raw();
    i_.source[0] = raw();
    const Operand data = m.is_load() ? optional_raw() : raw();
    const Operand third = optional_raw();
    if ((m.is_load() ? data : dst).kind != Operand::Kind::none ||
        third.kind != Operand::Kind::none) {
      in_.fail(start, "E_MESSAGE: a {} has an operand too many", m.is_load() ? "load" : "store");
    }
    i_.dst = dst;
    i_.source[1] = data;
  }

  void block() {
    LscMessage& m = i_.lsc;
    m.data_size = static_cast<LscDataSize>(from_one(4, "a size of elements"));
    m.block.element_bytes = static_cast<std::uint8_t>(m.element_bytes());
    m.block.transpose = from_one(2, "an order of data") == order_transposed;
    m.block.blocks = in_.u8("a number of blocks");
    m.block.width = in_.u16("a width");
    m.block.height = in_.u16("a height");
    m.block.transform = limited(1, "a transformation") != 0;
    const std::size_t start = in_.at();
    const Operand dst = m.is_load() ? raw() : optional_raw();
    for (unsigned n = 0; n < 6; ++n) i_.source[n] = scalar();
    const Operand data = m.is_load() ? optional_raw() : raw();
    if ((m.is_load() ? data : dst).kind != Operand::Kind::none) {
      in_.fail(start, "E_MESSAGE: a {} has an operand too many", m.is_load() ? "load" : "store");
    }
    i_.dst = dst;
    i_.source[6] = data;
  }

  ByteReader& in_;
  BinaryForm form_;
  Instruction i_;
};

}  // namespace

void encode(const Instruction& instruction, const BinaryForm& form,
            std::vector<std::uint8_t>& bytes) {
  Encoder(form, bytes).instruction(instruction);
}

Instruction decode(const std::uint8_t* bytes, std::size_t size, std::size_t& offset,
                   const BinaryForm& form, const std::string& where) {
  ByteReader in(bytes, size, offset, where);
  const Instruction instruction = Decoder(in, form).run();
  offset = in.at();
  return instruction;
}

}  // namespace tactus::dpas

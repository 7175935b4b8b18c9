#include "tests/dpas/random_kernel.h"

#include <algorithm>

namespace tactus::dpas {
namespace {

class Generator {
 public:
  Generator(KernelBuilder& builder, const Profile& profile, const RandomMemory& memory,
            std::mt19937_64& random, bool barriers)
      : b_(builder), profile_(profile), memory_(memory), random_(random), barriers_(barriers) {
    // With few registers many hazards occur.
    registers_ = pick(0, 2) == 0 ? profile.grf_count : 40;
  }

  void run(unsigned length) {
    for (unsigned i = 0; i < length; ++i) {
      if (pick(0, 30) == 0 && !in_loop_) {
        loop();
      } else {
        one();
      }
    }
    b_.ret();
  }

 private:
  /// Number of registers that instructions may use freely; the last ones hold loop counters and
  /// addresses.
  [[nodiscard]] unsigned usable() const { return registers_ - 4; }
  unsigned pick(unsigned from, unsigned to) {
    return static_cast<unsigned>(from + random_() % (std::uint64_t{to} - from + 1));
  }
  unsigned reg(unsigned count) { return pick(1, usable() - count); }

  void one() {
    switch (pick(0, 15)) {
      case 0:
      case 1:
        return vector(Opcode::mov);
      case 2:
        return vector(Opcode::add);
      case 3:
      case 4:
        return block(true);
      case 5:
        return block(false);
      case 6:
        return elements(pick(0, 1) == 0);
      case 7:
        if (pick(0, 3) != 0) return dpas();
        b_.plain(Opcode::lsc_fence);
        return;
      case 8:
        if (!barriers_ || pick(0, 3) != 0) return dpas();
        b_.plain(Opcode::barrier);
        return;
      default:
        // Several DPAS follow each other, so that macros occur.
        for (unsigned i = pick(1, 5); i > 0; --i) dpas();
    }
  }

  void vector(Opcode opcode) {
    const unsigned sizes[] = {1, 8, 16, 32};
    const unsigned channels = sizes[pick(0, profile_.grf_bytes == 64 ? 3 : 2)];
    const unsigned count = std::max(1U, channels * 4 / profile_.grf_bytes);
    const auto source = [&] {
      return pick(0, 2) == 0 ? KernelBuilder::immediate(static_cast<std::int32_t>(random_()))
                             : b_.vector(reg(count), channels);
    };
    const Operand first = source();
    b_.two(opcode, b_.result(reg(count), channels), first,
           opcode == Opcode::add ? source() : Operand(), channels);
  }

  void dpas() {
    const Precision integers[] = {Precision::s8, Precision::u8, Precision::s4,
                                  Precision::u4, Precision::s2, Precision::u2};
    KernelBuilder::DpasOperands o;
    if (pick(0, 7) == 0) {
      o.w = o.a = pick(0, 1) == 0 ? Precision::bf : Precision::hf;
      o.dst_type = o.src0_type = Type::f;
    } else {
      o.w = integers[pick(0, 5)];
      o.a = integers[pick(0, 5)];
      if (pick(0, 1) == 0) o.w = o.a = Precision::s8;
    }
    const unsigned rc = pick(0, 1) == 0 ? 8 : pick(1, 8);
    const unsigned dst = reg(8);
    if (pick(0, 2) != 0) o.src0 = static_cast<int>(pick(0, 1) == 0 ? dst : reg(8));
    unsigned src1 = pick(0, 1) == 0 ? last_src1_ : reg(8);
    while (src1 < dst + 8 && dst < src1 + 8) src1 = reg(8);
    last_src1_ = src1;
    b_.dpas(rc, dst, src1, reg(8), o);
  }

  void block(bool load) {
    Block2d block;
    block.element_bytes = static_cast<std::uint8_t>(1U << pick(0, 2));
    block.width = static_cast<std::uint16_t>(pick(1, 64 / block.element_bytes));
    block.height = static_cast<std::uint16_t>(pick(1, 8));
    if (load && block.element_bytes < 4 && pick(0, 1) == 0) {
      block.transform = true;
      block.width = static_cast<std::uint16_t>(pick(1, 16));
    } else if (load && pick(0, 3) == 0) {
      block.blocks = 2;
      block.width = static_cast<std::uint16_t>(pick(1, 16));
    }
    KernelBuilder::Surface surface;
    surface.height = pick(1, 16);
    surface.pitch = pick(1, 256);
    surface.width = pick(1, surface.pitch);
    const unsigned size = surface.pitch * surface.height;
    surface.base =
        (load && pick(0, 2) != 0 ? memory_.in : memory_.out) + pick(0, memory_.bytes - size);
    surface.x = static_cast<int>(pick(0, 40)) - 8;
    surface.y = static_cast<int>(pick(0, 20)) - 4;
    const unsigned registers = b_.block_bytes(block) / profile_.grf_bytes;
    if (registers + 2 > usable()) return;
    load ? b_.load_block(reg(registers), block, surface)
         : b_.store_block(reg(registers), block, surface);
  }

  void elements(bool load) {
    Instruction i;
    i.opcode = Opcode::lsc_untyped;
    i.lsc.operation = load ? LscOperation::load : LscOperation::store;
    i.lsc.address_size = LscAddressSize::a32;
    const bool row = pick(0, 1) == 0;
    const unsigned sizes[] = {1, 2, 3, 4, 8, 16};
    i.lsc.transposed = row;
    i.lsc.vector_size = static_cast<std::uint8_t>(sizes[pick(0, row ? 5 : 3)]);
    const unsigned channels = row ? 1 : profile_.execution_size;
    i.execution_size = static_cast<std::uint8_t>(channels);
    const unsigned bytes = i.lsc.vector_size * 4U;
    const std::uint64_t base =
        (load ? memory_.in : memory_.out) + pick(0, memory_.bytes - bytes - 64);
    const unsigned address = registers_ - 2;
    b_.mov(b_.result(address, channels), KernelBuilder::immediate(static_cast<int>(base)),
           channels);
    i.lsc.address_offset = static_cast<int>(pick(0, 60));
    i.source[0] = KernelBuilder::at(address * profile_.grf_bytes, channels * 4, Type::ud);
    const unsigned span = std::max(1U, channels * 4 / profile_.grf_bytes) * profile_.grf_bytes;
    const unsigned data_bytes = row ? bytes : span * i.lsc.vector_size;
    const unsigned count = (data_bytes + profile_.grf_bytes - 1) / profile_.grf_bytes;
    (load ? i.dst : i.source[1]) =
        KernelBuilder::at(reg(count) * profile_.grf_bytes, data_bytes, Type::d);
    b_.add(i);
  }

  void loop() {
    in_loop_ = true;
    const unsigned counter = registers_ - 1;
    b_.mov(b_.result(counter, 1), KernelBuilder::immediate(0), 1);
    const auto begin = static_cast<std::uint32_t>(b_.size());
    for (unsigned i = pick(1, 6); i > 0; --i) one();
    b_.two(Opcode::add, b_.result(counter, 1), b_.vector(counter, 1), KernelBuilder::immediate(1),
           1);
    b_.less(1, b_.vector(counter, 1),
            KernelBuilder::immediate(static_cast<std::int32_t>(pick(1, 4))));
    b_.jump(begin, 1);
    in_loop_ = false;
  }

  KernelBuilder& b_;
  const Profile& profile_;
  const RandomMemory& memory_;
  std::mt19937_64& random_;
  bool barriers_;
  unsigned registers_;
  unsigned last_src1_ = 20;
  bool in_loop_ = false;
};

}  // namespace

void random_kernel(KernelBuilder& builder, const Profile& profile, const RandomMemory& memory,
                   std::mt19937_64& random, unsigned length, bool barriers) {
  Generator(builder, profile, memory, random, barriers).run(length);
}

}  // namespace tactus::dpas

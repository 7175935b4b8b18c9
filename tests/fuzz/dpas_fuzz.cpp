// Feeds bytes to the assembler and to every reader of DPAS. An accepted program must read back from
// every form in which it can be written, and its arithmetic must stay within the register file. A
// refusal must be a UserError of readable lines.
//
// With clang and libFuzzer (TACTUS_FUZZ) this is a program of its own; the replay test calls the
// same function with stored and mutated files.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dpas/alu.h"
#include "isa/dpas/assembly.h"
#include "isa/dpas/container.h"
#include "isa/dpas/native.h"
#include "isa/dpas/semantics.h"
#include "isa/support/error.h"

namespace {

using namespace tactus;
using namespace tactus::dpas;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "dpas_fuzz: %s\n", what);
  std::abort();
}

/// Runs the action. The only exception that the action may throw is a UserError.
template <typename Action>
bool accepted(Action action) {
  try {
    action();
    return true;
  } catch (const UserError& error) {
    const std::string text = error.what();
    require(!text.empty(), "an error without a text");
    require(text.size() < 20000, "an error of too many lines");
    for (const char c : text) {
      require(c == '\n' || static_cast<unsigned char>(c) >= 0x20,
              "an error with control characters");
    }
    return false;
  }
}

const Profile& profile(unsigned which) {
  static const std::vector<Profile> profiles = [] {
    const std::string folder = std::string(TACTUS_SOURCE_DIR) + "/configs/dpas/";
    std::vector<Profile> all;
    for (const char* name : {"pvc", "dg2", "generic", "xe3p"}) {
      all.push_back(read_profile(folder + name + ".json"));
    }
    return all;
  }();
  return profiles[which % profiles.size()];
}

/// Executes up to 200 instructions in order, ignoring jumps. Sanitizers detect accesses beyond the
/// register file.
void execute(const Program& program, const Profile& machine) {
  std::vector<std::uint8_t> registers(machine.register_file_bytes(), 0x3C);
  for (const Kernel& kernel : program.kernels) {
    std::vector<std::uint32_t> predicates(kernel.predicates.size() + 1, 0x5555);
    unsigned left = 200;
    for (const Instruction& i : kernel.instructions) {
      if (left-- == 0) break;
      if (i.opcode == Opcode::dpas) {
        // Operands are copied to allocations of their own, so that sanitizers detect accesses
        // beyond an operand.
        const auto part = [&](const Operand& operand) {
          return std::vector<std::uint8_t>(registers.begin() + operand.address,
                                           registers.begin() + operand.address + operand.bytes);
        };
        const auto src0 = part(i.source[0]), src1 = part(i.source[1]), src2 = part(i.source[2]);
        std::vector<std::uint8_t> dst(i.dst.bytes);
        dpas::dpas(config_of(i), dst.data(), src0.data(), src1.data(), src2.data());
        std::copy(dst.begin(), dst.end(), registers.begin() + i.dst.address);
      } else if (i.opcode == Opcode::mov || i.opcode == Opcode::add || i.opcode == Opcode::cmp) {
        execute_alu(i, registers.data(), predicates.data());
      }
    }
  }
}

void check_program(const Program& program, unsigned which) {
  const std::string text = disassemble(program);
  Program again;
  try {
    again = assemble(text, "again");
  } catch (const UserError& error) {
    // A binary can hold a program that has no text. Then the program must be illegal on every
    // machine.
    for (unsigned n = 0; n < 4; ++n) {
      Program refused = program;
      if (!accepted([&] { resolve(refused, profile(n)); })) continue;
      std::fprintf(stderr, "%s\n%s\n", text.c_str(), error.what());
      require(false, "a legal program's text is refused");
    }
    return;
  }
  require(disassemble(again) == text, "text does not come back");
  const auto bytes = write_container(program, true);
  Program read;
  try {
    read = read_container(bytes, "again", true);
  } catch (const UserError& error) {
    std::fprintf(stderr, "%s\n%s\n", text.c_str(), error.what());
    require(false, "its container is refused");
  }
  if (disassemble(read) != text) {
    std::fprintf(stderr, "%s\n%s\n", text.c_str(), disassemble(read).c_str());
    require(false, "a container does not come back");
  }
  require(write_container(read, true) == bytes, "a container is written otherwise");
  Program resolved = program;
  LegalityOptions options;
  options.allow_overlap = which % 2 != 0;
  const Profile& machine = profile(which / 2);
  if (accepted([&] { resolve(resolved, machine, options); })) execute(resolved, machine);
}

void check_native(const std::uint8_t* data) {
  NativeBits bits;
  std::copy_n(data, bits.size(), bits.begin());
  for (const unsigned grf : {32U, 64U}) {
    const NativeForm form{grf};
    NativeDpas decoded;
    if (!accepted([&] { decoded = decode_native(bits, form, "bits"); })) continue;
    if (decoded.src2.null || decoded.saturate) continue;  // have no text
    const std::string text = native_text(decoded, form);
    NativeDpas parsed;
    // A sub-register within an element has no text either.
    if (!accepted([&] { parsed = parse_native(text, form, "text"); })) continue;
    if (native_text(parsed, form) != text) {
      std::fprintf(stderr, "%s\n%s\n", text.c_str(), native_text(parsed, form).c_str());
    }
    require(native_text(parsed, form) == text, "native text does not come back");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t longest = 1U << 16U;
  if (size == 0 || size > longest) return 0;
  const std::vector<std::uint8_t> bytes(data, data + size);
  const unsigned which = data[size - 1] + static_cast<unsigned>(size);
  Program program;
  if (is_container(bytes)) {
    for (const bool predicate : {false, true}) {
      if (accepted([&] { program = read_container(bytes, "file", predicate); })) {
        check_program(program, which);
      }
    }
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (accepted([&] { program = assemble(text, "file"); })) check_program(program, which);
  (void)accepted(
      [&] { (void)parse_native(text.substr(0, text.find('\n')), NativeForm(), "line"); });
  if (data[0] == '{') (void)accepted([&] { (void)parse_profile(text, "file"); });
  for (std::size_t at = 0; at + 16 <= size && at < 1024; at += 16) check_native(data + at);
  return 0;
}

#include "isa/tcu/instruction_set.h"

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {

const ExtensionInfo& info(Extension extension) {
  static constexpr std::array<ExtensionInfo, 4> infos = {{
      {"", ""},
      {"a lookup table", "lookup_tables"},
      {"a DAIS block", "dais_blocks"},
      {"an activation unit", "activation_unit"},
  }};
  return infos[static_cast<std::size_t>(extension)];
}

const MemoryInfo& info(VectorMemory memory) {
  static constexpr std::array<MemoryInfo, 9> infos = {{
      // the last is VectorMemory::none
      {"Local", "local", "the local memory"},
      {"Acc", "accumulator", "the accumulators"},
      {},
      {},
      {},
      {},
      {"DRAM0", "DRAM0", "DRAM0"},
      {"DRAM1", "DRAM1", "DRAM1"},
  }};
  return infos[static_cast<std::size_t>(memory)];
}

namespace {

constexpr std::string_view read_cycles =
    "5 + latency + n beats of a vector (4 + latency + n where a vector is one beat); the next "
    "transfer from DRAM begins after it";
constexpr std::string_view write_cycles =
    "n where a vector is one beat; else n up to 7 vectors, and about 2 a vector beyond. The data "
    "leaves while later instructions run";

}  // namespace

const std::vector<MoveInfo>& moves() {
  using K = InstructionKind;
  static const std::vector<MoveInfo> all = {
      {K::dram0_to_local, "", "reads DRAM0 as AXI bursts", read_cycles},
      {K::local_to_dram0, "", "writes DRAM0 as AXI bursts", write_cycles},
      {K::dram1_to_local, "", "reads DRAM1 as AXI bursts", read_cycles},
      {K::local_to_dram1, "", "writes DRAM1 as AXI bursts", write_cycles},
      {K::accumulator_to_local, "",
       "copies results; waits for those of the array and of SIMD before it", "n + 2"},
      {K::local_to_accumulator, "", "copies vectors",
       "n; accumulators are written in h + 1 .. h + n"},
      {K::accumulator_to_local_activated, "act", "copies results through the activation unit",
       "n + 2"},
      {K::local_to_accumulator_accumulate, "acc", "adds vectors to the accumulators, saturated",
       "n; accumulators are written in h + 2 .. h + n + 1"},
  };
  return all;
}

namespace {

constexpr std::string_view local_operand = "local stride and address";
constexpr std::string_view accumulator_operand = "accumulator stride and address";
constexpr std::string_view size_operand = "number of vectors minus 1";

std::vector<InstructionInfo> instructions_of_the_rtl() {
  constexpr Extension none = Extension::none;
  return {
      {Opcode::no_op, "NoOp", "NoOp", {"", "", ""}, {}, "nothing", "1", {"NoOp"}},
      {Opcode::mat_mul,
       "MatMul",
       "MatMul[.acc] Local(ADDRESS)[@STEP] -> Acc(ADDRESS)[@STEP], COUNT, or MatMul.zeroes[.acc] "
       "Acc(ADDRESS)[@STEP], COUNT",
       {local_operand, accumulator_operand, size_operand},
       {{"acc", mat_mul_accumulate, none, "adds the results to the accumulators, saturated"},
        {"zeroes", mat_mul_zeroes, none,
         "takes zero vectors in place of local memory's: results are the bias"}},
       "multiplies COUNT vectors x with the loaded weights: Acc = bias + x W, rounded and "
       "saturated after every product, input 0 first",
       "n at the head (1 with .zeroes); the array works in h + 1 .. h + n, accumulators are "
       "written in h + 2N .. h + 2N + n - 1, with .acc a cycle later",
       {"MatMul Local(100)@2 -> Acc(5), 32", "MatMul.acc Local(100) -> Acc(5)@4, 32",
        "MatMul.zeroes Acc(5), 32"}},
      {Opcode::data_move,
       "DataMove",
       "DataMove[.acc|.act] FROM(ADDRESS)[@STEP] -> TO(ADDRESS)[@STEP], COUNT",
       {local_operand, "stride and address of the other memory", size_operand},
       {{"acc", 0, none, "adds to the accumulators; from Local to Acc only"},
        {"act", 0, Extension::activation_unit,
         "passes the activation unit; from Acc to Local only"}},
       "copies COUNT vectors between Local and one of DRAM0, DRAM1 and Acc, see the table of "
       "DataMoves",
       "by the kind of DataMove",
       {"DataMove DRAM0(256)@4 -> Local(16), 9", "DataMove Local(16) -> DRAM0(256), 9",
        "DataMove DRAM1(256) -> Local(16), 9", "DataMove Local(16) -> DRAM1(256), 9",
        "DataMove Acc(3) -> Local(16), 9", "DataMove Local(16) -> Acc(3), 9",
        "DataMove.acc Local(16) -> Acc(3), 9", "DataMove.act Acc(5) -> Local(8), 4"}},
      {Opcode::load_weights,
       "LoadWeights",
       "LoadWeights Local(ADDRESS)[@STEP], COUNT, or LoadWeights.zeroes COUNT",
       {local_operand, size_operand, ""},
       {{"zeroes", load_weights_zeroes, none, "shifts zero vectors in"}},
       "shifts COUNT vectors into the array, the last one first; a block of N + 1 is the bias, "
       "then the weights of input 0, 1, ... N - 1. Blocks in several parts are loaded last part "
       "first",
       "n at the head (1 with .zeroes), loads in h + 1 .. h + n; after a MatMul whose last vector "
       "entered in cycle r the first load is in r + 2N",
       {"LoadWeights Local(16)@2, 9", "LoadWeights.zeroes 9"}},
      {Opcode::simd,
       "SIMD",
       "SIMD DESTINATION = OPERATION[(SOURCE[, SOURCE])][, read Acc(ADDRESS)][, write "
       "Acc(ADDRESS)][, accumulate]",
       {"accumulator address written", "accumulator address read",
        "operation, left source, right source, destination"},
       {{"read", simd_read, none, "the input I is the vector at this address"},
        {"write", simd_write, none, "the result is written to this address"},
        {"accumulate", simd_accumulate, none, "the result is added to what is there"}},
       "works on ONE vector, lane by lane; the result goes to the output O or to a register and "
       "the output. More vectors take an instruction each, see .repeat",
       "1 at the head while the queue has room (2N + 2); in a long run 4 with read and write, 2 "
       "with read, 1.5 with write or neither",
       {"SIMD O = Max(I, R1), read Acc(3), write Acc(7), accumulate", "SIMD R1 = Zero",
        "SIMD R1 = Move(I), read Acc(3)", "SIMD O = Add(R1, R1), write Acc(7)"}},
      {Opcode::configure,
       "Configure",
       "Configure REGISTER = VALUE",
       {"register in bits 3:0 of the three operands together, value in bits 31:4", "", ""},
       {},
       "sets a configuration register, by name or number 0..15, to a value of 28 bits; it waits "
       "for nothing that is in flight",
       "1",
       {"Configure Timeout = 0x64", "Configure 4 = 0x1234"}},
  };
}

std::vector<InstructionInfo> instructions_of_extensions() {
  constexpr Extension none = Extension::none;
  return {
      {Opcode::load_lut,
       "LoadLUT",
       "LoadLUT Local(ADDRESS)[@STEP] -> Table(NUMBER)",
       {local_operand, "number of the table", ""},
       {},
       "loads a whole lookup table, see the chapter on lookup tables",
       "as a DataMove of its vectors to the accumulators",
       {"LoadLUT Local(8)@2 -> Table(0)"}},
      {Opcode::dais,
       "Dais",
       "Dais[.acc] Local(ADDRESS)[@STEP] -> Block(NUMBER) -> Acc(ADDRESS)[@STEP], COUNT",
       {local_operand, accumulator_operand, "number of samples minus 1"},
       {{"acc", dais_accumulate, none, "adds the results to the accumulators"}},
       "passes COUNT samples through a DAIS block, whose number is bits 3:1 of the flags",
       "n vectors of input at the head, see the chapter on DAIS",
       {"Dais Local(8)@2 -> Block(0) -> Acc(5), 4", "Dais.acc Local(8) -> Block(0) -> Acc(5), 4"}},
      {Opcode::load_activation,
       "LoadActivation",
       "LoadActivation Local(ADDRESS)[@STEP]",
       {local_operand, "", ""},
       {},
       "loads the activation unit's four vectors: scale, offset, slope, limit",
       "as a DataMove of 4 vectors to the accumulators",
       {"LoadActivation Local(8)@2"}},
  };
}

}  // namespace

const std::vector<InstructionInfo>& instruction_set() {
  static const std::vector<InstructionInfo> all = [] {
    std::vector<InstructionInfo> list = instructions_of_the_rtl();
    // Configure is the last one, as its opcode is.
    const std::vector<InstructionInfo> more = instructions_of_extensions();
    list.insert(list.end() - 1, more.begin(), more.end());
    return list;
  }();
  return all;
}

const InstructionInfo& info(Opcode opcode) {
  for (const InstructionInfo& each : instruction_set()) {
    if (each.opcode == opcode) return each;
  }
  internal_error("opcode {:#x} has no words", static_cast<unsigned>(opcode));
}

namespace {

std::string needs_text(Extension extension) {
  return extension == Extension::none
             ? ""
             : fmt::format("; needs \"{}\" in the architecture", info(extension).key);
}

ReferenceTable opcodes_table() {
  ReferenceTable table{
      "TCU: instructions",
      "An instruction is, from the most significant bits: opcode (4), flags (4), operand2, "
      "operand1, operand0; bytes are little-endian, so opcode and flags come last. `tactus info "
      "ARCHITECTURE` shows the widths. Addresses and numbers are those of vectors of N lanes; a "
      "stride s is a step of 2^s vectors. n is the number of vectors, h the first cycle at the "
      "decoder's head; instructions are decoded in order, and one that reads or writes local "
      "memory keeps the head until its last vector has passed. Opcodes without a meaning take a "
      "cycle and do nothing.",
      {"instruction", "opcode", "operand0", "operand1", "operand2", "effect", "cycles"},
      {},
      ""};
  for (const InstructionInfo& i : instruction_set()) {
    table.rows.push_back(
        {std::string(i.mnemonic), fmt::format("{:#x}", static_cast<unsigned>(i.opcode)),
         std::string(i.operands[0]), std::string(i.operands[1]), std::string(i.operands[2]),
         fmt::format("{}{}", i.effect, needs_text(i.needs())), std::string(i.cycles)});
  }
  return table;
}

ReferenceTable flags_table() {
  ReferenceTable table{"TCU: flags",
                       "Flags of instructions that are not listed are 0.",
                       {"written", "flags", "effect"},
                       {},
                       ""};
  for (const InstructionInfo& i : instruction_set()) {
    const std::string_view separator = i.opcode == Opcode::simd ? " " : ".";
    for (const ModifierInfo& m : i.modifiers) {
      if (m.flags == 0) continue;
      table.rows.push_back({fmt::format("{}{}{}", i.mnemonic, separator, m.name),
                            fmt::format("{:#x}", m.flags), std::string(m.effect)});
    }
  }
  return table;
}

ReferenceTable moves_table() {
  ReferenceTable table{
      "TCU: DataMoves",
      "The flags of a DataMove are its kind; other kinds take a cycle and do nothing. Cycles are "
      "those at the decoder's head, with a memory that answers after a fixed latency.",
      {"written", "flags", "effect", "cycles"},
      {},
      ""};
  for (const MoveInfo& m : moves()) {
    const InstructionKindInfo& row = info(m.kind);
    table.rows.push_back({fmt::format("DataMove{}{} {} -> {}", m.modifier.empty() ? "" : ".",
                                      m.modifier, info(row.from).written, info(row.to).written),
                          fmt::format("{:#x}", static_cast<unsigned>(row.move)),
                          fmt::format("{}{}", m.effect, needs_text(row.needs)),
                          std::string(m.cycles)});
  }
  return table;
}

ReferenceTable simd_table() {
  ReferenceTable table{
      "TCU: SIMD operations",
      "An instruction works on one vector. Sources are the input I (with read) or registers R1, "
      "R2, ...; the destination is the output O or a register, and the result also goes to the "
      "output. In operand2 stand, from the most significant bits, operation, left source, right "
      "source, destination: 0 is I or O, k is Rk. 1 is the number 1.0.",
      {"operation", "number", "sources", "result", "example"},
      {},
      ""};
  for (std::size_t number = 0; number < simd_ops; ++number) {
    const SimdOpInfo& op = simd_op_infos[number];
    std::string example = fmt::format("SIMD {} = {}", number == 0 ? "O" : "R1", op.name);
    if (op.sources == 1) example += "(I), read Acc(3)";
    if (op.sources == 2) example += "(I, R1), read Acc(3)";
    table.rows.push_back({std::string(op.name), fmt::format("{:#x}", number),
                          std::to_string(op.sources), std::string(op.result), example});
  }
  return table;
}

ReferenceTable registers_table() {
  ReferenceTable table{"TCU: configuration registers",
                       "Other numbers have no effect.",
                       {"register", "number", "value"},
                       {},
                       ""};
  for (std::size_t r = 0; r < config_registers.size(); ++r) {
    const std::string_view name = config_registers[r].name, value = config_registers[r].value;
    if (name.empty()) continue;
    table.rows.push_back({std::string(name), fmt::format("{:#x}", r), std::string(value)});
  }
  return table;
}

}  // namespace

std::string_view worked_kernel() {
  return R"(.equ ROWS 64

DataMove DRAM1(0) -> Local(0), ARRAY_SIZE + 1    ; bias and weights
LoadWeights Local(0), ARRAY_SIZE + 1
DataMove DRAM0(0) -> Local(0), ROWS              ; a tile of 64 vectors
MatMul Local(0) -> Acc(0), ROWS
SIMD R1 = Zero
.repeat ROWS i                                   ; a SIMD instruction for each vector
  SIMD O = Max(I, R1), read Acc(i), write Acc(i)
.end
DataMove Acc(0) -> Local(0), ROWS
DataMove Local(0) -> DRAM0(ROWS), ROWS
)";
}

std::vector<ReferenceTable> instruction_tables() {
  return {opcodes_table(), flags_table(), moves_table(), simd_table(), registers_table()};
}

std::vector<ReferenceTable> assembly_tables() {
  ReferenceTable forms{
      "TCU: program text",
      "One instruction or directive a line; `#`, `;` and `//` start a comment, names ignore case. "
      "ADDRESS, STEP, COUNT, NUMBER and VALUE are expressions: numbers (decimal, `0x`, `0b`, `_` "
      "between digits), + - * / % << >> and parentheses in 64 bits with sign, names of `.equ` and "
      "`.repeat`, and "
      "ARRAY_SIZE, DRAM0_DEPTH, DRAM1_DEPTH, LOCAL_DEPTH, ACCUMULATOR_DEPTH, SIMD_REGISTERS. "
      "Behind `@`, a step is a number, a name or stands in parentheses, and is a power of two; 1 "
      "without it. COUNT is 1 or more. What is in [] may be left out. In SIMD one source stands "
      "for both source fields; parts behind the operation come in any order.",
      {"instruction", "form", "examples"},
      {},
      ""};
  for (const InstructionInfo& i : instruction_set()) {
    std::string examples;
    for (const std::string_view example : i.examples) {
      examples += fmt::format("{}{}", examples.empty() ? "" : "; ", example);
    }
    forms.rows.push_back(
        {std::string(i.mnemonic), fmt::format("{}{}", i.form, needs_text(i.needs())), examples});
  }
  forms.rows.push_back({"Raw",
                        "Raw 0xDIGITS: the whole instruction, its most significant byte first",
                        "Raw 0x0123"});
  const ReferenceTable directives{
      "TCU: directives",
      "",
      {"directive", "effect"},
      {{".equ NAME VALUE", "a name for a number; may be set again further down"},
       {".repeat COUNT [NAME]", "repeats the lines up to .end with NAME = 0, 1, ... COUNT - 1"},
       {".end", "ends the block of .repeat"}},
      ""};
  const ReferenceTable kernel{
      "TCU: a kernel",
      "DRAM0(64 + i) = max(DRAM0(i) W + bias, 0) for 64 vectors. DRAM1 holds bias and weights.",
      {},
      {},
      std::string(worked_kernel())};
  return {forms, directives, kernel};
}

}  // namespace tactus::tcu

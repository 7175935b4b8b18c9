#include "isa/darwinn/tcu_package.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "isa/darwinn/refusal.h"
#include "isa/support/text.h"
#include "isa/tcu/instruction.h"
#include "isa/tcu/layout.h"

namespace tactus::darwinn {
namespace {

// bits of Configure's register number; its value is above them
constexpr unsigned register_bits = 4;
constexpr unsigned patched_bits = register_bits + 32;

struct TcuPackage {
  const std::string& file;
  const tcu::ModelFile& model;
  const tcu::InstructionLayout& layout;
};

void verify_field(const TcuPackage& package, const Executable& executable, std::size_t chunk,
                  std::size_t index) {
  const Field& field = executable.chunks[chunk].fields[index];
  const std::string place =
      fmt::format("{}, chunk {}, field {}", type_name(executable.type), chunk, index);
  if (field.meta->position != lower_32bit) {
    refuse(Code::field_units, package.file, place,
           "UPPER_32BIT; a block number has 32 bits, allowed LOWER_32BIT");
  }
  const std::int64_t bits = package.layout.instruction_bits();
  const std::int64_t instruction = field.offset_bit / bits;
  if (field.offset_bit % bits != register_bits) {
    refuse(Code::field_units, package.file, place,
           "bit {} of instruction {}; allowed {}, the value of Configure", field.offset_bit % bits,
           instruction, register_bits);
  }
  const tcu::Instruction decoded =
      tcu::decode(package.layout, executable.chunks[chunk].code.data() +
                                      instruction * package.layout.instruction_bytes());
  const auto wanted = field.meta->desc == parameter ? tcu::ConfigRegister::dram1_offset
                                                    : tcu::ConfigRegister::dram0_offset;
  const bool configure = decoded.opcode == static_cast<std::uint8_t>(tcu::Opcode::configure);
  const auto number = tcu::configure_fields(package.layout, decoded).register_number;
  if (!configure || number != static_cast<std::uint8_t>(wanted)) {
    refuse(Code::field_units, package.file, place,
           "{} on instruction {}, {}; allowed: Configure of register {:#x}",
           base_name(field.meta->desc), instruction,
           configure ? fmt::format("Configure of register {:#x}", number)
                     : fmt::format("of opcode {:#x}", decoded.opcode),
           static_cast<unsigned>(wanted));
  }
}

void verify_code(const TcuPackage& package, const Executable& executable) {
  for (std::size_t i = 0; i < executable.chunks.size(); ++i) {
    const Chunk& chunk = executable.chunks[i];
    const std::size_t bytes = package.layout.instruction_bytes();
    if (chunk.code.size() % bytes != 0) {
      refuse(Code::chunk_size, package.file,
             fmt::format("{}, chunk {}", type_name(executable.type), i),
             "{} bytes; allowed: multiples of {}, whole instructions", chunk.code.size(), bytes);
    }
    if (!chunk.fields.empty() &&
        package.layout.instruction_bits() - package.layout.header < patched_bits) {
      refuse(Code::field_units, package.file,
             fmt::format("{}, chunk {}", type_name(executable.type), i),
             "operands of {} bits; fields need {}",
             package.layout.instruction_bits() - package.layout.header, patched_bits);
    }
    for (std::size_t k = 0; k < chunk.fields.size(); ++k) verify_field(package, executable, i, k);
  }
}

/// Checks that no offset changes while a write is under way.
void verify_changes(const TcuPackage& package, const Executable& executable) {
  const std::size_t bytes = package.layout.instruction_bytes();
  std::optional<std::size_t> write;  // a write that no read has followed yet
  std::size_t instruction = 0;
  for (std::size_t i = 0; i < executable.chunks.size(); ++i) {
    const Chunk& chunk = executable.chunks[i];
    std::set<std::size_t> linked;
    for (const Field& field : chunk.fields) {
      linked.insert(static_cast<std::size_t>(field.offset_bit) / package.layout.instruction_bits());
    }
    for (std::size_t at = 0; at < chunk.code.size() / bytes; ++at, ++instruction) {
      const tcu::Instruction one = tcu::decode(package.layout, chunk.code.data() + at * bytes);
      if (one.opcode == static_cast<std::uint8_t>(tcu::Opcode::data_move)) {
        const auto kind = static_cast<tcu::DataMoveKind>(one.flags);
        if (kind == tcu::DataMoveKind::local_to_dram0) write = instruction;
        if (kind == tcu::DataMoveKind::dram0_to_local) write.reset();
      }
      const bool changes = one.opcode == static_cast<std::uint8_t>(tcu::Opcode::configure) &&
                           linked.count(at) != 0 &&
                           tcu::configure_fields(package.layout, one).register_number ==
                               static_cast<std::uint8_t>(tcu::ConfigRegister::dram0_offset);
      if (changes && write) {
        refuse(Code::field_units, package.file,
               fmt::format("{}, chunk {}, instruction {}", type_name(executable.type), i, at),
               "the offset of DRAM0 changes while the write of instruction {} may be under way; "
               "allowed: behind a read of DRAM0",
               *write);
      }
    }
  }
}

/// Compares the bytes of each tensor, whose pieces are consecutive, with the executable's layers.
void verify_tensors(const TcuPackage& package, const std::vector<tcu::TensorEntry>& entries,
                    const std::vector<Layer>& layers, const char* side) {
  for (const tcu::TensorEntry& entry : entries) {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const Layer& layer) { return layer.name == entry.name; });
    if (found == layers.end()) {
      refuse(Code::architecture, package.file, "serialized_model", "{} {} is not among the layers",
             side, quote(entry.name));
    }
  }
  for (const Layer& layer : layers) {
    const unsigned bytes_of_scalar = info(package.model.arch.data_type).storage_bytes;
    if (element_bytes(layer.data_type) != bytes_of_scalar || layer.executions != 1) {
      refuse(Code::architecture, package.file, "serialized_model",
             "{} {} is {}, {} times an inference; allowed: types of {} bytes as {}, once", side,
             quote(layer.name.value_or("")), data_type_name(layer.data_type), layer.executions,
             bytes_of_scalar, info(package.model.arch.data_type).name);
    }
    std::uint64_t vectors = 0;
    for (const tcu::TensorEntry& entry : entries) {
      if (layer.name == entry.name) vectors += entry.size;
    }
    const std::uint64_t bytes = package.model.arch.vector_bytes();
    const auto padded = static_cast<std::uint64_t>(layer.padded_bytes());
    if (vectors > padded || vectors * bytes != padded) {
      refuse(Code::architecture, package.file, "serialized_model",
             "{} {} has {} vectors of {} bytes, its layer {} bytes", side,
             quote(layer.name.value_or("")), vectors, bytes, padded);
    }
  }
}

/// Checks that every tensor without a base of its own lies in the package's part of DRAM0, and that
/// no two tensors share vectors. They must not, since the inputs of one request may arrive before
/// the outputs of the previous one have been read.
void verify_places(const TcuPackage& package, const Executable& main) {
  std::vector<tcu::TensorEntry> all;
  const auto add = [&](const std::vector<tcu::TensorEntry>& entries, std::int16_t desc) {
    const std::set<std::string_view> based = based_layers(main, desc);
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(all),
                 [&](const tcu::TensorEntry& entry) { return based.count(entry.name) == 0; });
  };
  add(package.model.inputs, input);
  add(package.model.outputs, output);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
  const tcu::Architecture& arch = package.model.arch;
  const auto scratch = static_cast<std::uint64_t>(main.scratch_bytes);
  for (const tcu::TensorEntry& one : all) {
    if (one.base + one.size > scratch / arch.vector_bytes()) {
      refuse(Code::architecture, package.file, "serialized_model",
             "{} ends at vector {}; scratch memory of {} bytes has {}", quote(one.name),
             one.base + one.size, scratch, scratch / arch.vector_bytes());
    }
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i - 1].base + all[i - 1].size > all[i].base) {
      refuse(Code::architecture, package.file, "serialized_model",
             "{} and {} overlap in DRAM0, at vector {}", quote(all[i - 1].name), quote(all[i].name),
             all[i].base);
    }
  }
}

}  // namespace

std::set<std::string_view> based_layers(const Executable& executable, std::int16_t desc) {
  std::set<std::string_view> names;
  for (const Chunk& chunk : executable.chunks) {
    for (const Field& field : chunk.fields) {
      if (field.meta->desc == desc) names.insert(*field.meta->name);
    }
  }
  return names;
}

Addresses in_blocks(Addresses addresses) {
  constexpr std::uint64_t most_blocks = std::uint64_t{1} << 16;
  const auto block = [](std::optional<std::uint64_t>& address) {
    if (!address) return;
    if (*address % tcu_block_bytes != 0 || *address / tcu_block_bytes >= most_blocks) {
      user_error(
          "address {:#x} cannot be linked for a TCU; allowed: multiples of {:#x} below {:#x}",
          *address, tcu_block_bytes, most_blocks * tcu_block_bytes);
    }
    *address /= tcu_block_bytes;
  };
  block(addresses.scratch);
  block(addresses.parameters);
  for (auto* all : {&addresses.inputs, &addresses.outputs}) {
    for (auto& elements : *all) {
      for (std::uint64_t& address : elements) {
        std::optional<std::uint64_t> one = address;
        block(one);
        address = *one;
      }
    }
  }
  return addresses;
}

tcu::ModelFile tcu_model(const Package& package, const std::string& file) {
  const ByteView bytes = package.main().serialized_model;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    return tcu::parse_model_file(text, "serialized_model", tcu::ModelFileNames::may_be_empty);
  } catch (const UserError& error) {
    refuse(Code::architecture, file, "", "{}", error.what());
  }
}

void verify_tcu_package(const Package& package, const std::string& file) {
  const tcu::ModelFile model = tcu_model(package, file);
  const tcu::InstructionLayout layout(model.arch);
  const TcuPackage parts{file, model, layout};
  verify_tensors(parts, model.inputs, package.main().inputs, "input");
  verify_tensors(parts, model.outputs, package.main().outputs, "output");
  verify_places(parts, package.main());
  for (const Executable& executable : package.executables) {
    verify_code(parts, executable);
    verify_changes(parts, executable);
  }
}

}  // namespace tactus::darwinn

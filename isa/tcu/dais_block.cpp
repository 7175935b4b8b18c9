#include "isa/tcu/dais_block.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "isa/dais/cost.h"
#include "isa/dais/file.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/assembler_lexer.h"
#include "isa/tcu/dais_block_json.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {
namespace {

const dais::File& file_of(const DaisBlockEntry& block) {
  if (block.file == nullptr) internal_error("DAIS block {} has no program", block.name);
  return *block.file;
}

std::uint64_t vectors(std::size_t scalars, std::uint32_t array_size) {
  return (scalars + array_size - 1) / array_size;
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto fits = [&](char c) { return letter(c) || digit(c) || c == '_'; };
  return !text.empty() && !digit(text.front()) && std::all_of(text.begin(), text.end(), fits);
}

/// Why the block cannot have this name; empty if it can.
std::string name_problem(const std::string& name, const std::vector<DaisBlockEntry>& before) {
  if (!is_name(name)) {
    return fmt::format("{} is no name; allowed letters, digits and _, no digit first", quote(name));
  }
  const auto same = [&](std::string_view other) { return same_name(name, other); };
  if (std::any_of(predefined_names.begin(), predefined_names.end(), same)) {
    return fmt::format("{} means something else to the assembler; allowed any other name",
                       quote(name));
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!same(before[i].name)) continue;
    return fmt::format(
        "{} is the name of block {} too (letter case does not count); allowed a new "
        "name for each block",
        quote(name), i);
  }
  return {};
}

/// Adds each line of an error of the program's reader as a problem.
void add_lines(const std::string& path, std::string_view text, Problems& problems) {
  while (true) {
    const std::size_t end = text.find('\n');
    problems.add(path, std::string(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::size_t DaisBlockEntry::input_count() const { return file_of(*this).pipeline.input_count(); }
std::size_t DaisBlockEntry::output_count() const { return file_of(*this).pipeline.output_count(); }

std::uint64_t DaisBlockEntry::input_vectors(std::uint32_t array_size) const {
  return vectors(input_count(), array_size);
}
std::uint64_t DaisBlockEntry::output_vectors(std::uint32_t array_size) const {
  return vectors(output_count(), array_size);
}

std::size_t DaisBlockEntry::latency() const {
  const dais::File& logic = file_of(*this);
  return logic.is_pipeline ? logic.pipeline.stages.size() + 1 : 1;
}

bool DaisBlockEntry::operator==(const DaisBlockEntry& other) const {
  if (name != other.name) return false;
  if (file == other.file) return true;
  return file != nullptr && other.file != nullptr && file->is_pipeline == other.file->is_pipeline &&
         dais::same_logic(file->pipeline, other.file->pipeline);
}

DaisBlockEntry read_dais_block(const std::string& name, const std::string& path) {
  return {name, path, path,
          std::make_shared<const dais::File>(dais::read_file(path, std::nullopt))};
}

std::vector<DaisBlockEntry> decode_dais_blocks(const ArrayReader& blocks, const std::string& file,
                                               Problems& problems) {
  std::vector<DaisBlockEntry> entries;
  if (blocks.size() > most_dais_blocks) {
    problems.add(blocks.path(), fmt::format("{} blocks are more than an instruction can name; "
                                            "allowed up to {}",
                                            blocks.size(), most_dais_blocks));
    return entries;
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    ObjectReader reader = blocks.get_object(i);
    DaisBlockEntry entry;
    entry.name = reader.get_string("name");
    entry.program = reader.get_string("program");
    reader.finish();
    if (!problems.concerns(reader.path())) {
      const std::string wrong = name_problem(entry.name, entries);
      if (!wrong.empty()) reader.add_problem("name", wrong);
      try {
        entry.path = resolve_beside(file, entry.program);
        entry.file = read_dais_block(entry.name, entry.path).file;
      } catch (const UserError& error) {
        add_lines(reader.path() + "/program", error.what(), problems);
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string dais_block_problem(const Architecture& architecture, const DaisBlockEntry& block) {
  if (block.input_count() == 0 || block.output_count() == 0) {
    return fmt::format("the program has {} inputs and {} outputs; allowed 1 or more of each",
                       block.input_count(), block.output_count());
  }
  const std::uint64_t in = block.input_vectors(architecture.array_size);
  const std::uint64_t out = block.output_vectors(architecture.array_size);
  if (in > architecture.local_depth) {
    return fmt::format("{} inputs are {} vectors, more than the local memory holds; allowed {}",
                       block.input_count(), in, architecture.local_depth);
  }
  // The local router's counter of results is as wide as a local address.
  const std::uint64_t most = std::min(architecture.accumulator_depth, architecture.local_depth);
  if (out > most) {
    return fmt::format("{} outputs are {} vectors, more than {}; allowed {}", block.output_count(),
                       out,
                       most == architecture.accumulator_depth
                           ? "the accumulators hold"
                           : "the router counts, which is the depth of the local memory",
                       most);
  }
  return {};
}

std::vector<std::string> dais_block_warnings(const Architecture& architecture) {
  const DataTypeInfo& type = info(architecture.data_type);
  const double low =
      std::ldexp(static_cast<double>(type.min()), -static_cast<int>(type.binary_point));
  const double high =
      std::ldexp(static_cast<double>(type.max()), -static_cast<int>(type.binary_point));
  std::vector<std::string> lines;
  for (const DaisBlockEntry& block : architecture.dais_blocks) {
    const std::vector<dais::Port> ports = dais::output_ports(file_of(block).pipeline.stages.back());
    std::size_t beyond = 0, finer = 0, first_beyond = 0, first_finer = 0;
    for (std::size_t i = ports.size(); i-- > 0;) {
      const dais::Port& port = ports[i];
      if (port.width() == 0) continue;
      if (port.range.min < low || port.range.max > high) ++beyond, first_beyond = i;
      if (port.type.fraction_bits > static_cast<std::int32_t>(type.binary_point)) {
        ++finer, first_finer = i;
      }
    }
    if (beyond > 0) {
      const dais::Interval& range = ports[first_beyond].range;
      lines.push_back(fmt::format(
          "DAIS block {} ({}): {} of {} outputs can leave {} .. {}, the range of {}, and saturate; "
          "output {} has {} .. {}",
          block.name, block.path, beyond, ports.size(), low, high, type.name, first_beyond,
          range.min, range.max));
    }
    if (finer > 0) {
      lines.push_back(fmt::format(
          "DAIS block {} ({}): {} of {} outputs have more than the {} fraction bits of {} and are "
          "rounded; output {} has {}",
          block.name, block.path, finer, ports.size(), type.binary_point, type.name, first_finer,
          ports[first_finer].type.fraction_bits));
    }
  }
  return lines;
}

}  // namespace tactus::tcu

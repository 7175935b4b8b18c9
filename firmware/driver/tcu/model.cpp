#include "firmware/driver/tcu/model.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/folders.h"
#include "isa/support/located.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_table.h"
#include "isa/tcu/instruction.h"
#include "isa/tcu/vectors_file.h"

namespace tactus {
namespace {

unsigned instruction_bytes(const tcu::Architecture& architecture) {
  return tcu::InstructionLayout(architecture).instruction_bytes();
}

void check_bytes(const tcu::Architecture& architecture, const std::vector<std::uint8_t>& program,
                 const std::string& where, ProgramChecks checks) {
  const tcu::InstructionLayout layout(architecture);
  const unsigned size = layout.instruction_bytes();
  if (program.size() % size != 0) {
    user_error(
        "{}: {} bytes are no whole number of instructions; this architecture's have {} bytes",
        where, program.size(), size);
  }
  if (checks == ProgramChecks::permissive) return;
  if (const auto problem = tcu::check_program(architecture, layout, program)) {
    user_error("{}: instruction {}: {} (--permissive runs it as the hardware would)", where,
               problem->instruction, problem->what);
  }
}

}  // namespace

void check_program(const tcu::Architecture& architecture, const std::vector<std::uint8_t>& program,
                   const std::string& where, ProgramChecks checks) {
  if (program.empty()) user_error("{}: the program is empty", where);
  parse_as(FileKind::program, where, as_text(program),
           [&] { check_bytes(architecture, program, where, checks); });
}

void check_regions(const std::vector<tcu::LayerEntry>& regions, std::uint64_t instructions,
                   const std::string& where) {
  if (regions.empty()) return;
  const tcu::LayerEntry& last = regions.back();
  if (last.first + last.count <= instructions) return;
  user_error("{}:/layers/{}: {} ends at instruction {}; the program has {}", where,
             regions.size() - 1, quote(last.name), last.first + last.count, instructions);
}

Model read_model(const std::string& path, ProgramChecks checks) {
  Model model;
  model.path = path;
  model.file = tcu::read_model_file(path);
  const std::string program = resolve_part(path, model.file.prog.file_name);
  const std::string at_program = path + ":/prog/file_name";
  model.program = located(at_program, [&] { return read_file(program); });
  const auto expected = model.file.prog.size;
  if (expected && *expected != model.program.size()) {
    user_error("{}: {} bytes, but {} says {}: the program is {}", program, model.program.size(),
               path, *expected, model.program.size() < *expected ? "truncated" : "oversized");
  }
  // A program may be empty only if the model file states a size of 0.
  if (!model.program.empty() || !expected) {
    located(at_program, [&] { check_program(model.file.arch, model.program, program, checks); });
  }
  check_regions(model.file.layers, model.program.size() / instruction_bytes(model.file.arch), path);
  for (std::size_t i = 0; i < model.file.consts.size(); ++i) {
    const tcu::ConstantsEntry& entry = model.file.consts[i];
    model.constants.push_back(located(fmt::format("{}:/consts/{}/file_name", path, i), [&] {
      return tcu::read_vectors_raw(resolve_part(path, entry.file_name), model.file.arch,
                                   entry.size);
    }));
  }
  return model;
}

std::string architecture_differences(const tcu::Architecture& a, const tcu::Architecture& b) {
  return tcu::architecture_parameters().differences(a, b, true);
}

std::vector<Tensor> tensors(const std::vector<tcu::TensorEntry>& entries) {
  std::vector<Tensor> result;
  for (const tcu::TensorEntry& entry : entries) {
    auto it = std::find_if(result.begin(), result.end(),
                           [&](const Tensor& t) { return t.name == entry.name; });
    if (it == result.end()) it = result.insert(result.end(), Tensor{entry.name, {}, 0});
    it->pieces.push_back(entry);
    it->size += entry.size;
  }
  return result;
}

}  // namespace tactus

#include "isa/tcu/model_file.h"

#include <cstddef>

#include <nlohmann/json.hpp>

#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/folders.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/support/located.h"
#include "isa/support/names.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_json.h"
#include "isa/tcu/layout.h"
#include "isa/tcu/model_parts.h"

namespace tactus::tcu {
namespace {

// ---- reading ------------------------------------------------------------------------------------

ProgramEntry decode_program_entry(ObjectReader reader) {
  ProgramEntry entry;
  entry.file_name = reader.get_string("file_name");
  entry.size = reader.get_optional_u64("size");
  reader.finish();
  return entry;
}

ConstantsEntry decode_constants_entry(ObjectReader reader) {
  ConstantsEntry entry;
  entry.file_name = reader.get_string("file_name");
  entry.base = reader.get_u64("base");
  entry.size = reader.get_u64("size");
  reader.finish();
  return entry;
}

TensorEntry decode_tensor_entry(ObjectReader reader) {
  TensorEntry entry;
  entry.name = printable_name(reader.get_string("name"));
  entry.base = reader.get_u64("base");
  entry.size = reader.get_u64("size");
  reader.finish();
  return entry;
}

ResidentEntry decode_resident_entry(ObjectReader reader) {
  ResidentEntry entry;
  entry.base = reader.get_u64("base");
  entry.local = reader.get_u64("local");
  entry.size = reader.get_u64("size", 1);
  reader.finish();
  return entry;
}

LayerEntry decode_layer_entry(ObjectReader reader) {
  LayerEntry entry;
  entry.name = printable_name(reader.get_string("name"));
  entry.first = reader.get_u64("first");
  entry.count = reader.get_u64("count", 1);
  entry.predicted_cycles = reader.get_optional_u64("predicted_cycles").value_or(0);
  entry.bound_cycles = reader.get_optional_u64("bound_cycles").value_or(0);
  entry.macs = reader.get_optional_u64("macs");
  reader.finish();
  return entry;
}

BoardEntry decode_board_entry(ObjectReader reader) {
  BoardEntry entry;
  entry.name = printable_name(reader.get_string("name"));
  board_parameters().read(reader, entry.values);
  if (entry.values.memory_model == MemoryModel::board && !reader.has("memory")) {
    reader.add_problem("memory", "missing key; memory_model \"board\" needs it");
  }
  reader.finish();
  return entry;
}

template <typename Entry>
std::vector<Entry> decode_array(const ArrayReader& array, Entry (*decode)(ObjectReader)) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < array.size(); ++i) entries.push_back(decode(array.get_object(i)));
  return entries;
}

ModelFile decode_model(ObjectReader reader) {
  ModelFile model;
  model.name = printable_name(reader.get_string("name"));
  model.prog = decode_program_entry(reader.get_object("prog"));
  model.consts = decode_array(reader.get_array("consts"), decode_constants_entry);
  model.inputs = decode_array(reader.get_array("inputs"), decode_tensor_entry);
  model.outputs = decode_array(reader.get_array("outputs"), decode_tensor_entry);
  model.arch = decode_architecture(reader.get_object("arch"), MissingKeys::old_allowed);
  model.load_consts_to_local = reader.get_optional_bool("load_consts_to_local");
  if (const auto resident = reader.get_optional_array("resident")) {
    model.resident = decode_array(*resident, decode_resident_entry);
  }
  if (const auto layers = reader.get_optional_array("layers")) {
    model.layers = decode_array(*layers, decode_layer_entry);
  }
  if (const auto board = reader.get_optional_object("board")) {
    model.board = decode_board_entry(*board);
  }
  model.batch = reader.get_optional_u32("batch", 1, most_batch).value_or(1);
  reader.finish();
  return model;
}

// ---- checks; each leaves out what could not even be read ----------------------------------------

void check_file_name(const std::string& entry_path, const std::string& name, ModelFileNames names,
                     Problems& problems) {
  const std::string path = entry_path + "/file_name";
  if (problems.concerns(entry_path)) return;
  if (name.empty()) {
    if (names == ModelFileNames::needed) problems.add(path, "the file name is empty");
  } else if (name == "." || name == ".." || name.find('\0') != std::string::npos ||
             name.find_first_of("/\\") != std::string::npos) {
    problems.add(path, fmt::format("{} is not a bare file name; allowed a file in the folder of "
                                   "the model file, without any folder in its name",
                                   quote(name)));
  }
}

/// Checks that a range is inside a memory. `what` and `memory` are for the message, such as
/// "constants" and "DRAM1".
void check_range(const std::string& path, std::string_view what, std::uint64_t base,
                 std::uint64_t size, std::string_view memory, std::uint64_t depth,
                 Problems& problems) {
  if (size <= depth && base <= depth - size) return;
  if (size > depth) {
    problems.add(path, fmt::format("{} larger than {}: {} vectors; {} holds {}", what, memory, size,
                                   memory, depth));
  } else {
    problems.add(path, fmt::format("{} outside {}: base {} and {} vectors; {} holds {}", what,
                                   memory, base, size, memory, depth));
  }
}

void check_tensors(const std::string& key, std::string_view what,
                   const std::vector<TensorEntry>& tensors, const Architecture& arch,
                   Problems& problems) {
  const bool depth_known = !problems.concerns("/arch/dram0_depth");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorEntry& tensor = tensors[i];
    const std::string path = fmt::format("{}/{}", key, i);
    if (problems.concerns(path)) continue;
    if (tensor.size == 0) problems.add(path + "/size", "0 is out of range; allowed 1 or more");
    if (!depth_known) continue;
    check_range(path, fmt::format("{} {}", what, quote(tensor.name)), tensor.base, tensor.size,
                "DRAM0", arch.dram0_depth, problems);
  }
}

/// Checks that layers are in order and, if the file states the program's bytes, inside the program.
void check_layers(const std::vector<LayerEntry>& layers, std::optional<std::uint64_t> program,
                  std::uint64_t instruction, Problems& problems) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerEntry& layer = layers[i];
    const std::string path = fmt::format("/layers/{}", i);
    if (problems.concerns(path)) return;
    if (layer.name.empty()) problems.add(path + "/name", "the name is empty");
    if (layer.first < end) {
      problems.add(path + "/first",
                   fmt::format("instruction {} belongs to the layer before; allowed {} or more",
                               layer.first, end));
    }
    if (layer.count > ~std::uint64_t{0} - layer.first) {
      problems.add(path + "/count", "first + count is beyond 64 bits");
      return;
    }
    end = layer.first + layer.count;
    if (program && end > *program / instruction) {
      problems.add(path,
                   fmt::format("{} ends at instruction {}; a program of {} bytes (/prog/size) "
                               "has {}",
                               quote(layer.name), end, *program, *program / instruction));
      return;
    }
  }
}

void check_resident(const ModelFile& model, Problems& problems) {
  for (std::size_t i = 0; i < model.resident.size(); ++i) {
    const ResidentEntry& entry = model.resident[i];
    const std::string path = fmt::format("/resident/{}", i);
    if (problems.concerns(path)) continue;
    if (!problems.concerns("/arch/dram1_depth")) {
      check_range(path, "resident constants", entry.base, entry.size, "DRAM1",
                  model.arch.dram1_depth, problems);
    }
    if (!problems.concerns("/arch/local_depth")) {
      check_range(path, "resident constants", entry.local, entry.size, "local memory",
                  model.arch.local_depth, problems);
    }
  }
}

void check_model(const ModelFile& model, ModelFileNames names, Problems& problems) {
  const bool depth_known = !problems.concerns("/arch/dram1_depth");
  check_file_name("/prog", model.prog.file_name, names, problems);
  for (std::size_t i = 0; i < model.consts.size(); ++i) {
    const ConstantsEntry& entry = model.consts[i];
    const std::string path = fmt::format("/consts/{}", i);
    if (problems.concerns(path)) continue;
    check_file_name(path, entry.file_name, names, problems);
    if (!depth_known) continue;
    check_range(path, "constants", entry.base, entry.size, "DRAM1", model.arch.dram1_depth,
                problems);
  }
  check_resident(model, problems);
  check_tensors("/inputs", "input", model.inputs, model.arch, problems);
  check_tensors("/outputs", "output", model.outputs, model.arch, problems);
  const bool size_known =
      model.prog.size && !problems.concerns("/arch") && !problems.concerns("/prog");
  if (!size_known) return check_layers(model.layers, std::nullopt, 1, problems);
  const std::uint64_t instruction = InstructionLayout(model.arch).instruction_bytes();
  if (*model.prog.size % instruction != 0) {
    problems.add("/prog/size",
                 fmt::format("{} bytes are not whole instructions; allowed multiples of {}",
                             *model.prog.size, instruction));
    return;
  }
  check_layers(model.layers, model.prog.size, instruction, problems);
}

std::vector<LayerEntry> parse_layers(std::string_view text, const std::string& where) {
  JsonDocument document(text, where);
  ObjectReader reader = document.root();
  std::vector<LayerEntry> layers = decode_array(reader.get_array("layers"), decode_layer_entry);
  reader.finish();
  check_layers(layers, std::nullopt, 1, document.problems());
  document.problems().throw_if_any();
  if (layers.empty()) user_error("{}:/layers: no layer is named", where);
  return layers;
}

// ---- writing ------------------------------------------------------------------------------------

nlohmann::ordered_json encode(const std::vector<TensorEntry>& tensors) {
  auto array = nlohmann::ordered_json::array();
  for (const TensorEntry& tensor : tensors) {
    array.push_back({{"name", tensor.name}, {"base", tensor.base}, {"size", tensor.size}});
  }
  return array;
}

}  // namespace

ModelFile read_model_file(const std::string& path) {
  const std::string text = read_text(path);
  ModelFile model =
      parse_as(FileKind::model, path, text, [&] { return parse_model_file(text, path); });
  for (std::size_t i = 0; i < model.arch.dais_blocks.size(); ++i) {
    located(fmt::format("{}:/arch/dais_blocks/{}/program", path, i),
            [&] { return resolve_part(path, model.arch.dais_blocks[i].program); });
  }
  for (std::string* dram : dram_files(model)) {
    *dram = located(path + ":/board: DRAM", [&] { return resolve_part(path, *dram); });
  }
  return model;
}

ModelFile parse_model_file(std::string_view json_text, const std::string& where,
                           ModelFileNames names) {
  JsonDocument document(json_text, where);
  ModelFile model = decode_model(document.root());
  check_model(model, names, document.problems());
  document.problems().throw_if_any();
  return model;
}

std::vector<LayerEntry> read_layers_file(const std::string& path) {
  const std::string text = read_text(path);
  return parse_as(FileKind::layers, path, text, [&] { return parse_layers(text, path); });
}

std::string to_json(const ModelFile& model) {
  nlohmann::ordered_json json;
  json["name"] = model.name;
  json["prog"]["file_name"] = model.prog.file_name;
  if (model.prog.size) json["prog"]["size"] = *model.prog.size;
  json["consts"] = nlohmann::ordered_json::array();
  for (const ConstantsEntry& entry : model.consts) {
    json["consts"].push_back(
        {{"file_name", entry.file_name}, {"base", entry.base}, {"size", entry.size}});
  }
  json["inputs"] = encode(model.inputs);
  json["outputs"] = encode(model.outputs);
  json["arch"] = json_of_text(to_json(model.arch, -1));
  if (model.load_consts_to_local) json["load_consts_to_local"] = *model.load_consts_to_local;
  for (const ResidentEntry& entry : model.resident) {
    json["resident"].push_back(
        {{"base", entry.base}, {"local", entry.local}, {"size", entry.size}});
  }
  for (const LayerEntry& layer : model.layers) {
    nlohmann::ordered_json& entry = json["layers"].emplace_back();
    entry = {{"name", layer.name}, {"first", layer.first}, {"count", layer.count}};
    if (layer.predicted_cycles != 0) entry["predicted_cycles"] = layer.predicted_cycles;
    if (layer.bound_cycles != 0) entry["bound_cycles"] = layer.bound_cycles;
    if (layer.macs) entry["macs"] = *layer.macs;
  }
  if (model.board) {
    json["board"]["name"] = model.board->name;
    board_parameters().write(json["board"], model.board->values);
  }
  if (model.batch != 1) json["batch"] = model.batch;
  return text_of_json(json);
}

void write_model_file(const std::string& path, const ModelFile& model) {
  const std::string text = to_json(model);
  (void)parse_model_file(text, path);  // refuses to write a file that could not be read back
  write_file_atomically(path, text);
}

}  // namespace tactus::tcu

#include "firmware/bench/program_cache.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "firmware/bench/build_hash.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/output_file.h"
#include "isa/support/sha256.h"

namespace fs = std::filesystem;

namespace tactus::bench {
namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::vector<std::uint8_t>;

/// Digits of the hash with which an entry starts. It covers everything after its line end.
constexpr std::ptrdiff_t hash_digits = 64;

Json encode(const std::vector<compiler::TensorLayout>& layouts) {
  Json array = Json::array();
  for (const compiler::TensorLayout& layout : layouts) {
    array.push_back({{"name", layout.name},
                     {"shape", layout.shape},
                     {"order", layout.order},
                     {"vectors", layout.vectors}});
  }
  return array;
}

std::vector<compiler::TensorLayout> decode_layouts(const Json& array) {
  std::vector<compiler::TensorLayout> layouts;
  for (const Json& item : array) {
    compiler::TensorLayout layout;
    item.at("name").get_to(layout.name);
    item.at("shape").get_to(layout.shape);
    item.at("order").get_to(layout.order);
    item.at("vectors").get_to(layout.vectors);
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

/// Second line of an entry, a JSON object: everything except program and constants, which follow
/// it.
std::string header(const std::string& key, const Program& program) {
  Json json;
  json["key"] = key;
  json["build"] = build_hash();
  json["model"] = tcu::to_json(program.model.file);
  json["inputs"] = encode(program.inputs);
  json["outputs"] = encode(program.outputs);
  json["true_macs"] = program.true_macs;
  json["macs_with_padding"] = program.macs_with_padding;
  json["lost_constants"] = program.lost_constants;
  json["program_bytes"] = program.model.program.size();
  return text_of_json(json) + "\n";
}

Program decode(const Json& json, Bytes payload, const std::string& path) {
  Program program;
  program.model.path = path;
  program.model.file = tcu::parse_model_file(json.at("model").get<std::string>(), path);
  program.inputs = decode_layouts(json.at("inputs"));
  program.outputs = decode_layouts(json.at("outputs"));
  json.at("true_macs").get_to(program.true_macs);
  json.at("macs_with_padding").get_to(program.macs_with_padding);
  json.at("lost_constants").get_to(program.lost_constants);
  const auto size = static_cast<std::ptrdiff_t>(json.at("program_bytes").get<std::uint64_t>());
  program.model.constants.emplace_back(payload.begin() + size, payload.end());
  payload.resize(static_cast<std::size_t>(size));
  program.model.program = std::move(payload);
  return program;
}

}  // namespace

Program to_program(compiler::Compiled compiled, const std::string& name) {
  Program program;
  program.model.path = name + ".tmodel";
  program.model.file = model_file(compiled, name);
  program.model.program = std::move(compiled.program);
  program.model.constants.push_back(std::move(compiled.constants));
  program.inputs = compiled.input_layouts;
  program.outputs = compiled.output_layouts;
  program.true_macs = compiled.true_macs;
  program.macs_with_padding = compiled.macs_with_padding;
  const compiler::ConstantLoss lost = compiler::total(compiled.constant_losses);
  program.lost_constants = {lost.saturated, lost.vanished, lost.reduced};
  return program;
}

ProgramCache::ProgramCache(std::optional<std::string> folder) {
  if (folder) folder_.emplace(std::move(*folder));
}

std::optional<std::string> ProgramCache::default_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/tactus";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/tactus";
  return std::nullopt;
}

std::string ProgramCache::path(const std::string& key) const {
  return folder_->path(sha256({key.begin(), key.end()}));
}

std::optional<Program> ProgramCache::find(const std::string& key) const {
  if (!folder_) return std::nullopt;
  const std::string file = path(key);
  try {
    if (!fs::is_regular_file(file)) return std::nullopt;
    Bytes rest = read_file(file);
    if (static_cast<std::ptrdiff_t>(rest.size()) <= hash_digits) return std::nullopt;
    const auto hash_end = rest.begin() + hash_digits;
    const std::string hash(rest.begin(), hash_end);
    rest.erase(rest.begin(), hash_end + 1);
    if (sha256(rest) != hash) return std::nullopt;
    const auto line_end = std::find(rest.begin(), rest.end(), '\n');
    const Json json = json_of_text(std::string(rest.begin(), line_end));
    if (json.at("key") != key || json.at("build") != build_hash()) return std::nullopt;
    rest.erase(rest.begin(), line_end + 1);
    Program program = decode(json, std::move(rest), file);
    CacheFolder::touch(file);
    return program;
  } catch (const std::exception&) {
    return std::nullopt;  // the file is not readable or no entry
  }
}

bool ProgramCache::store(const std::string& key, const Program& program) const {
  if (!folder_) return false;
  const std::string file = path(key);
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error);
  if (error) return false;
  const std::string text = header(key, program);
  const Bytes& constants = program.model.constants.front();
  Bytes rest;
  rest.reserve(text.size() + program.model.program.size() + constants.size());
  rest.insert(rest.end(), text.begin(), text.end());
  rest.insert(rest.end(), program.model.program.begin(), program.model.program.end());
  rest.insert(rest.end(), constants.begin(), constants.end());
  try {
    OutputFile out(file, OutputFile::Replaces::anything);
    out.write(sha256(rest) + "\n");
    out.write(rest.data(), rest.size());
    out.close();
  } catch (const UserError&) {
    return false;
  }
  folder_->trim();
  return true;
}

std::optional<std::string> ProgramCache::key_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string hash;
  std::string line;
  std::getline(stream, hash);
  std::getline(stream, line);
  const Json json = json_or_discarded(line);
  if (hash.size() != hash_digits || !json.is_object() || !json.contains("key")) return std::nullopt;
  return json["key"].get<std::string>();
}

}  // namespace tactus::bench

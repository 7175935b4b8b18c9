// The golden programs, their samples, and the results of the reference interpreters.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/dais/program.h"
#include "isa/support/files.h"

namespace tactus::dais {

inline std::string golden_path(const std::string& file) {
  return std::string(TACTUS_GOLDEN_DIR) + "/dais/" + file;
}

template <typename Word>
std::vector<Word> read_words(const std::string& path) {
  const std::vector<std::uint8_t> bytes = tactus::read_file(path);
  std::vector<Word> words(bytes.size() / sizeof(Word));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Word));
  return words;
}

inline const nlohmann::json& manifest() {
  static const nlohmann::json json = nlohmann::json::parse(read_text(golden_path("manifest.json")));
  return json;
}

struct GoldenProgram {
  std::string name;
  const nlohmann::json* entry;
  std::vector<std::string> files;  ///< available dialects: "seed", "v0", "v1"

  [[nodiscard]] std::string path(const std::string& file) const {
    return golden_path("prog/" + name + "/" + file);
  }
  [[nodiscard]] std::string binary(const std::string& dialect) const {
    return path("prog." + dialect + ".bin");
  }
  [[nodiscard]] std::vector<double> inputs() const { return read_words<double>(path("in.f64")); }
  [[nodiscard]] std::size_t count(const char* key) const {
    return entry->at(key).get<std::size_t>();
  }
  /// True if the outputs are known to differ between interpreters.
  [[nodiscard]] bool has_versions() const { return entry->at("files").contains("outputs_doc"); }
};

inline std::vector<GoldenProgram> golden_programs() {
  std::vector<GoldenProgram> programs;
  for (const auto& entry : manifest().at("programs")) {
    GoldenProgram program{entry.at("name").get<std::string>(), &entry, {}};
    for (const char* dialect : {"seed", "v0", "v1"}) {
      if (entry.at("files").contains(std::string("prog_") + dialect)) {
        program.files.emplace_back(dialect);
      }
    }
    programs.push_back(std::move(program));
  }
  return programs;
}

inline Dialect dialect_named(const std::string& name) {
  return name == "seed" ? Dialect::seed : name == "v0" ? Dialect::v0 : Dialect::v1;
}

}  // namespace tactus::dais

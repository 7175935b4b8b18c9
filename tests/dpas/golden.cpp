#include "tests/dpas/golden.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "isa/support/files.h"

namespace tactus::dpas {
namespace {

std::vector<std::uint8_t> part(const std::vector<std::uint8_t>& bytes, const nlohmann::json& at) {
  if (at.is_null() || at.empty()) return {};
  const auto first = at.at(0).get<std::size_t>();
  const auto length = at.at(1).get<std::size_t>();
  if (first + length > bytes.size()) throw std::runtime_error("a vector's file is too short");
  return {bytes.begin() + static_cast<std::ptrdiff_t>(first),
          bytes.begin() + static_cast<std::ptrdiff_t>(first + length)};
}

Vector read_vector(const std::string& folder, const nlohmann::json& json) {
  Vector v;
  v.file = json.at("file").get<std::string>();
  const auto bytes = read_file(folder + "/" + v.file);
  v.config.w = find_precision(json.at("w").get<std::string>()).value();
  v.config.a = find_precision(json.at("a").get<std::string>()).value();
  v.config.dst_type = find_type(json.at("dst_type").get<std::string>()).value();
  v.config.src0_type = find_type(json.at("src0_type").get<std::string>()).value();
  v.config.src0_null = json.at("src0_null").get<bool>();
  v.config.execution_size = json.at("exec_size").get<std::uint8_t>();
  v.config.systolic_depth = json.at("sd").get<std::uint8_t>();
  v.config.repeat_count = json.at("rc").get<std::uint8_t>();
  v.pattern = json.at("pattern").get<std::string>();
  v.src0 = part(bytes, json.at("src0"));
  v.src1 = part(bytes, json.at("src1"));
  v.src2 = part(bytes, json.at("src2"));
  for (const auto& [name, at] : json.at("expect").items()) {
    v.expectations.push_back({name, part(bytes, at)});
  }
  v.primary = json.at("primary").get<std::string>();
  v.order_independent = json.at("order_independent").get<bool>();
  v.text = json.at("asm").get<std::string>();
  v.binary = json.at("visa_bin").get<std::string>();
  return v;
}

bool is_nan(Type type, const std::uint8_t* at) {
  if (type == Type::f) {
    std::uint32_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return (bits & 0x7FFFFFFFU) > 0x7F800000U;
  }
  std::uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return std::isnan(type == Type::bf ? bf_to_float(bits) : hf_to_float(bits));
}

}  // namespace

std::string golden_folder() {
  if (const char* folder = std::getenv("TACTUS_DPAS_GOLDEN")) return folder;
  return TACTUS_GOLDEN_DIR "/dpas";
}

const Expectation& Vector::expectation(const std::string& name) const {
  for (const Expectation& one : expectations) {
    if (one.name == name) return one;
  }
  throw std::runtime_error(file + " has no expectation " + name);
}

std::vector<Vector> golden_vectors() {
  const std::string folder = golden_folder();
  const auto manifest = nlohmann::json::parse(read_text(folder + "/manifest.json"));
  std::vector<Vector> vectors;
  for (const auto& json : manifest.at("vectors")) vectors.push_back(read_vector(folder, json));
  return vectors;
}

std::vector<std::vector<std::string>> golden_table(const std::string& name) {
  std::istringstream text(read_text(golden_folder() + "/" + name));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> row;
    std::size_t start = 0;
    for (std::size_t tab; (tab = line.find('\t', start)) != std::string::npos; start = tab + 1) {
      row.push_back(line.substr(start, tab - start));
    }
    row.push_back(line.substr(start));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string difference(const DpasConfig& config, const std::vector<std::uint8_t>& got,
                       const std::vector<std::uint8_t>& expected) {
  if (got.size() != expected.size()) return "sizes differ";
  const unsigned bytes = info(config.dst_type).bytes;
  const bool is_float = info(config.dst_type).is_float;
  for (std::size_t i = 0; i < got.size(); i += bytes) {
    if (std::memcmp(&got[i], &expected[i], bytes) == 0) continue;
    if (is_float && is_nan(config.dst_type, &got[i]) && is_nan(config.dst_type, &expected[i])) {
      continue;
    }
    const auto hex = [&](const std::vector<std::uint8_t>& from) {
      return to_hex({from.begin() + static_cast<std::ptrdiff_t>(i),
                     from.begin() + static_cast<std::ptrdiff_t>(i + bytes)});
    };
    return "element " + std::to_string(i / bytes) + ": " + hex(got) + " instead of " +
           hex(expected);
  }
  return {};
}

std::vector<std::uint8_t> compute(const Vector& v, const DpasConfig& config,
                                  DpasFunction function) {
  std::vector<std::uint8_t> dst(shape_of(config).dst_bytes);
  function(config, dst.data(), v.src0.data(), v.src1.data(), v.src2.data());
  return dst;
}

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string to_hex(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace tactus::dpas

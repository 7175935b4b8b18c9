#include "golden.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "isa/support/files.h"
#include "tests/support/shared.h"

namespace tactus::stripe::test {

namespace fs = std::filesystem;

std::string golden_folder() {
  const fs::path folder = fs::path(shared_folder()) / "golden/stripe";
  return fs::is_directory(folder) ? folder.string() : std::string();
}

std::vector<Case> golden_cases() {
  std::vector<Case> cases;
  const fs::path top = fs::path(golden_folder()) / "peer_070";
  if (!fs::is_directory(top)) return cases;
  for (const auto& folder : fs::directory_iterator(top)) {
    Case one;
    one.name = folder.path().filename().string();
    one.passes = (folder.path() / "passes.json").string();
    for (const auto& file : fs::directory_iterator(folder.path())) {
      if (file.path().extension() != ".stripe") continue;
      Step step;
      step.name = file.path().stem().string();
      step.text = file.path().string();
      step.protobuf = fs::path(file.path()).replace_extension(".pbtxt").string();
      const fs::path outputs = fs::path(file.path()).replace_extension(".vm");
      if (fs::exists(outputs)) step.outputs = outputs.string();
      one.steps.push_back(step);
    }
    std::sort(one.steps.begin(), one.steps.end(),
              [](const Step& a, const Step& b) { return a.name < b.name; });
    cases.push_back(one);
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

std::vector<std::string> golden_files(const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& file : fs::recursive_directory_iterator(golden_folder())) {
    const std::string path = file.path().string();
    if (path.size() >= ending.size() && path.substr(path.size() - ending.size()) == ending) {
      files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool wrong_upstream(const Case& one, const Step& step) {
  const std::string number = step.name.substr(0, 2);
  return one.name == "partition_banks_conv" && (number == "09" || number == "10");
}

std::string read(const std::string& path) { return read_text(path); }

Tensors read_outputs(const std::string& path) {
  Tensors result;
  std::istringstream lines(read(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    Tensor& tensor = result[name];
    for (double value = 0; words >> value;) tensor.push_back(value);
  }
  return result;
}

std::pair<Tensors, std::vector<Element>> fragment_data(const std::string& path) {
  const nlohmann::json data = nlohmann::json::parse(read(path));
  const auto tensors = [&data](const char* key) {
    const auto it = data.find(key);
    return it == data.end() || it->is_null() ? Tensors() : it->get<Tensors>();
  };
  std::vector<Element> elements;
  for (const auto& [name, tensor] : tensors("expected")) {
    for (std::size_t i = 0; i < tensor.size(); ++i) elements.push_back({name, i, tensor[i]});
  }
  for (const auto& one : data.value("expected_elements", nlohmann::json::array())) {
    elements.push_back({one.at("buffer"), one.at("index"), one.at("value")});
  }
  return {tensors("inputs"), elements};
}

namespace {

double points_of(const Block& block) {
  double work = 1;
  for (const Statement& stmt : block.statements) {
    if (const Block* nested = stmt.block()) work += points_of(*nested);
  }
  return work * static_cast<double>(block.positions());
}

}  // namespace

double work_of(const Program& program) { return points_of(program.block()); }

}  // namespace tactus::stripe::test

// The table of operators beside the schemas of the installed libonnx: for each operator and
// operator set the numbers of inputs and outputs and the names of the attributes.
#include <algorithm>
#include <climits>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <onnx/defs/schema.h>

#include "firmware/onnx/operators.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

int newest_known_to_libonnx() {
  return onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
}

const onnx::OpSchema* schema_of(std::string_view name, std::int64_t opset) {
  const onnx::OpSchema* schema =
      onnx::OpSchemaRegistry::Schema(std::string(name), static_cast<int>(opset), "");
  return schema == nullptr || schema->Deprecated() ? nullptr : schema;
}

std::set<std::string> words(std::string_view text) {
  std::set<std::string> all;
  std::string word;
  for (const char c : std::string(text) + ' ') {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      all.insert(std::move(word));
      word.clear();
    }
  }
  return all;
}

/// What the table says otherwise than the schema.
std::set<std::string> differences(const Form& form, const onnx::OpSchema& schema, bool older) {
  std::set<std::string> found;
  const auto compare = [&](const char* what, std::size_t own, int stated) {
    const auto other = stated == INT_MAX ? any_number : static_cast<std::size_t>(stated);
    if (own != other) found.insert(fmt::format("{} {} for {}", what, own, other));
  };
  std::set<std::string> attributes;
  for (const auto& [name, attribute] : schema.attributes()) {
    attributes.insert(name);
    if (words(form.attributes).count(name) == 0) found.insert("no " + name);
  }
  if (older) return found;
  compare("inputs from", form.least_inputs, schema.min_input());
  compare("inputs to", form.most_inputs, schema.max_input());
  compare("outputs to", form.most_outputs, schema.max_output());
  for (const std::string& name : words(form.attributes)) {
    if (attributes.count(name) == 0) found.insert("with " + name);
  }
  return found;
}

/// The differences of all operators, with the operator sets that show them.
std::map<std::string, std::string> all_differences() {
  std::map<std::string, std::set<std::int64_t>> sets;
  const auto add = [&](std::string_view name, const std::string& what, std::int64_t opset) {
    sets[std::string(name) + ": " + what].insert(opset);
  };
  for (const std::string_view name : known_operators()) {
    for (std::int64_t opset = 1; opset <= newest_known_to_libonnx(); ++opset) {
      const Form* form = find_form(name, opset);
      const onnx::OpSchema* schema = schema_of(name, opset);
      const bool older = opset < first_opset;
      if (form != nullptr && schema != nullptr) {
        for (const std::string& what : differences(*form, *schema, older)) add(name, what, opset);
      } else if (form != nullptr) {
        add(name, "not in ONNX", opset);
      } else if (schema != nullptr && (!older || schema == schema_of(name, first_opset))) {
        add(name, "not in the table", opset);
      }
    }
  }
  std::map<std::string, std::string> all;
  for (const auto& [what, opsets] : sets) {
    all[what] = fmt::format("{} to {}", *opsets.begin(), *opsets.rbegin());
  }
  return all;
}

/// Why the table says otherwise than ONNX.
const std::map<std::string, std::string>& reasons() {
  static const std::string runtime =
      "operators of ONNX Runtime, which models of any set may have, become this one";
  static const std::string texts = "a tensor has no texts here";
  static const std::string learned = "operators of ai.onnx.ml are read as ONNX's own";
  static const std::string quantiser = "QONNX's operators are read as ONNX's own";
  static const std::map<std::string, std::string> all{
      {"ArrayFeatureExtractor: not in ONNX", learned},
      {"Attention: not in ONNX", runtime},
      {"Binarizer: not in ONNX", learned},
      {"BipolarQuant: not in ONNX", quantiser},
      {"Constant: no sparse_value", "tensors are dense here"},
      {"Constant: no value_string", texts},
      {"Constant: no value_strings", texts},
      {"Gelu: not in ONNX", runtime},
      {"Imputer: not in ONNX", learned},
      {"SVMClassifier: not in ONNX", learned},
      {"SVMRegressor: not in ONNX", learned},
      {"TreeEnsemble: not in ONNX", learned},
      {"LabelEncoder: not in ONNX", learned},
      {"LinearClassifier: not in ONNX", learned},
      {"LinearRegressor: not in ONNX", learned},
      {"Normalizer: not in ONNX", learned},
      {"Quant: not in ONNX", quantiser},
      {"Scaler: not in ONNX", learned},
      {"TreeEnsembleClassifier: not in ONNX", learned},
      {"TreeEnsembleRegressor: not in ONNX", learned},
      {"LayerNormalization: not in ONNX", "ONNX Runtime writes it in models of older sets"},
      {"RMSNormalization: not in ONNX", runtime},
      {"Resize: inputs from 1 for 3",
       "exporters leave out what they do not need before set 13, too"},
      {"RotaryEmbedding: not in ONNX", runtime},
      {"SimplifiedLayerNormalization: not in ONNX", "ONNX Runtime has it in ONNX's own domain"},
      {"Swish: not in ONNX", runtime},
  };
  return all;
}

TEST(OperatorTable, SaysWhatOnnxSaysOrWhyNot) {
  const std::map<std::string, std::string> found = all_differences();
  for (const auto& [what, opsets] : found) {
    EXPECT_EQ(reasons().count(what), 1U) << what << " in sets " << opsets;
  }
  for (const auto& [what, reason] : reasons()) {
    EXPECT_EQ(found.count(what), 1U) << what << " is no difference";
  }
}

}  // namespace
}  // namespace tactus::nn

// Operators of ai.onnx.ml on numbers: trees, linear models, and what prepares features for them.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "firmware/reference/call.h"

namespace tactus::nn {
namespace {

/// Rows of features: a list is one row.
struct Rows {
  std::int64_t count = 1, features = 0;
};

Rows rows_of(const Call& call, const Tensor& x) {
  if (x.shape.empty() || x.shape.size() > 2) {
    call.fail("input 0 has shape {}; allowed are rows of features", to_string(x.shape));
  }
  return {x.shape.size() == 2 ? x.shape[0] : 1, x.shape.back()};
}

/// Changes the scores of one row as attribute "post_transform" says.
void transform(const Call& call, std::vector<double>& scores) {
  const std::string kind = call.node.text("post_transform", "NONE");
  if (kind == "NONE" || scores.empty()) return;
  if (kind == "LOGISTIC") {
    for (double& score : scores) score = 1 / (1 + std::exp(-score));
  } else if (kind == "SOFTMAX" || kind == "SOFTMAX_ZERO") {
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) {
      score = kind == "SOFTMAX_ZERO" && score == 0 ? 0 : std::exp(score - largest);
      sum += score;
    }
    for (double& score : scores) score /= sum;
  } else {
    call.fail(
        "attribute \"post_transform\" is \"{}\"; allowed are NONE, SOFTMAX, LOGISTIC, "
        "SOFTMAX_ZERO",
        kind);
  }
}

// ---- trees --------------------------------------------------------------------------------------

enum class Branch : std::uint8_t { leaf, leq, lt, gte, gt, eq, neq };

struct TreeNode {
  Branch branch = Branch::leaf;
  std::size_t feature = 0;
  float value = 0;
  bool nan_is_true = false;
  std::size_t yes = 0, no = 0;
  std::vector<std::pair<std::size_t, double>> weights;  ///< of a leaf: targets and what they get
};

struct Trees {
  std::vector<TreeNode> nodes;
  std::vector<std::size_t> roots;
};

Branch branch_of(const Call& call, const std::string& mode) {
  static const std::map<std::string, Branch> modes{
      {"LEAF", Branch::leaf},      {"BRANCH_LEQ", Branch::leq}, {"BRANCH_LT", Branch::lt},
      {"BRANCH_GTE", Branch::gte}, {"BRANCH_GT", Branch::gt},   {"BRANCH_EQ", Branch::eq},
      {"BRANCH_NEQ", Branch::neq}};
  const auto found = modes.find(mode);
  if (found == modes.end()) call.fail("a node of mode \"{}\" is not supported", mode);
  return found->second;
}

/// Reads the attributes nodes_... and `what`_... ("target", "class") of trees.
Trees read_trees(const Call& call, const std::string& what) {
  const Node& node = call.node;
  const auto& trees = node.integers("nodes_treeids");
  const auto& numbers = node.integers("nodes_nodeids");
  const auto& features = node.integers("nodes_featureids");
  const auto& yes = node.integers("nodes_truenodeids");
  const auto& no = node.integers("nodes_falsenodeids");
  const std::vector<std::string> modes = node.texts("nodes_modes", {});
  const auto& values = node.reals("nodes_values");
  const std::size_t count = trees.size();
  const auto nans = node.integers("nodes_missing_value_tracks_true", Shape(count, 0));
  for (const std::size_t size : {numbers.size(), features.size(), yes.size(), no.size(),
                                 modes.size(), values.size(), nans.size()}) {
    if (size != count) call.fail("its lists of nodes differ in length: {} and {}", count, size);
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places;
  for (std::size_t k = 0; k < count; ++k) places[{trees[k], numbers[k]}] = k;
  const auto place = [&](std::int64_t tree, std::int64_t number) {
    const auto found = places.find({tree, number});
    if (found == places.end()) call.fail("tree {} has no node {}", tree, number);
    return found->second;
  };
  Trees all;
  std::vector<bool> is_child(count);
  for (std::size_t k = 0; k < count; ++k) {
    TreeNode& made = all.nodes.emplace_back();
    made.branch = branch_of(call, modes[k]);
    made.feature = static_cast<std::size_t>(std::max<std::int64_t>(features[k], 0));
    made.value = values[k];
    made.nan_is_true = nans[k] != 0;
    if (made.branch == Branch::leaf) continue;
    made.yes = place(trees[k], yes[k]);
    made.no = place(trees[k], no[k]);
    // A child that stands before its parent could close a ring.
    is_child[made.yes] = is_child[made.no] = true;
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (!is_child[k]) all.roots.push_back(k);
  }
  const auto& leaf_trees = node.integers(what + "_treeids");
  const auto& leaf_nodes = node.integers(what + "_nodeids");
  const auto& targets = node.integers(what + "_ids");
  const auto& weights = node.reals(what + "_weights");
  if (leaf_trees.size() != leaf_nodes.size() || leaf_trees.size() != targets.size() ||
      leaf_trees.size() != weights.size()) {
    call.fail("its lists of leaves differ in length");
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (targets[k] < 0) call.fail("target {} is negative", targets[k]);
    all.nodes[place(leaf_trees[k], leaf_nodes[k])].weights.emplace_back(
        static_cast<std::size_t>(targets[k]), static_cast<double>(weights[k]));
  }
  return all;
}

bool takes_yes(const TreeNode& node, float x) {
  if (std::isnan(x)) return node.nan_is_true;
  switch (node.branch) {
    case Branch::leq:
      return x <= node.value;
    case Branch::lt:
      return x < node.value;
    case Branch::gte:
      return x >= node.value;
    case Branch::gt:
      return x > node.value;
    case Branch::eq:
      return x == node.value;
    default:
      return x != node.value;
  }
}

/// Adds what the leaves of one row give to each target.
std::vector<double> scores_of(const Call& call, const Trees& trees, const float* row,
                              std::int64_t features, std::size_t targets) {
  const std::string kind = call.node.text("aggregate_function", "SUM");
  if (kind != "SUM" && kind != "AVERAGE" && kind != "MIN" && kind != "MAX") {
    call.fail("attribute \"aggregate_function\" is \"{}\"; allowed are SUM, AVERAGE, MIN, MAX",
              kind);
  }
  std::vector<double> scores(targets, 0);
  std::vector<bool> seen(targets);
  for (const std::size_t root : trees.roots) {
    std::size_t at = root;
    for (std::size_t steps = 0; trees.nodes[at].branch != Branch::leaf; ++steps) {
      const TreeNode& node = trees.nodes[at];
      if (steps > trees.nodes.size()) call.fail("the branches of a tree form a ring");
      if (node.feature >= static_cast<std::size_t>(features)) {
        call.fail("feature {} of {} is read", node.feature, features);
      }
      at = takes_yes(node, row[node.feature]) ? node.yes : node.no;
    }
    for (const auto& [target, weight] : trees.nodes[at].weights) {
      if (target >= targets) call.fail("a leaf has target {} of {}", target, targets);
      double& score = scores[target];
      if (kind == "MIN" && seen[target]) {
        score = std::min(score, weight);
      } else if (kind == "MAX" && seen[target]) {
        score = std::max(score, weight);
      } else {
        score = kind == "MIN" || kind == "MAX" ? weight : score + weight;
      }
      seen[target] = true;
    }
  }
  if (kind == "AVERAGE" && !trees.roots.empty()) {
    for (double& score : scores) score /= static_cast<double>(trees.roots.size());
  }
  const std::vector<float> base = call.node.reals("base_values", {});
  for (std::size_t k = 0; k < std::min(base.size(), targets); ++k) {
    scores[k] += static_cast<double>(base[k]);
  }
  return scores;
}

std::vector<std::int64_t> labels_of(const Call& call, const char* texts, const char* integers) {
  if (call.node.has(texts) && !call.node.texts(texts, {}).empty()) {
    call.fail("its labels are texts (attribute \"{}\"); allowed are integers", texts);
  }
  return call.node.integers(integers);
}

/// Adds labels and scores of all rows. A single score stands for the second of two classes.
void add_classes(Call& call, std::int64_t rows, const std::vector<std::int64_t>& labels,
                 const std::vector<std::vector<double>>& scores, bool binary) {
  std::vector<std::int64_t> chosen;
  std::vector<float> values;
  for (const std::vector<double>& row : scores) {
    std::vector<double> all = row;
    if (binary) {
      // ONNX Runtime: the complement of a probability, the negative of any other score.
      const bool probable = call.node.text("post_transform", "NONE") == "LOGISTIC";
      const double one = row.back();
      all = {probable ? 0.0 : -one, one};
      transform(call, all);
      if (probable) all = {1 - all[1], all[1]};
      chosen.push_back(labels[one > 0 ? 1 : 0]);
    } else {
      const auto best = std::max_element(all.begin(), all.end()) - all.begin();
      chosen.push_back(labels[static_cast<std::size_t>(best)]);
      transform(call, all);
    }
    for (const double value : all) values.push_back(static_cast<float>(value));
  }
  const auto classes = rows == 0 ? static_cast<std::int64_t>(labels.size())
                                 : static_cast<std::int64_t>(values.size()) / rows;
  call.results.push_back(Tensor::of({rows}, std::move(chosen)));
  call.results.push_back(Tensor::of({rows, classes}, std::move(values)));
}

}  // namespace

void run_tree_regressor(Call& call) {
  const Tensor x = Tensor::of(call.input(0).shape, call.input(0).reals());
  const Rows rows = rows_of(call, x);
  const Trees trees = read_trees(call, "target");
  const std::int64_t targets = call.node.integer("n_targets", 1);
  if (targets < 1 || targets > 1 << 20) call.fail("it has {} targets", targets);
  std::vector<float> values;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    std::vector<double> scores = scores_of(call, trees, x.floats.data() + r * rows.features,
                                           rows.features, static_cast<std::size_t>(targets));
    transform(call, scores);
    for (const double score : scores) values.push_back(static_cast<float>(score));
  }
  call.results.push_back(Tensor::of({rows.count, targets}, std::move(values)));
}

void run_tree_classifier(Call& call) {
  const Tensor x = Tensor::of(call.input(0).shape, call.input(0).reals());
  const Rows rows = rows_of(call, x);
  const Trees trees = read_trees(call, "class");
  const std::vector<std::int64_t> labels =
      labels_of(call, "classlabels_strings", "classlabels_int64s");
  const std::vector<std::int64_t>& targets = call.node.integers("class_ids");
  const bool binary =
      labels.size() == 2 && !targets.empty() &&
      std::adjacent_find(targets.begin(), targets.end(), std::not_equal_to<>()) == targets.end();
  const std::vector<float>& weights = call.node.reals("class_weights");
  const bool positive = std::all_of(weights.begin(), weights.end(), [](float w) { return w >= 0; });
  std::vector<std::int64_t> chosen;
  std::vector<std::vector<double>> all;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    std::vector<double> scores =
        scores_of(call, trees, x.floats.data() + r * rows.features, rows.features, labels.size());
    if (binary) scores = {scores[static_cast<std::size_t>(targets[0])]};
    all.push_back(std::move(scores));
  }
  if (!binary || !positive || call.node.text("post_transform", "NONE") != "NONE") {
    return add_classes(call, rows.count, labels, all, binary);
  }
  // Weights that are probabilities of one of two classes.
  std::vector<float> values;
  for (const auto& row : all) {
    chosen.push_back(labels[row[0] > 0.5 ? 1 : 0]);
    values.push_back(static_cast<float>(1 - row[0]));
    values.push_back(static_cast<float>(row[0]));
  }
  call.results.push_back(Tensor::of({rows.count}, std::move(chosen)));
  call.results.push_back(Tensor::of({rows.count, 2}, std::move(values)));
}

// ---- linear models ------------------------------------------------------------------------------

namespace {

/// Sums of features times coefficients for each of `targets` results, with intercepts.
std::vector<std::vector<double>> linear_scores(const Call& call, std::size_t targets) {
  const Tensor x = Tensor::of(call.input(0).shape, call.input(0).reals());
  const Rows rows = rows_of(call, x);
  const std::vector<float>& weights = call.node.reals("coefficients");
  const std::vector<float> intercepts = call.node.reals("intercepts", {});
  if (weights.size() != targets * static_cast<std::size_t>(rows.features)) {
    call.fail("{} coefficients for {} results of {} features", weights.size(), targets,
              rows.features);
  }
  std::vector<std::vector<double>> all;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    std::vector<double>& scores = all.emplace_back();
    for (std::size_t t = 0; t < targets; ++t) {
      double sum = t < intercepts.size() ? static_cast<double>(intercepts[t]) : 0;
      for (std::int64_t f = 0; f < rows.features; ++f) {
        sum += static_cast<double>(weights[t * static_cast<std::size_t>(rows.features) +
                                           static_cast<std::size_t>(f)]) *
               static_cast<double>(x.floats[static_cast<std::size_t>(r * rows.features + f)]);
      }
      scores.push_back(sum);
    }
  }
  return all;
}

}  // namespace

void run_linear_regressor(Call& call) {
  const std::int64_t targets = call.node.integer("targets", 1);
  if (targets < 1 || targets > 1 << 20) call.fail("it has {} targets", targets);
  std::vector<float> values;
  auto all = linear_scores(call, static_cast<std::size_t>(targets));
  for (std::vector<double>& scores : all) {
    transform(call, scores);
    for (const double score : scores) values.push_back(static_cast<float>(score));
  }
  call.results.push_back(
      Tensor::of({static_cast<std::int64_t>(all.size()), targets}, std::move(values)));
}

void run_linear_classifier(Call& call) {
  const std::vector<std::int64_t> labels =
      labels_of(call, "classlabels_strings", "classlabels_ints");
  const std::size_t own =
      call.node.has("intercepts") ? call.node.reals("intercepts").size() : labels.size();
  const auto all = linear_scores(call, std::max<std::size_t>(own, 1));
  const bool binary = own == 1 && labels.size() == 2;
  add_classes(call, static_cast<std::int64_t>(all.size()), labels, all, binary);
}

// ---- features -----------------------------------------------------------------------------------

void run_scaler(Call& call) {
  const Tensor& given = call.input(0);
  Tensor out = Tensor::of(given.shape, given.reals());
  const Rows rows = rows_of(call, out);
  const auto list = [&](const char* name, float fallback) {
    std::vector<float> values = call.node.reals(name, {fallback});
    if (values.size() != 1 && static_cast<std::int64_t>(values.size()) != rows.features) {
      call.fail("attribute \"{}\" has {} values for {} features", name, values.size(),
                rows.features);
    }
    values.resize(static_cast<std::size_t>(rows.features), values.front());
    return values;
  };
  const std::vector<float> offset = list("offset", 0), scale = list("scale", 1);
  for (std::size_t k = 0; k < out.floats.size(); ++k) {
    const std::size_t f = k % static_cast<std::size_t>(rows.features);
    out.floats[k] = (out.floats[k] - offset[f]) * scale[f];
  }
  call.results.push_back(std::move(out));
}

void run_normalizer(Call& call) {
  const Tensor& given = call.input(0);
  Tensor out = Tensor::of(given.shape, given.reals());
  const Rows rows = rows_of(call, out);
  const std::string norm = call.node.text("norm", "MAX");
  if (norm != "MAX" && norm != "L1" && norm != "L2") {
    call.fail("attribute \"norm\" is \"{}\"; allowed are MAX, L1, L2", norm);
  }
  for (std::int64_t r = 0; r < rows.count; ++r) {
    float* const row = out.floats.data() + r * rows.features;
    double size = norm == "MAX" ? -HUGE_VAL : 0;
    for (std::int64_t f = 0; f < rows.features; ++f) {
      const auto x = static_cast<double>(row[f]);
      size = norm == "MAX" ? std::max(size, x) : size + (norm == "L1" ? std::abs(x) : x * x);
    }
    if (norm == "L2") size = std::sqrt(size);
    if (size == 0) continue;
    for (std::int64_t f = 0; f < rows.features; ++f) {
      row[f] = static_cast<float>(static_cast<double>(row[f]) / size);
    }
  }
  call.results.push_back(std::move(out));
}

void run_binarizer(Call& call) {
  const Tensor& given = call.input(0);
  Tensor out = Tensor::of(given.shape, given.reals());
  const float threshold = call.node.real("threshold", 0);
  for (float& value : out.floats) value = value > threshold ? 1.0F : 0.0F;
  call.results.push_back(std::move(out));
}

void run_imputer(Call& call) {
  Tensor out = call.floats(0);
  const Rows rows = rows_of(call, out);
  const std::vector<float>& values = call.node.reals("imputed_value_floats");
  const float missing = call.node.real("replaced_value_float", 0);
  if (values.size() != 1 && static_cast<std::int64_t>(values.size()) != rows.features) {
    call.fail("{} values for {} features", values.size(), rows.features);
  }
  for (std::size_t k = 0; k < out.floats.size(); ++k) {
    float& value = out.floats[k];
    if (std::isnan(missing) ? std::isnan(value) : value == missing) {
      value = values[values.size() == 1 ? 0 : k % static_cast<std::size_t>(rows.features)];
    }
  }
  call.results.push_back(std::move(out));
}

void run_feature_extractor(Call& call) {
  const Tensor& x = call.input(0);
  const Tensor& which = call.input(1);
  if (which.type != ElementType::int64) call.fail("input 1 is FLOAT; allowed are integers");
  const Rows rows = rows_of(call, x);
  Tensor out;
  out.type = x.type;
  out.stored = x.stored;
  out.shape = {rows.count, which.size()};
  for (std::int64_t r = 0; r < rows.count; ++r) {
    for (const std::int64_t f : which.integers) {
      if (f < 0 || f >= rows.features) call.fail("feature {} of {} is read", f, rows.features);
      const auto at = static_cast<std::size_t>(r * rows.features + f);
      if (x.type == ElementType::float32) out.floats.push_back(x.floats[at]);
      if (x.type == ElementType::int64) out.integers.push_back(x.integers[at]);
    }
  }
  call.results.push_back(std::move(out));
}

void run_label_encoder(Call& call) {
  const Tensor& x = call.input(0);
  const bool real_keys = call.node.has("keys_floats"), real_values = call.node.has("values_floats");
  if (!real_keys && !call.node.has("keys_int64s")) {
    call.fail("its keys are texts; allowed are numbers (attributes keys_floats, keys_int64s)");
  }
  if (!real_values && !call.node.has("values_int64s")) {
    call.fail(
        "its values are texts; allowed are numbers (attributes values_floats, values_int64s)");
  }
  std::map<double, std::size_t> places;
  const auto add = [&](const auto& keys) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      places.emplace(static_cast<double>(keys[k]), k);
    }
  };
  if (real_keys) add(call.node.reals("keys_floats"));
  if (!real_keys) add(call.node.integers("keys_int64s"));
  const auto value_of = [&](double key, const auto& values, auto fallback) {
    const auto found = places.find(key);
    return found == places.end() || found->second >= values.size() ? fallback
                                                                   : values[found->second];
  };
  Tensor out;
  out.shape = x.shape;
  out.type = real_values ? ElementType::float32 : ElementType::int64;
  for (std::int64_t k = 0; k < x.size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double key = x.type == ElementType::float32 ? static_cast<double>(x.floats[at])
                                                      : static_cast<double>(x.integers[at]);
    if (real_values) {
      out.floats.push_back(
          value_of(key, call.node.reals("values_floats"), call.node.real("default_float", 0)));
    } else {
      out.integers.push_back(value_of(key, call.node.integers("values_int64s"),
                                      call.node.integer("default_int64", -1)));
    }
  }
  call.results.push_back(std::move(out));
}

}  // namespace tactus::nn

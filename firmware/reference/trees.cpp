// Trees of ai.onnx.ml: TreeEnsemble (set 5), and TreeEnsembleRegressor and -Classifier before it.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "firmware/reference/learned.h"

namespace tactus::nn {
namespace {

/// Comparisons in the order of their numbers in "nodes_modes" of TreeEnsemble.
enum class Branch : std::uint8_t { leq, lt, gte, gt, eq, neq, member, leaf };

struct TreeNode {
  Branch branch = Branch::leaf;
  std::size_t feature = 0;
  float value = 0;
  std::vector<float> members;  ///< values for which Branch::member is true
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
    case Branch::member:
      return std::find(node.members.begin(), node.members.end(), x) != node.members.end();
    default:
      return x != node.value;
  }
}

/// Joins what the leaves of one row give to each target; `kind` is SUM, AVERAGE, MIN or MAX.
std::vector<double> scores_of(const Call& call, const Trees& trees, const std::string& kind,
                              const float* row, std::int64_t features, std::size_t targets) {
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
  return scores;
}

/// The scores of all rows, with "base_values", which TreeEnsemble lacks.
std::vector<std::vector<double>> all_scores(const Call& call, const Trees& trees,
                                            const std::string& kind, std::int64_t targets) {
  if (targets < 1 || targets > 1 << 20) call.fail("it has {} targets", targets);
  const Tensor x = Tensor::of(call.input(0).shape, call.input(0).reals());
  const Rows rows = rows_of(call, x);
  const std::vector<float> base = call.node.reals("base_values", {});
  std::vector<std::vector<double>> all;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    all.push_back(scores_of(call, trees, kind, x.floats.data() + r * rows.features, rows.features,
                            static_cast<std::size_t>(targets)));
    for (std::size_t k = 0; k < std::min(base.size(), all.back().size()); ++k) {
      all.back()[k] += static_cast<double>(base[k]);
    }
  }
  return all;
}

// ---- TreeEnsemble -------------------------------------------------------------------------------

/// Values of a tensor attribute with one element for each of `count` nodes or leaves.
std::vector<float> listed(const Call& call, const char* name, std::size_t count) {
  std::vector<float> values = call.node.tensor(name).reals();
  if (values.size() != count) {
    call.fail("attribute \"{}\" has {} values; needed are {}", name, values.size(), count);
  }
  return values;
}

/// Gives each node of mode BRANCH_MEMBER, in their order, its values up to the next NaN.
void read_members(const Call& call, std::vector<TreeNode>& nodes) {
  const std::vector<float> values = call.node.has("membership_values")
                                        ? call.node.tensor("membership_values").reals()
                                        : std::vector<float>();
  auto at = values.begin();
  for (TreeNode& node : nodes) {
    if (node.branch != Branch::member) continue;
    const auto end = std::find_if(at, values.end(), [](float x) { return std::isnan(x); });
    if (end == values.end()) {
      call.fail(
          "attribute \"membership_values\" has no list that ends with NaN for each node of "
          "mode 6 (BRANCH_MEMBER)");
    }
    node.members.assign(at, end);
    at = end + 1;
  }
}

/// Reads the attributes of TreeEnsemble. The leaves stand behind the nodes.
Trees read_ensemble(const Call& call) {
  const Node& node = call.node;
  const auto& features = node.integers("nodes_featureids");
  const std::size_t count = features.size();
  const auto& targets = node.integers("leaf_targetids");
  const std::vector<float> modes = listed(call, "nodes_modes", count),
                           splits = listed(call, "nodes_splits", count),
                           weights = listed(call, "leaf_weights", targets.size());
  const std::array<const std::vector<std::int64_t>*, 2> children{
      &node.integers("nodes_truenodeids"), &node.integers("nodes_falsenodeids")};
  const std::array<const std::vector<std::int64_t>*, 2> are_leaves{
      &node.integers("nodes_trueleafs"), &node.integers("nodes_falseleafs")};
  const Shape nans = node.integers("nodes_missing_value_tracks_true", Shape(count, 0));
  for (const std::size_t size : {children[0]->size(), children[1]->size(), are_leaves[0]->size(),
                                 are_leaves[1]->size(), nans.size()}) {
    if (size != count) call.fail("its lists of nodes differ in length: {} and {}", count, size);
  }
  const auto place = [&](std::int64_t number, bool is_leaf) {
    const std::size_t size = is_leaf ? targets.size() : count;
    if (number < 0 || static_cast<std::size_t>(number) >= size) {
      call.fail("it has {} {}; number {} is named", size, is_leaf ? "leaves" : "nodes", number);
    }
    return static_cast<std::size_t>(number) + (is_leaf ? count : 0);
  };
  Trees all;
  for (std::size_t k = 0; k < count; ++k) {
    TreeNode& made = all.nodes.emplace_back();
    if (!(modes[k] >= 0 && modes[k] <= 6)) {
      call.fail("a node has mode {}; allowed are 0 to 6 (BRANCH_LEQ to BRANCH_MEMBER)", modes[k]);
    }
    made.branch = static_cast<Branch>(modes[k]);
    made.feature = static_cast<std::size_t>(std::max<std::int64_t>(features[k], 0));
    made.value = splits[k];
    made.nan_is_true = nans[k] != 0;
    made.yes = place((*children[0])[k], (*are_leaves[0])[k] != 0);
    made.no = place((*children[1])[k], (*are_leaves[1])[k] != 0);
  }
  read_members(call, all.nodes);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (targets[k] < 0) call.fail("target {} is negative", targets[k]);
    all.nodes.emplace_back().weights.emplace_back(static_cast<std::size_t>(targets[k]),
                                                  static_cast<double>(weights[k]));
  }
  for (const std::int64_t root : node.integers("tree_roots")) {
    all.roots.push_back(place(root, false));
  }
  return all;
}

/// The text that an attribute of numbers stands for.
template <std::size_t count>
std::string named(const Call& call, const char* attribute, std::int64_t fallback,
                  const std::array<const char*, count>& names) {
  const std::int64_t number = call.node.integer(attribute, fallback);
  if (number < 0 || number >= static_cast<std::int64_t>(count)) {
    call.fail("attribute \"{}\" is {}; allowed are 0 to {}", attribute, number, count - 1);
  }
  return names[static_cast<std::size_t>(number)];
}

}  // namespace

void run_tree_ensemble(Call& call) {
  const std::string aggregate =
      named<4>(call, "aggregate_function", 1, {"AVERAGE", "SUM", "MIN", "MAX"});
  const std::string kind =
      named<4>(call, "post_transform", 0, {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"});
  const std::int64_t targets = call.node.integer("n_targets", 1);
  add_scores(call, all_scores(call, read_ensemble(call), aggregate, targets), targets, kind);
}

// ---- TreeEnsembleRegressor, TreeEnsembleClassifier ----------------------------------------------

void run_tree_regressor(Call& call) {
  const std::int64_t targets = call.node.integer("n_targets", 1);
  const std::string aggregate = call.node.text("aggregate_function", "SUM");
  add_scores(call, all_scores(call, read_trees(call, "target"), aggregate, targets), targets,
             call.node.text("post_transform", "NONE"));
}

void run_tree_classifier(Call& call) {
  const std::vector<std::int64_t> labels =
      labels_of(call, "classlabels_strings", "classlabels_int64s");
  const std::vector<std::int64_t>& targets = call.node.integers("class_ids");
  const bool binary =
      labels.size() == 2 && !targets.empty() &&
      std::adjacent_find(targets.begin(), targets.end(), std::not_equal_to<>()) == targets.end();
  const std::vector<float>& weights = call.node.reals("class_weights");
  const bool positive = std::all_of(weights.begin(), weights.end(), [](float w) { return w >= 0; });
  auto all =
      all_scores(call, read_trees(call, "class"), "SUM", static_cast<std::int64_t>(labels.size()));
  if (binary) {
    for (auto& scores : all) scores = {scores[static_cast<std::size_t>(targets[0])]};
  }
  if (!binary || !positive || call.node.text("post_transform", "NONE") != "NONE") {
    return add_classes(call, labels, all, binary);
  }
  // Weights that are probabilities of one of two classes.
  std::vector<std::int64_t> chosen;
  for (auto& scores : all) {
    chosen.push_back(labels[scores[0] > 0.5 ? 1 : 0]);
    scores = {1 - scores[0], scores[0]};
  }
  add_labels_and_scores(call, std::move(chosen), all);
}

}  // namespace tactus::nn

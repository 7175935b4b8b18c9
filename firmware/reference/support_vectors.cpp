// Support vector machines of ai.onnx.ml: SVMRegressor, SVMClassifier.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "firmware/reference/learned.h"

namespace tactus::nn {
namespace {

using Reals = std::vector<double>;

/// Attributes "kernel_type" and "kernel_params", and the sizes of lists that refer to features.
class Kernel {
 public:
  Kernel(const Call& call, std::int64_t features)
      : kind_(call.node.text("kernel_type", "LINEAR")),
        features_(static_cast<std::size_t>(features)) {
    const std::vector<float> given = call.node.reals("kernel_params", {});
    if (!given.empty() && given.size() != 3) {
      call.fail("attribute \"kernel_params\" has {} values; needed are gamma, coef0 and degree",
                given.size());
    }
    std::copy(given.begin(), given.end(), parameters_);
    if (kind_ != "LINEAR" && kind_ != "POLY" && kind_ != "RBF" && kind_ != "SIGMOID") {
      call.fail("attribute \"kernel_type\" is \"{}\"; allowed are LINEAR, POLY, RBF, SIGMOID",
                kind_);
    }
  }

  /// The kernel of a row and `vector`, both with as many values as there are features.
  double operator()(const float* row, const float* vector) const {
    const auto [gamma, coef0, degree] = parameters_;
    if (kind_ == "RBF") {
      double sum = 0;
      for (std::size_t k = 0; k < features_; ++k) {
        const double difference = static_cast<double>(row[k]) - static_cast<double>(vector[k]);
        sum += difference * difference;
      }
      return std::exp(-gamma * sum);
    }
    const double dot = product(row, vector);
    if (kind_ == "POLY") return std::pow(gamma * dot + coef0, degree);
    return kind_ == "SIGMOID" ? std::tanh(gamma * dot + coef0) : dot;
  }

  double product(const float* row, const float* vector) const {
    return std::inner_product(
        row, row + features_, vector, 0.0, std::plus<>(),
        [](float a, float b) { return static_cast<double>(a) * static_cast<double>(b); });
  }

 private:
  const std::string kind_;
  const std::size_t features_;
  double parameters_[3] = {0, 0, 0};
};

/// A list of numbers that must have `size` values.
const std::vector<float>& need(const Call& call, const char* name, std::size_t size) {
  const std::vector<float>& values = call.node.reals(name);
  if (values.size() == size) return values;
  call.fail("attribute \"{}\" has {} values; needed are {}", name, values.size(), size);
}

/// The probabilities of k classes from those of each pair, `r`[i * k + j] of class i against j:
/// those p that make the sum of (r_ji p_i - r_ij p_j)^2 smallest, by the second method of Wu, Lin
/// and Weng, "Probability Estimates for Multi-class Classification by Pairwise Coupling" (2004).
/// Steps and their end are those of LIBSVM, which ONNX Runtime follows.
Reals coupled(const Reals& r, std::size_t k) {
  Reals q(k * k), p(k, 1 / static_cast<double>(k)), qp(k);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      if (i == j) continue;
      q[i * k + i] += r[j * k + i] * r[j * k + i];
      q[i * k + j] = -r[j * k + i] * r[i * k + j];
    }
  }
  const double allowed = 0.005 / static_cast<double>(k);
  for (std::size_t round = 0; round < std::max<std::size_t>(100, k); ++round) {
    double pqp = 0, error = 0;
    for (std::size_t i = 0; i < k; ++i) {
      qp[i] = std::inner_product(p.begin(), p.end(), q.begin() + static_cast<std::ptrdiff_t>(i * k),
                                 0.0);
      pqp += p[i] * qp[i];
    }
    for (const double value : qp) error = std::max(error, std::abs(value - pqp));
    if (error < allowed) break;
    for (std::size_t i = 0; i < k; ++i) {
      const double own = q[i * k + i], step = (pqp - qp[i]) / own, scale = 1 + step;
      p[i] += step;
      pqp = (pqp + step * (step * own + 2 * qp[i])) / scale / scale;
      for (std::size_t j = 0; j < k; ++j) {
        qp[j] = (qp[j] + step * q[i * k + j]) / scale;
        p[j] /= scale;
      }
    }
  }
  return p;
}

/// An SVMClassifier; without support vectors it is a linear model for each class.
struct Machine {
  Machine(const Call& call, const Rows& rows, std::size_t labels)
      : classes(std::max<std::size_t>(labels, 1)),
        features(static_cast<std::size_t>(rows.features)),
        kernel(call, rows.features),
        sizes(call.node.integers("vectors_per_class", {})),
        coefficients(call.node.reals("coefficients")) {
    for (const std::int64_t size : sizes) {
      if (size < 0) call.fail("a class has {} support vectors", size);
      starts.push_back(vectors);
      vectors += static_cast<std::size_t>(size);
    }
    if (vectors == 0) {
      need(call, "coefficients", classes * features);
      if (call.node.reals("rho").empty()) call.fail("attribute \"rho\" is empty");
      return;
    }
    pairs = classes * (classes - 1) / 2;
    if (sizes.size() != classes || classes < 2) {
      call.fail("it has support vectors of {} classes, and {} labels", sizes.size(), labels);
    }
    need(call, "support_vectors", vectors * features);
    need(call, "coefficients", vectors * (classes - 1));
    need(call, "rho", pairs);
    has_probabilities = !call.node.reals("prob_a", {}).empty();
    if (has_probabilities) need(call, "prob_a", pairs), need(call, "prob_b", pairs);
  }

  std::size_t classes, features;
  Kernel kernel;
  Shape sizes;
  const std::vector<float>& coefficients;
  std::vector<std::size_t> starts;
  std::size_t vectors = 0, pairs = 0;
  bool has_probabilities = false;
};

/// Scores of a row, and what chooses its class: votes, or the scores themselves.
struct Scored {
  Reals scores, votes;
};

Scored linear(const Call& call, const Machine& m, const float* row) {
  Scored made;
  const auto rho = static_cast<double>(call.node.reals("rho")[0]);
  for (std::size_t c = 0; c < m.classes; ++c) {
    made.scores.push_back(m.kernel.product(row, m.coefficients.data() + c * m.features) + rho);
  }
  made.votes = made.scores;
  return made;
}

/// Each pair of classes i < j has a score; a positive one is a vote for i.
Scored one_against_one(const Call& call, const Machine& m, const float* row) {
  const float* const vectors = call.node.reals("support_vectors").data();
  Reals kernels;
  for (std::size_t v = 0; v < m.vectors; ++v) {
    kernels.push_back(m.kernel(row, vectors + v * m.features));
  }
  // The sum over the vectors of one class, with the coefficients against another.
  const auto sum = [&](std::size_t of, std::size_t against) {
    double total = 0;
    const std::size_t line = of < against ? against - 1 : against;
    for (std::size_t v = m.starts[of]; v < m.starts[of] + static_cast<std::size_t>(m.sizes[of]);
         ++v) {
      total += static_cast<double>(m.coefficients[line * m.vectors + v]) * kernels[v];
    }
    return total;
  };
  Scored made;
  made.votes.assign(m.classes, 0);
  for (std::size_t i = 0; i < m.classes; ++i) {
    for (std::size_t j = i + 1; j < m.classes; ++j) {
      const auto rho = static_cast<double>(call.node.reals("rho")[made.scores.size()]);
      made.scores.push_back(rho + sum(i, j) + sum(j, i));
      made.votes[made.scores.back() > 0 ? i : j] += 1;
    }
  }
  return made;
}

Reals probabilities(const Call& call, const Machine& m, const Reals& scores) {
  const std::vector<float>&a = call.node.reals("prob_a"), &b = call.node.reals("prob_b");
  Reals r(m.classes * m.classes);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < m.classes; ++i) {
    for (std::size_t j = i + 1; j < m.classes; ++j, ++pair) {
      const double x = scores[pair] * static_cast<double>(a[pair]) + static_cast<double>(b[pair]);
      const double of_first = std::clamp(1 / (1 + std::exp(x)), 1e-7, 1 - 1e-7);
      r[i * m.classes + j] = of_first;
      r[j * m.classes + i] = 1 - of_first;
    }
  }
  return coupled(r, m.classes);
}

/// The label of a row; a single class is 1 or 0, as in ONNX Runtime.
std::int64_t label_of(const Reals& votes, const std::vector<std::int64_t>& labels) {
  const auto best = std::max_element(votes.begin(), votes.end());
  if (labels.size() < 2) return *best > 0 ? 1 : 0;
  return labels[static_cast<std::size_t>(best - votes.begin())];
}

}  // namespace

void run_svm_classifier(Call& call) {
  const Tensor x = Tensor::of(call.input(0).shape, call.input(0).reals());
  const Rows rows = rows_of(call, x);
  const std::vector<std::int64_t> labels =
      labels_of(call, "classlabels_strings", "classlabels_ints");
  const Machine machine(call, rows, labels.size());
  const std::string kind = call.node.text("post_transform", "NONE");
  std::vector<std::int64_t> chosen;
  std::vector<Reals> all;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const float* const row = x.floats.data() + r * rows.features;
    Scored made =
        machine.vectors == 0 ? linear(call, machine, row) : one_against_one(call, machine, row);
    chosen.push_back(label_of(made.votes, labels));
    if (machine.has_probabilities) made.scores = probabilities(call, machine, made.scores);
    // A single score stands for two classes.
    if (made.scores.size() == 1 && labels.size() == 2) {
      made.scores.insert(made.scores.begin(), -made.scores[0]);
    }
    transform(call, kind, made.scores);
    all.push_back(std::move(made.scores));
  }
  add_labels_and_scores(call, std::move(chosen), all);
}

void run_svm_regressor(Call& call) {
  const Tensor x = Tensor::of(call.input(0).shape, call.input(0).reals());
  const Rows rows = rows_of(call, x);
  if (const std::string kind = call.node.text("post_transform", "NONE"); kind != "NONE") {
    call.fail("attribute \"post_transform\" is \"{}\"; allowed is NONE", kind);
  }
  const std::int64_t supports = call.node.integer("n_supports", 0);
  if (supports < 0) call.fail("attribute \"n_supports\" is {}", supports);
  const auto features = static_cast<std::size_t>(rows.features);
  const auto vectors = static_cast<std::size_t>(supports);
  const std::vector<float>& rho = call.node.reals("rho");
  if (rho.empty()) call.fail("attribute \"rho\" is empty");
  const std::vector<float>& coefficients =
      need(call, "coefficients", vectors == 0 ? features : vectors);
  const float* const support =
      vectors == 0 ? nullptr : need(call, "support_vectors", vectors * features).data();
  const Kernel kernel(call, rows.features);
  std::vector<float> values;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const float* const row = x.floats.data() + r * rows.features;
    double sum = static_cast<double>(rho[0]);
    if (vectors == 0) sum += kernel.product(row, coefficients.data());
    for (std::size_t v = 0; v < vectors; ++v) {
      sum += static_cast<double>(coefficients[v]) * kernel(row, support + v * features);
    }
    if (call.node.integer("one_class", 0) != 0) sum = sum > 0 ? 1 : -1;
    values.push_back(static_cast<float>(sum));
  }
  call.results.push_back(Tensor::of({rows.count, 1}, std::move(values)));
}

}  // namespace tactus::nn

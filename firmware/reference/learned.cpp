// Operators of ai.onnx.ml on numbers: linear models, and what prepares features for them.
#include "firmware/reference/learned.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tactus::nn {

Rows rows_of(const Call& call, const Tensor& x) {
  if (x.shape.empty() || x.shape.size() > 2) {
    call.fail("input 0 has shape {}; allowed are rows of features", to_string(x.shape));
  }
  return {x.shape.size() == 2 ? x.shape[0] : 1, x.shape.back()};
}

void transform(const Call& call, const std::string& kind, std::vector<double>& scores) {
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

std::vector<std::int64_t> labels_of(const Call& call, const char* texts, const char* integers) {
  if (call.node.has(texts) && !call.node.texts(texts, {}).empty()) {
    call.fail("its labels are texts (attribute \"{}\"); allowed are integers", texts);
  }
  return call.node.integers(integers);
}

void add_labels_and_scores(Call& call, std::vector<std::int64_t> chosen,
                           const std::vector<std::vector<double>>& scores) {
  const auto rows = static_cast<std::int64_t>(scores.size());
  const auto columns = static_cast<std::int64_t>(scores.empty() ? 0 : scores.front().size());
  std::vector<float> values;
  for (const std::vector<double>& row : scores) values.insert(values.end(), row.begin(), row.end());
  call.results.push_back(Tensor::of({rows}, std::move(chosen)));
  call.results.push_back(Tensor::of({rows, columns}, std::move(values)));
}

void add_classes(Call& call, const std::vector<std::int64_t>& labels,
                 const std::vector<std::vector<double>>& scores, bool binary) {
  const std::string kind = call.node.text("post_transform", "NONE");
  std::vector<std::int64_t> chosen;
  std::vector<std::vector<double>> transformed;
  for (const std::vector<double>& row : scores) {
    std::vector<double> all = row;
    if (binary) {
      // ONNX Runtime: the complement of a probability, the negative of any other score.
      const bool probable = kind == "LOGISTIC";
      const double one = row.back();
      all = {probable ? 0.0 : -one, one};
      transform(call, kind, all);
      if (probable) all = {1 - all[1], all[1]};
      chosen.push_back(labels[one > 0 ? 1 : 0]);
    } else {
      const auto best = std::max_element(all.begin(), all.end()) - all.begin();
      chosen.push_back(labels[static_cast<std::size_t>(best)]);
      transform(call, kind, all);
    }
    transformed.push_back(std::move(all));
  }
  add_labels_and_scores(call, std::move(chosen), transformed);
}

void add_scores(Call& call, std::vector<std::vector<double>> scores, std::int64_t targets,
                const std::string& kind) {
  std::vector<float> values;
  for (std::vector<double>& row : scores) {
    transform(call, kind, row);
    values.insert(values.end(), row.begin(), row.end());
  }
  call.results.push_back(
      Tensor::of({static_cast<std::int64_t>(scores.size()), targets}, std::move(values)));
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
  add_scores(call, linear_scores(call, static_cast<std::size_t>(targets)), targets,
             call.node.text("post_transform", "NONE"));
}

void run_linear_classifier(Call& call) {
  const std::vector<std::int64_t> labels =
      labels_of(call, "classlabels_strings", "classlabels_ints");
  const std::size_t own =
      call.node.has("intercepts") ? call.node.reals("intercepts").size() : labels.size();
  const auto all = linear_scores(call, std::max<std::size_t>(own, 1));
  add_classes(call, labels, all, own == 1 && labels.size() == 2);
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

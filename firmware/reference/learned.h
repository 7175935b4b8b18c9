// What the operators of ai.onnx.ml share: rows of features, transformed scores, chosen classes.
#pragma once

#include "firmware/reference/call.h"

namespace tactus::nn {

/// Rows of features; a list is one row.
struct Rows {
  std::int64_t count = 1, features = 0;
};

[[nodiscard]] Rows rows_of(const Call& call, const Tensor& x);

/// Changes the scores of one row; `kind` is a value of attribute "post_transform".
void transform(const Call& call, const std::string& kind, std::vector<double>& scores);

/// Labels of classes: integers; fails for texts. The arguments name the attributes.
[[nodiscard]] std::vector<std::int64_t> labels_of(const Call& call, const char* texts,
                                                  const char* integers);

/// Adds the results of a classifier: the label of each row, and its scores, transformed.
/// `binary`: a single score stands for the second of two classes.
void add_classes(Call& call, const std::vector<std::int64_t>& labels,
                 const std::vector<std::vector<double>>& scores, bool binary);

/// Adds labels and scores as they are. All rows have equally many scores.
void add_labels_and_scores(Call& call, std::vector<std::int64_t> chosen,
                           const std::vector<std::vector<double>>& scores);

/// Adds one tensor of the scores of all rows, transformed as `kind` says, with `targets` columns.
void add_scores(Call& call, std::vector<std::vector<double>> scores, std::int64_t targets,
                const std::string& kind);

}  // namespace tactus::nn

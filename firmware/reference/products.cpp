// Matrix products.
#include "firmware/reference/call.h"

namespace tactus::nn {
namespace {

/// Computes c[m][n] += a[m][k] * b[k][n]; a and b are read with the given strides.
struct Matrix {
  const float* data;
  std::int64_t row, column;  ///< distance of neighbours within a column, within a row
};
void multiply(const Matrix& a, const Matrix& b, float* c, std::int64_t m, std::int64_t k,
              std::int64_t n) {
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < k; ++j) {
      const float factor = a.data[i * a.row + j * a.column];
      const float* row = b.data + j * b.row;
      for (std::int64_t l = 0; l < n; ++l) c[i * n + l] += factor * row[l * b.column];
    }
  }
}

}  // namespace

void run_mat_mul(Call& call) {
  Shape a = call.floats(0).shape, b = call.floats(1).shape;
  if (a.empty() || b.empty()) call.fail("a scalar is no matrix");
  // A one-dimensional operand is a row on the left and a column on the right; the added dimension
  // is removed at the end.
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  const std::int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  if (b[b.size() - 2] != k) {
    call.fail("shapes {} and {} do not fit", to_string(call.input(0).shape),
              to_string(call.input(1).shape));
  }
  // The leading dimensions are broadcast.
  Shape batch(std::max(a.size(), b.size()) - 2);
  std::vector<std::int64_t> a_step(batch.size(), 0), b_step(batch.size(), 0);
  std::int64_t a_size = m * k, b_size = k * n;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::size_t at = batch.size() - 1 - i;
    const std::int64_t one = i + 2 < a.size() ? a[a.size() - 3 - i] : 1;
    const std::int64_t other = i + 2 < b.size() ? b[b.size() - 3 - i] : 1;
    if (one != other && one != 1 && other != 1) {
      call.fail("shapes {} and {} cannot be broadcast", to_string(call.input(0).shape),
                to_string(call.input(1).shape));
    }
    batch[at] = one == 1 ? other : one;
    if (one != 1) a_step[at] = a_size;
    if (other != 1) b_step[at] = b_size;
    a_size *= one;
    b_size *= other;
  }
  Shape shape = batch;
  if (!row) shape.push_back(m);
  if (!column) shape.push_back(n);
  static_cast<void>(call.count(shape));
  Tensor result = Tensor::zeros(std::move(shape));
  float* c = result.floats.data();
  for_each_position(batch, [&](const Shape& position) {
    std::int64_t i = 0, j = 0;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
      i += position[axis] * a_step[axis];
      j += position[axis] * b_step[axis];
    }
    multiply({call.input(0).floats.data() + i, k, 1}, {call.input(1).floats.data() + j, n, 1}, c, m,
             k, n);
    c += m * n;
  });
  call.results.push_back(std::move(result));
}

void run_gemm(Call& call) {
  const Tensor& a = call.floats(0);
  const Tensor& b = call.floats(1);
  if (a.shape.size() != 2 || b.shape.size() != 2) {
    call.fail("shapes {} and {}; two dimensions are allowed", to_string(a.shape),
              to_string(b.shape));
  }
  const bool turn_a = call.node.integer("transA", 0) != 0;
  const bool turn_b = call.node.integer("transB", 0) != 0;
  const std::int64_t m = a.shape[turn_a ? 1 : 0], k = a.shape[turn_a ? 0 : 1];
  const std::int64_t n = b.shape[turn_b ? 0 : 1];
  if (b.shape[turn_b ? 1 : 0] != k) {
    call.fail("shapes {} and {} do not fit", to_string(a.shape), to_string(b.shape));
  }
  static_cast<void>(call.count({m, n}));
  Tensor result = Tensor::zeros({m, n});
  multiply({a.floats.data(), turn_a ? 1 : k, turn_a ? m : 1},
           {b.floats.data(), turn_b ? 1 : n, turn_b ? k : 1}, result.floats.data(), m, k, n);
  const float alpha = call.node.real("alpha", 1), beta = call.node.real("beta", 1);
  for (float& value : result.floats) value *= alpha;
  if (call.optional(2) != nullptr) {
    const Tensor& c = call.floats(2);
    // C is aligned on the right; each size is that of the result, or 1.
    const std::int64_t rows = c.shape.size() > 1 ? c.shape[c.shape.size() - 2] : 1;
    const std::int64_t columns = c.shape.empty() ? 1 : c.shape.back();
    if (c.shape.size() > 2 || (rows != 1 && rows != m) || (columns != 1 && columns != n)) {
      call.fail("input 2 has shape {}, which cannot be broadcast to [{},{}]", to_string(c.shape), m,
                n);
    }
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t at = (rows == 1 ? 0 : i) * columns + (columns == 1 ? 0 : j);
        result.floats[static_cast<std::size_t>(i * n + j)] +=
            beta * c.floats[static_cast<std::size_t>(at)];
      }
    }
  }
  call.results.push_back(std::move(result));
}

}  // namespace tactus::nn

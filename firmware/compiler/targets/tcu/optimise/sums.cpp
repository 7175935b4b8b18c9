#include "firmware/compiler/targets/tcu/optimise/sums.h"

#include <algorithm>

namespace tactus::compiler::optimise {
namespace {

class Sums {
 public:
  Sums(const Network& network, Blocks& blocks, const Job& job)
      : group_(network.groups[job.group]), weights_(blocks), job_(job) {}

  std::vector<SumStep> run();

 private:
  using Parts = std::vector<std::size_t>;

  [[nodiscard]] std::uint32_t area() const { return area_of(group_, job_); }
  [[nodiscard]] bool mine(const Column& column) const {
    return column.block >= job_.first_block && column.block < job_.end_block;
  }
  [[nodiscard]] std::size_t number(const Column& column) const {
    return column.block - job_.first_block;
  }
  [[nodiscard]] bool can_move(const Part& part) const;
  /// Computed weights come without a bias.
  [[nodiscard]] bool can_start(const Part& part, const Column& column) {
    return !part.is_computed() || !weights_.has_bias(job_.group, column.block);
  }
  [[nodiscard]] bool meets_all(const Part& part) const {
    return entries_of(group_, part, job_).size() == area();
  }
  [[nodiscard]] std::vector<Parts> starting_matrices();
  [[nodiscard]] Parts starting_moves() const;
  void start();
  void add_products(bool starting);
  void add_moves();

  static constexpr std::size_t none = ~std::size_t{0};

  const Group& group_;
  Blocks& weights_;
  const Job& job_;
  std::vector<SumStep> steps_;
  // By block of the job: whether its accumulators hold something, and whether the bias is in it.
  std::vector<bool> started_, biased_;
  std::vector<bool> is_moved_;  ///< by part
  std::vector<Parts> matrices_;
};

/// The part's vectors can be added as they lie.
bool Sums::can_move(const Part& part) const {
  if (part.dense || group_.saturating_product || !group_.scale.empty()) return false;
  const Column& column = part.columns[0];
  return column.diagonal == nullptr &&
         column.factor * static_cast<float>(part.sign * sum_sign(group_)) == 1.0F;
}

/// Parts that no two meet at a pixel and that meet all of them together, so that each can write
/// what it makes and bring the bias; by block of the job. None: empty.
std::vector<Sums::Parts> Sums::starting_matrices() {
  const std::size_t blocks = job_.blocks();
  std::vector<Parts> starts(blocks);
  std::vector<std::vector<bool>> met(blocks, std::vector<bool>(area(), false));
  std::vector<std::size_t> count(blocks, 0);
  // A part that meets all is better than several.
  for (std::size_t k = 0; k < group_.parts.size(); ++k) {
    const Part& part = group_.parts[k];
    if (can_move(part) || !job_.has(group_, part) || !meets_all(part)) {
      continue;
    }
    for (const Column& column : part.columns) {
      if (!mine(column) || !can_start(part, column)) continue;
      const std::size_t b = number(column);
      if (count[b] == area()) continue;
      starts[b] = {k};
      count[b] = area();
    }
    if (std::all_of(count.begin(), count.end(), [&](std::size_t c) { return c == area(); })) {
      return starts;
    }
  }
  for (std::size_t k = 0; k < group_.parts.size(); ++k) {
    const Part& part = group_.parts[k];
    if (can_move(part) || !job_.has(group_, part)) continue;
    const Range range = entries_of(group_, part, job_);
    if (range.size() == 0) continue;
    for (const Column& column : part.columns) {
      if (!mine(column) || !can_start(part, column)) continue;
      const std::size_t b = number(column);
      if (count[b] == area()) continue;
      bool free = true;
      for (std::size_t i = range.first; i < range.end && free; ++i) {
        free = !met[b][place_of(group_, job_, part.pixels[i])];
      }
      if (!free) continue;
      for (std::size_t i = range.first; i < range.end; ++i) {
        met[b][place_of(group_, job_, part.pixels[i])] = true;
      }
      count[b] += range.size();
      starts[b].push_back(k);
    }
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    if (count[b] != area()) starts[b].clear();
  }
  return starts;
}

/// By block of the job, the first part that can be moved and meets all pixels, or none.
Sums::Parts Sums::starting_moves() const {
  Parts moves(job_.blocks(), none);
  for (std::size_t k = 0; k < group_.parts.size(); ++k) {
    const Part& part = group_.parts[k];
    if (!can_move(part) || !mine(part.columns[0]) || !job_.has(group_, part) || !meets_all(part)) {
      continue;
    }
    std::size_t& of_block = moves[number(part.columns[0])];
    if (of_block == none) of_block = k;
  }
  return moves;
}

/// Blocks that are written by a move or by their bias.
void Sums::start() {
  const Parts moves = starting_moves();
  for (std::size_t b = 0; b < job_.blocks(); ++b) {
    const auto block = static_cast<std::uint32_t>(job_.first_block + b);
    biased_[b] = !weights_.has_bias(job_.group, block);
    SumStep step;
    step.block = block;
    if (moves[b] != none && (biased_[b] || !matrices_[b].empty())) {
      step.kind = SumStep::Kind::move;
      step.part = moves[b];
      is_moved_[moves[b]] = started_[b] = true;
    } else if (matrices_[b].empty()) {
      started_[b] = biased_[b] = true;
    } else {
      continue;
    }
    steps_.push_back(step);
  }
}

/// First the matrices that start blocks, in the blocks that they start; then what is left.
void Sums::add_products(bool starting) {
  const auto starts = [&](std::size_t part, std::size_t b) {
    const Parts& list = matrices_[b];
    return !(started_[b] && biased_[b]) && std::find(list.begin(), list.end(), part) != list.end();
  };
  for (std::size_t k = 0; k < group_.parts.size(); ++k) {
    const Part& part = group_.parts[k];
    if (can_move(part) || !job_.has(group_, part) || entries_of(group_, part, job_).size() == 0) {
      continue;
    }
    for (std::size_t c = 0; c < part.columns.size(); ++c) {
      if (!mine(part.columns[c])) continue;
      const std::size_t b = number(part.columns[c]);
      if (starts(k, b) != starting) continue;
      SumStep step;
      step.kind = SumStep::Kind::product;
      step.block = part.columns[c].block;
      step.part = k;
      step.column = c;
      step.with_bias = starting;
      step.accumulate = !starting || started_[b];
      steps_.push_back(step);
    }
  }
}

void Sums::add_moves() {
  for (std::size_t k = 0; k < group_.parts.size(); ++k) {
    const Part& part = group_.parts[k];
    if (is_moved_[k] || !can_move(part) || !mine(part.columns[0]) || !job_.has(group_, part) ||
        entries_of(group_, part, job_).size() == 0) {
      continue;
    }
    SumStep step;
    step.kind = SumStep::Kind::move;
    step.block = part.columns[0].block;
    step.part = k;
    step.accumulate = true;
    steps_.push_back(step);
  }
}

std::vector<SumStep> Sums::run() {
  const bool is_first = job_.slice == 0;
  matrices_ = is_first ? starting_matrices() : std::vector<Parts>(job_.blocks());
  started_.assign(job_.blocks(), !is_first);
  biased_.assign(job_.blocks(), !is_first);
  is_moved_.assign(group_.parts.size(), false);
  if (is_first) start();
  add_products(true);
  add_products(false);
  add_moves();
  return std::move(steps_);
}

}  // namespace

std::vector<SumStep> sum_steps(const Network& network, Blocks& blocks, const Job& job) {
  return Sums(network, blocks, job).run();
}

}  // namespace tactus::compiler::optimise

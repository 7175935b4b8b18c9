#include "firmware/compiler/targets/tcu/stripe/patterns.h"

#include <utility>

namespace tactus::compiler::stripe_tcu {
namespace {

constexpr std::int32_t no_piece = -1;  // the fill value

/// One lane of one vector of a piece.
struct Cell {
  std::int32_t piece = no_piece;
  /// Index by dimension in memory, the last one in whole vectors.
  std::vector<std::int32_t> vector;
  std::int32_t lane = 0;
};

/// Finds the cell of an element from its row-major index.
class Cells {
 public:
  Cells(const Layout& layout, std::int64_t n)
      : layout_(layout), strides_(strides_of(layout.shape)), n_(n) {}

  [[nodiscard]] Cell operator()(std::int32_t piece, std::int64_t index) const {
    Cell cell{piece, std::vector<std::int32_t>(memory_rank(layout_)), 0};
    for (std::size_t k = 0; k < layout_.order.size(); ++k) {
      const std::size_t d = layout_.order[k];
      const std::int64_t at = index / strides_[d] % layout_.shape[d];
      const bool lanes = k + 1 == layout_.order.size();
      cell.vector[k] = static_cast<std::int32_t>(lanes ? at / n_ : at);
      if (lanes) cell.lane = static_cast<std::int32_t>(at % n_);
    }
    return cell;
  }

 private:
  Layout layout_;
  std::vector<std::int64_t> strides_;
  std::int64_t n_;
};

/// Groups all vectors of a result by the way in which they are made.
class Groups {
 public:
  Groups(const Layout& result, const std::vector<Layout>& pieces, const FindOrigin& origin,
         bool fill, std::int64_t n)
      : n_(n), fill_(fill) {
    std::vector<Cells> cells_of;
    for (const Layout& piece : pieces) cells_of.emplace_back(piece, n);
    nn::Shape outer = result.memory_shape();
    outer.pop_back();
    nn::Shape at(outer.size(), 0), position(result.rank(), 0);
    do {
      for (std::size_t k = 0; k < at.size(); ++k) position[result.order[k]] = at[k];
      for (std::int64_t first = 0; first < result.lanes(); first += n) {
        std::vector<Cell> cells;
        for (std::int64_t lane = first; lane < std::min(first + n, result.lanes()); ++lane) {
          result.set_lane(position, lane);
          const Origin from = origin(position);
          const auto piece = static_cast<std::int32_t>(from.piece);
          cells.push_back(from.piece < 0
                              ? Cell{}
                              : cells_of[static_cast<std::size_t>(piece)](piece, from.index));
        }
        Point target(at.begin(), at.end());
        target.push_back(static_cast<std::int32_t>(first / n));
        add(std::move(target), cells);
      }
      end_row();
    } while (next_position(at, outer));
  }

  [[nodiscard]] std::map<Pattern, std::vector<Point>> take() { return std::move(groups_); }

 private:
  void add(Point target, const std::vector<Cell>& cells) {
    const Cell& first = cells.front();
    bool alike = true;
    for (std::size_t lane = 0; lane < cells.size(); ++lane) {
      const bool in_place =
          first.piece == no_piece || cells[lane].lane == static_cast<std::int32_t>(lane);
      alike = alike && in_place && cells[lane].piece == first.piece &&
              cells[lane].vector == first.vector;
    }
    if (!alike) {
      end_row();
      put_together(std::move(target), cells);
      return;
    }
    const auto lanes = static_cast<std::int64_t>(cells.size());
    if (row_.lanes > 0 && follows(first)) {
      row_.lanes += lanes;
      ++row_length_;
      return;
    }
    end_row();
    row_ = {};
    row_.lanes = lanes;
    row_.copied = true;
    if (first.piece != no_piece) row_.sources.push_back({first.piece, {}});
    row_length_ = 1;
    last_ = first;
    row_point_ = std::move(target);
    row_point_.insert(row_point_.end(), first.vector.begin(), first.vector.end());
  }

  /// True if a copied vector's source directly follows that of the vector before.
  [[nodiscard]] bool follows(const Cell& next) const {
    if (next.piece != last_.piece) return false;
    if (next.piece == no_piece) return true;
    std::vector<std::int32_t> wanted = last_.vector;
    wanted.back() += row_length_;
    return next.vector == wanted;
  }

  void end_row() {
    if (row_.lanes > 0) groups_[row_].push_back(row_point_);
    row_ = {};
  }

  void put_together(Point target, const std::vector<Cell>& cells) {
    Pattern pattern;
    pattern.lanes = static_cast<std::int64_t>(cells.size());
    std::vector<const Cell*> firsts;
    for (std::size_t lane = 0; lane < cells.size(); ++lane) {
      const Cell& cell = cells[lane];
      if (cell.piece == no_piece) {
        if (!fill_) continue;
        pattern.filled.resize(cells.size());
        pattern.filled[lane] = true;
        continue;
      }
      const auto same = std::find_if(firsts.begin(), firsts.end(), [&](const Cell* first) {
        return first->piece == cell.piece && first->vector == cell.vector;
      });
      const auto number = static_cast<std::size_t>(same - firsts.begin());
      if (same == firsts.end()) {
        firsts.push_back(&cell);
        pattern.sources.push_back({cell.piece, std::vector<std::int32_t>(cells.size(), 0)});
        target.insert(target.end(), cell.vector.begin(), cell.vector.end());
      }
      pattern.sources[number].to_lane[lane] = cell.lane + 1;
    }
    groups_[pattern].push_back(std::move(target));
  }

  std::int64_t n_;
  bool fill_;
  std::map<Pattern, std::vector<Point>> groups_;
  Pattern row_;  ///< pattern of the current row; without lanes there is none
  Point row_point_;
  Cell last_;  ///< where it began
  std::int32_t row_length_ = 0;
};

}  // namespace

std::map<Pattern, std::vector<Point>> group_by_pattern(const Layout& result,
                                                       const std::vector<Layout>& pieces,
                                                       const FindOrigin& origin, bool fill,
                                                       std::int64_t n) {
  return Groups(result, pieces, origin, fill, n).take();
}

}  // namespace tactus::compiler::stripe_tcu

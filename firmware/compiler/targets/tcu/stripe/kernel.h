// A leaf block of Stripe, written statement by statement.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::compiler::stripe_tcu {

class Kernel {
 public:
  explicit Kernel(std::string name) {
    block_.name = std::move(name);
    statement_.set_tag("kernel");
  }

  [[nodiscard]] const std::string& name() const { return block_.name; }
  void tag(const std::string& tag) { statement_.set_tag(tag); }

  /// An index that counts 0..range-1, as an affine; none is made for a range of 1.
  stripe::Affine index(const std::string& name, std::int64_t range) {
    if (range == 1) {
      fixed_.push_back(name);
      return {};
    }
    return lane_index(name, range);
  }
  /// Does the same, but also makes an index for a range of 1, since rows and columns of the array
  /// need one.
  stripe::Affine lane_index(const std::string& name, std::int64_t range) {
    stripe::Index idx;
    idx.name = name;
    idx.range = static_cast<std::uint64_t>(range);
    block_.indexes.push_back(std::move(idx));
    return stripe::Affine(name);
  }
  /// An index of range 1 without uses: the streamed index of a product that has no other.
  void unit_index(const std::string& name) {
    stripe::Index idx;
    idx.name = name;
    block_.indexes.push_back(std::move(idx));
  }
  void constrain(const stripe::Affine& affine) { block_.constraints.push_back(trim(affine)); }

  void in(const std::string& into, const stripe::TensorShape& shape, const std::string& from,
          const std::vector<stripe::Affine>& access) {
    add(stripe::Direction::in, into, shape, from, access, "");
  }
  void out(const std::string& into, const stripe::TensorShape& shape, const std::string& from,
           const std::vector<stripe::Affine>& access, const std::string& agg = "") {
    add(stripe::Direction::out, into, shape, from, access, agg);
  }

  std::string load(const std::string& from) {
    std::string scalar = next();
    append(stripe::Load{from, scalar});
    return scalar;
  }
  std::string integer(std::int64_t value) {
    std::string scalar = next();
    append(stripe::Constant{scalar, value});
    return scalar;
  }
  std::string real(double value) {
    std::string scalar = next();
    append(stripe::Constant{scalar, value});
    return scalar;
  }
  std::string call(const std::string& name, const std::vector<std::string>& inputs) {
    stripe::Intrinsic op;
    op.name = name;
    op.inputs = inputs;
    op.outputs = {next()};
    std::string scalar = op.outputs[0];
    append(std::move(op));
    return scalar;
  }
  void store(const std::string& into, const std::string& scalar) {
    append(stripe::Store{scalar, into});
  }

  [[nodiscard]] stripe::Statement finish() && {
    statement_.op = stripe::BlockBox(std::move(block_));
    return std::move(statement_);
  }

 private:
  /// Replaces names of indexes of range 1 by 0.
  [[nodiscard]] stripe::Affine trim(stripe::Affine affine) const {
    for (const std::string& name : fixed_) affine.set_coefficient(name, 0);
    return affine;
  }
  std::string next() { return "$s" + std::to_string(scalars_++); }
  template <typename Operation>
  void append(Operation operation) {
    stripe::Statement statement;
    statement.op = std::move(operation);
    block_.append(std::move(statement));
  }
  void add(stripe::Direction direction, const std::string& into, stripe::TensorShape shape,
           const std::string& from, const std::vector<stripe::Affine>& access,
           const std::string& agg) {
    stripe::Refinement ref;
    ref.direction = direction;
    ref.into = into;
    ref.from = from;
    ref.agg_op = agg;
    for (const stripe::Affine& a : access) ref.access.push_back(trim(a));
    for (stripe::Dimension& dim : shape.dims) dim.size = 1;
    shape.is_const = false;
    ref.shape = std::move(shape);
    block_.add_ref(std::move(ref));
  }

  stripe::Statement statement_;
  stripe::Block block_;
  std::vector<std::string> fixed_;
  std::size_t scalars_ = 0;
};

}  // namespace tactus::compiler::stripe_tcu

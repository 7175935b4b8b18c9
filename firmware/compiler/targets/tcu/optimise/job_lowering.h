// The codes of a schedule's jobs, one job after the other; the class behind lower().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "firmware/compiler/targets/tcu/hir/kinds.h"
#include "firmware/compiler/targets/tcu/optimise/lowering.h"
#include "firmware/compiler/targets/tcu/optimise/sums.h"

namespace tactus::compiler::optimise {

class JobLowering {
 public:
  JobLowering(const Network& network, Schedule& schedule, Blocks& blocks,
              const tcu::Architecture& architecture, const Places& places);

  /// See lower().
  [[nodiscard]] std::optional<Lowered> run(std::uint32_t& too_large);

 private:
  struct AddressPair {
    std::uint32_t local = 0, other = 0;
  };

  Codes& codes() { return lowered_.codes; }
  void fetch_early(std::uint32_t number);
  [[nodiscard]] std::uint32_t area() const { return area_of(*group_, *job_); }
  [[nodiscard]] std::uint32_t place(std::uint32_t pixel) const {
    return place_of(*group_, *job_, pixel);
  }
  [[nodiscard]] std::uint32_t first_accumulator(std::uint32_t block) const {
    return (block - job_->first_block) * area();
  }
  /// Accumulator of a result after maxima are taken.
  [[nodiscard]] std::uint32_t result(std::uint32_t pixel, std::uint32_t block) const {
    return (block - job_->first_block) * job_->pixels() + pixel - job_->first_pixel;
  }
  void sort_windows(std::vector<AddressPair>& pairs) const;

  bool sum();
  bool simd();
  void lower_parts();
  void move_in(const Part& part, const Range& range, bool accumulate);
  void start_with_bias(std::uint32_t block, bool accumulate);
  void load_block(std::uint32_t block);
  void load_rows(const Column& column, std::uint32_t count);
  void add_simd(const hir::SimdStep& step, std::uint32_t read, std::uint32_t written);
  bool place_results();
  void move_out();
  void move_out(const std::vector<Vector>& results, std::uint32_t first_block,
                std::uint32_t end_block);
  void write_outputs();
  /// Finds the pairs' runs, with a stride each, in order.
  void find_runs(CodeKind kind, const std::vector<AddressPair>& pairs);
  /// Adds the runs that were found, with `other_offset` added to their other addresses.
  void add_found_runs(bool accumulate, std::uint32_t other_offset);
  void add_runs(CodeKind kind, const std::vector<AddressPair>& pairs, bool accumulate);

  // In job_activation.cpp.
  void load_tables();
  void look_up();
  void take_maxima();
  void add_row(const std::vector<double>& row);
  void clip();
  void add_extreme(bool negative);
  void clamp_leaky(const std::vector<AddressPair>& copies);
  void activate();
  void move_out_activated();
  void move_out_normalised();

  const Network& network_;
  Schedule& schedule_;
  Blocks& blocks_;
  const tcu::Architecture& architecture_;
  const Places& places_;
  Residence residence_;
  /// DRAM0 addresses of each output vector.
  std::unordered_map<Vector, std::vector<std::uint32_t>> outputs_;
  Lowered lowered_;
  std::uint32_t number_ = 0;
  bool early_ = false;  ///< early reads have been emitted
  const Job* job_ = nullptr;
  const Group* group_ = nullptr;
  std::vector<AddressPair> pairs_;
  Codes runs_;                                 ///< runs that find_runs() found last
  double lowest_ = 0, greatest_ = 0;           ///< limits of the data type
  std::vector<ActivationFunction> functions_;  ///< functions of the activation unit
  std::size_t function_ = ~std::size_t{0};     ///< function whose parameters the unit holds
};

}  // namespace tactus::compiler::optimise

// The elements that a Stripe program reads and writes while the interpreter runs it.
//
// A write goes to the nearest view, from the written one outwards, that stores values of its own:
// an allocation, or a view whose aggregation is not that of the enclosing view. Its values pass to
// the enclosing view when the block ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firmware/compiler/stripe/interpreter/frame.h"
#include "firmware/compiler/stripe/interpreter/numbers.h"

namespace tactus::stripe::interpreter {

class Memory {
 public:
  /// `root`: the frame of the program's entry block.
  Memory(const Frame& root, const Numbers& numbers, bool check_conflicts)
      : root_(root), numbers_(numbers), check_conflicts_(check_conflicts) {}

  /// Address of the element at `offset` in the view. UserError if it is outside the buffer.
  [[nodiscard]] static std::size_t address(const View& view,
                                           const std::vector<std::int64_t>& offset = {});
  [[nodiscard]] Scalar load(View& view, std::size_t at);
  void store(View& view, std::size_t at, const Scalar& value);
  /// Passes the elements that a block wrote to the enclosing block.
  void hand_over(View& view);

 private:
  [[nodiscard]] Scalar read(const View& from, std::size_t at) const;
  void write(View& to, std::size_t at, const Scalar& value);
  /// Remembers an access; UserError if it is in conflict with one of another position.
  void note(View& view, std::size_t at, bool write);

  const Frame& root_;
  const Numbers& numbers_;
  bool check_conflicts_;
};

/// Runs an operation on whole views.
void run_special(Memory& memory, const Frame& frame, const Step& step);

}  // namespace tactus::stripe::interpreter

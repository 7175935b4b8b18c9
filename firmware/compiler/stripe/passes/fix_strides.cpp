// fix_strides: dimensions whose sizes have many factors lie innermost.
#include <algorithm>

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

std::size_t prime_factors(std::uint64_t number) {
  std::size_t count = 0;
  for (std::uint64_t p = 2; p * p <= number && p < (std::uint64_t{1} << 20U); ++p) {
    for (; number % p == 0; number /= p) ++count;
  }
  return number > 1 ? count + 1 : count;
}

class FixStrides : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks whose buffers are laid out anew; not the user's");
  }

  void run(Program& program) const override {
    on_blocks(program, reqs_, [](const AliasMap&, Statement& stmt) {
      Block& block = *stmt.block();
      for (auto& [into, ref] : block.refs) {
        if (ref.direction == Direction::none && (!ref.has_tag("user") || ref.shape.is_const)) {
          lay_out(ref.shape.dims);
          fix_up(block, into);
        }
      }
    });
  }

 private:
  static void lay_out(std::vector<Dimension>& dims) {
    std::vector<std::size_t> order;
    for (std::size_t i = dims.size(); i-- > 0;) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&dims](std::size_t a, std::size_t b) {
      return prime_factors(dims[a].size) > prime_factors(dims[b].size);
    });
    std::int64_t stride = 1;
    for (const std::size_t i : order) {
      dims[i].stride = stride;
      stride = multiply_checked(stride, static_cast<std::int64_t>(dims[i].size));
    }
  }

  Tags reqs_;
};

}  // namespace

std::unique_ptr<Pass> make_fix_strides() { return std::make_unique<FixStrides>(); }

}  // namespace tactus::stripe

// SpaceToBatchND and BatchToSpaceND, which move parts of an image to the batch dimension and back.
//
// A convolution between them equals a dilated convolution without them. Therefore every value
// between them also carries its form without blocks (Unbatched), and BatchToSpaceND takes that.
#include <algorithm>
#include <memory>

#include "firmware/tensorflow/translator.h"

namespace tactus::tf {
namespace {

struct Blocks {
  /// one entry per dimension; 1 and 0 for those without blocks
  std::vector<std::int64_t> block, first, second;
  std::size_t count = 0;  ///< number of dimensions with blocks
};

/// Reads block sizes, and paddings or crops, of dimensions 1 to M.
Blocks read_blocks(Translator& t, const char* what) {
  const std::size_t rank = t.input(0).shape.size();
  const std::vector<std::int64_t> block = t.integers(1, "the block sizes");
  const std::vector<std::int64_t> pairs = t.integers(2, what);
  Blocks b;
  b.count = block.size();
  if (b.count + 1 > rank || pairs.size() != 2 * b.count) {
    t.fail("{} block sizes and {} {} do not belong to shape {}", block.size(), pairs.size(), what,
           nn::to_string(t.input(0).shape));
  }
  b.block.assign(rank, 1);
  b.first.assign(rank, 0);
  b.second.assign(rank, 0);
  constexpr std::int64_t most = 1 << 20;
  for (std::size_t d = 0; d < b.count; ++d) {
    b.block[d + 1] = block[d];
    b.first[d + 1] = pairs[2 * d];
    b.second[d + 1] = pairs[2 * d + 1];
    if (block[d] < 1 || block[d] > most) t.fail("a block size of {} is not supported", block[d]);
    for (const std::int64_t pad : {pairs[2 * d], pairs[2 * d + 1]}) {
      if (pad < 0 || pad > most) t.fail("{} of {} are not supported", what, pad);
    }
  }
  return b;
}

std::vector<std::int64_t> negated(std::vector<std::int64_t> values) {
  for (std::int64_t& v : values) v = -v;
  return values;
}

void translate_space_to_batch(Translator& t) {
  Value& x = t.input(0);
  const Blocks b = read_blocks(t, "paddings");
  if (x.shape.size() == 4 && t.prefers_image({&x})) (void)t.image(x);
  Value padded = t.padded(x, b.first, b.second);
  nn::Shape split{padded.shape[0]}, result{padded.shape[0]};
  std::vector<std::int64_t> order, after;
  for (std::size_t d = 1; d < padded.shape.size(); ++d) {
    const std::int64_t size = padded.shape[d];
    if (size % b.block[d] != 0) {
      t.fail("dimension {} is {} with its padding, no multiple of the block size {}", d, size,
             b.block[d]);
    }
    after.push_back(static_cast<std::int64_t>(split.size()));
    split.push_back(size / b.block[d]);
    result.push_back(size / b.block[d]);
    if (d > b.count) continue;
    order.push_back(static_cast<std::int64_t>(split.size()));
    split.push_back(b.block[d]);
    result[0] *= b.block[d];
  }
  order.push_back(0);
  order.insert(order.end(), after.begin(), after.end());
  Value parts = t.reshaped(padded, split);
  Value turned = t.transposed(parts, order);
  Value made = t.reshaped(turned, result);
  auto unbatched = std::make_shared<Unbatched>();
  unbatched->base = x;
  unbatched->before = b.first;
  unbatched->after = b.second;
  unbatched->block = b.block;
  made.unbatched = std::move(unbatched);
  t.result(std::move(made));
}

void translate_batch_to_space(Translator& t) {
  Value& x = t.input(0);
  const Blocks b = read_blocks(t, "crops");
  const std::size_t rank = x.shape.size();
  if (x.unbatched != nullptr && x.unbatched->block == b.block) {
    const Unbatched& inner = *x.unbatched;
    std::vector<std::int64_t> before = inner.before, after = inner.after;
    for (std::size_t d = 0; d < rank; ++d) {
      before[d] -= b.first[d];
      after[d] -= b.second[d];
    }
    Value base = inner.base;
    t.result(t.padded(base, before, after));
    return;
  }
  nn::Shape split, result{x.shape[0]};
  for (std::size_t d = 1; d <= b.count; ++d) {
    split.push_back(b.block[d]);
    if (result[0] % b.block[d] != 0) {
      t.fail("the batch of {} is no multiple of the block sizes", x.shape[0]);
    }
    result[0] /= b.block[d];
  }
  split.push_back(result[0]);
  std::vector<std::int64_t> order{static_cast<std::int64_t>(b.count)};
  for (std::size_t d = 1; d < rank; ++d) {
    order.push_back(static_cast<std::int64_t>(split.size()));
    split.push_back(x.shape[d]);
    if (d <= b.count) order.push_back(static_cast<std::int64_t>(d - 1));
    result.push_back(x.shape[d] * b.block[d]);
  }
  Value parts = t.reshaped(x, split);
  Value turned = t.transposed(parts, order);
  Value whole = t.reshaped(turned, result);
  t.result(t.padded(whole, negated(b.first), negated(b.second)));
}

}  // namespace

Operators batch_operators() {
  return {{"BatchToSpaceND", 3, 3, translate_batch_to_space},
          {"SpaceToBatchND", 3, 3, translate_space_to_batch}};
}

}  // namespace tactus::tf

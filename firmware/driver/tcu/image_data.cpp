#include "firmware/driver/tcu/image_data.h"

#include <utility>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {

void add_image_data(const tcu::Architecture& architecture, const Tensor& tensor,
                    std::vector<std::uint8_t> data, const std::string& where,
                    std::vector<TensorData>& images) {
  const std::uint64_t image_bytes = tensor.size * architecture.vector_bytes();
  const std::uint64_t vectors = data.size() / architecture.vector_bytes();
  if (vectors == 0 || vectors % tensor.size != 0) {
    user_error("{}: {} vectors for input {}, whose images have {}; allowed: a multiple of {}",
               where, vectors, quote(tensor.name), tensor.size, tensor.size);
  }
  const std::uint64_t count = vectors / tensor.size;
  if (images.empty()) images.resize(count);
  if (images.size() != count) {
    user_error("{}: {} images of input {}, but {} of the inputs before it", where, count,
               quote(tensor.name), images.size());
  }
  if (count == 1) {
    images[0][tensor.name] = std::move(data);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto first = data.begin() + static_cast<std::ptrdiff_t>(i * image_bytes);
    images[i][tensor.name].assign(first, first + static_cast<std::ptrdiff_t>(image_bytes));
  }
}

}  // namespace tactus

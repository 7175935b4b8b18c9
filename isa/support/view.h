// A view of contiguous elements stored elsewhere, like C++20's std::span<const T>.
#pragma once

#include <cstddef>

namespace tactus {

template <typename T>
class View {
 public:
  View() = default;
  View(const T* data, std::size_t size) : data_(data), size_(size) {}
  /// View of any contiguous container, which must outlive it.
  template <typename Container>
  View(const Container& container)  // NOLINT(google-explicit-constructor)
      : data_(container.data()), size_(container.size()) {}

  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  const T& operator[](std::size_t index) const { return data_[index]; }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tactus

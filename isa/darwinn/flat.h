// Converts generated FlatBuffers classes to views; absent members become empty views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <flatbuffers/flatbuffers.h>

#include "isa/support/view.h"

namespace tactus::darwinn {

// Elements of scalars and structs have the same bytes in the file and in memory.
static_assert(FLATBUFFERS_LITTLEENDIAN, "files are read in place, on little-endian machines");

/// Alignment of the parameters in a file, and hence in memory.
inline constexpr std::size_t page_bytes = 4096;

template <typename T>
View<T> view_of(const flatbuffers::Vector<T>* vector) {
  if (vector == nullptr) return {};
  return {reinterpret_cast<const T*>(vector->Data()), vector->size()};
}

inline std::string_view text_of(const flatbuffers::String* text) {
  if (text == nullptr) return {};
  return {text->c_str(), text->size()};
}

template <typename T>
std::size_t size_of(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

}  // namespace tactus::darwinn

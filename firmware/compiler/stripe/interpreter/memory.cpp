#include "firmware/compiler/stripe/interpreter/memory.h"

#include <fmt/format.h>

#include "isa/support/text.h"

namespace tactus::stripe::interpreter {
namespace {

/// Number of an element among those of all buffers.
std::uint64_t key(const View& view, std::size_t at) {
  return (reinterpret_cast<std::uintptr_t>(view.buffer) << 28U) ^ at;
}

}  // namespace

std::size_t Memory::address(const View& view, const std::vector<std::int64_t>& offset) {
  const Buffer& buffer = *view.buffer;
  std::int64_t flat = 0;
  for (std::size_t i = 0; i < view.origin.size(); ++i) {
    std::int64_t at = view.origin[i];
    if (!offset.empty() && i + offset.size() >= view.origin.size()) {
      at += offset[i + offset.size() - view.origin.size()];
    }
    if (at < 0 || at >= buffer.sizes[i]) {
      fail(*view.frame,
           fmt::format("refinement {} is at {} in dimension {} of buffer {}, which has {}",
                       quote(view.ref->into), at, i, quote(buffer.name), buffer.sizes[i]));
    }
    flat += at * buffer.strides[i];
  }
  return static_cast<std::size_t>(flat);
}

Scalar Memory::read(const View& from, std::size_t at) const {
  const View& view = *from.holder;
  if (view.pending != nullptr && view.pending->has(at)) {
    const Scalar& value = view.pending->at(at);
    if (view.op == Aggregation::none || view.ref->direction == Direction::out) return value;
    return combine(view.op, read(*view.parent, at), value);
  }
  if (view.parent != nullptr) return read(*view.parent, at);
  if (view.buffer->data.has(at)) return view.buffer->data.at(at);
  return identity(view.op, view.ref->shape.type);
}

void Memory::write(View& to, std::size_t at, const Scalar& value) {
  View& view = *to.holder;
  Elements& store = view.pending != nullptr ? *view.pending : view.buffer->data;
  Scalar result = value;
  if (view.op != Aggregation::none && store.has(at)) {
    result = combine(view.op, store.at(at), value);
  }
  store.set(at, numbers_.to_type(result, view.type));
}

void Memory::hand_over(View& view) {
  for (const std::size_t at : view.pending->touched()) {
    Scalar value = view.pending->at(at);
    if (view.op != view.parent->op && view.op != Aggregation::none &&
        view.ref->direction == Direction::inout) {
      value = combine(view.op, read(*view.parent, at), value);
    }
    write(*view.parent, at, value);
  }
  view.pending->clear();
}

void Memory::note(View& view, std::size_t at, bool write) {
  for (View* level = &view; level->parent != nullptr || level->frame->block == root_.block;
       level = level->parent) {
    Frame& frame = *level->frame;
    Access& access = frame.accesses[key(*level, at)];
    if (write) {
      if (access.writer != 0 && access.writer != frame.position) {
        if (level->op == Aggregation::none) {
          fail(frame, fmt::format("two positions write one element of {}, which has no "
                                  "aggregation",
                                  quote(level->ref->into)));
        }
        access.writer = Access::several;
      } else {
        access.writer = frame.position;
      }
    } else {
      access.reader =
          access.reader == 0 || access.reader == frame.position ? frame.position : Access::several;
    }
    if (access.writer != 0 && access.reader != 0 && access.writer != access.reader) {
      fail(frame, fmt::format("a position reads an element of {} that another one writes",
                              quote(level->ref->into)));
    }
    if (level->parent == nullptr) break;
  }
}

Scalar Memory::load(View& view, std::size_t at) {
  if (check_conflicts_) note(view, at, false);
  return read(view, at);
}

void Memory::store(View& view, std::size_t at, const Scalar& value) {
  if (check_conflicts_) note(view, at, true);
  write(view, at, value);
}

}  // namespace tactus::stripe::interpreter

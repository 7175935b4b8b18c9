// A program's buffers of the user, and inputs to try it with.
#include <map>
#include <string>
#include <utility>

#include "firmware/compiler/stripe/interpret.h"

namespace tactus::stripe {

Tensors sample_inputs(const Program& program) {
  Tensors inputs;
  std::map<std::string, bool> written;
  for (const Statement& stmt : program.block().statements) {
    const Block* main = stmt.block();
    if (main == nullptr) {
      for (const std::string& name : uses_of(stmt).buffer_writes) written[name] = true;
      continue;
    }
    for (const auto& [into, ref] : main->refs) {
      if (writes(ref.direction)) written[ref.from] = true;
    }
  }
  for (const auto& [name, shape] : user_buffers(program)) {
    Tensor tensor(shape.elements(), 0.0);
    std::uint32_t hash = 2166136261U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    if (!written[name]) {
      for (double& value : tensor) {
        hash = hash * 1664525U + 1013904223U;
        value = static_cast<double>((hash >> 24U) % 15) - 7;
      }
    }
    inputs.emplace(name, std::move(tensor));
  }
  return inputs;
}

std::map<std::string, TensorShape> user_buffers(const Program& program) {
  std::map<std::string, TensorShape> all, tagged;
  for (const auto& [into, ref] : program.block().refs) {
    all.emplace(into, ref.shape);
    if (ref.has_tag("user")) tagged.emplace(into, ref.shape);
  }
  return tagged.empty() ? all : tagged;
}

}  // namespace tactus::stripe

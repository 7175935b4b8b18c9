// Types and directions of Stripe's protobuf text, and those of the program.
#pragma once

#include <stripe.pb.h>

#include <optional>
#include <tuple>
#include <utility>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

inline constexpr std::pair<proto::DataType, DataType> protobuf_types[] = {
    {proto::BOOLEAN, DataType::boolean}, {proto::INT8, DataType::i8},
    {proto::INT16, DataType::i16},       {proto::INT32, DataType::i32},
    {proto::INT64, DataType::i64},       {proto::INT128, DataType::i128},
    {proto::UINT8, DataType::u8},        {proto::UINT16, DataType::u16},
    {proto::UINT32, DataType::u32},      {proto::UINT64, DataType::u64},
    {proto::FLOAT16, DataType::fp16},    {proto::FLOAT32, DataType::fp32},
    {proto::FLOAT64, DataType::fp64},    {proto::BFLOAT16, DataType::bf16},
    {proto::PRNG, DataType::prng}};
inline constexpr std::pair<proto::Refinement_Dir, Direction> protobuf_directions[] = {
    {proto::Refinement::None, Direction::none},
    {proto::Refinement::In, Direction::in},
    {proto::Refinement::Out, Direction::out},
    {proto::Refinement::InOut, Direction::inout}};

/// The other half of the pair with `from`.
template <typename To, typename Pairs, typename From>
std::optional<To> other_half(const Pairs& pairs, From from) {
  for (const auto& pair : pairs) {
    if (std::get<From>(pair) == from) return std::get<To>(pair);
  }
  return std::nullopt;
}

inline DataType type_of(proto::DataType type) {
  return other_half<DataType>(protobuf_types, type).value_or(DataType::unknown);
}
inline proto::DataType type_of(DataType type) {
  return other_half<proto::DataType>(protobuf_types, type).value_or(proto::UNKNOWN);
}

}  // namespace tactus::stripe

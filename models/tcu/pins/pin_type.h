// The types that a signal at a pin may have: bool for one bit; sc_uint, sc_biguint and sc_bv of
// exactly the pin's width; unsigned integers of the host with at least as many bits, as Verilator
// makes them; PinBits.
#pragma once

#include <string>
#include <type_traits>

#include "models/tcu/pins/pin_bits.h"

namespace tactus {

/// fits(width), name() for messages, and conversions from and to words of 64 bits.
template <typename T, typename = void>
struct PinType {
  static_assert(!sizeof(T), "a pin is bool, sc_uint, sc_biguint, sc_bv or an unsigned integer");
};

template <>
struct PinType<bool> {
  static bool fits(unsigned width) { return width == 1; }
  static std::string name() { return "bool"; }
  static void to_words(bool value, std::uint64_t* words, unsigned /*width*/) { *words = value; }
  static bool from_words(const std::uint64_t* words, unsigned /*width*/) { return *words != 0; }
};

template <typename T>
struct PinType<T, std::enable_if_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>>> {
  static bool fits(unsigned width) { return width <= 8 * sizeof(T); }
  static std::string name() { return "an integer of " + std::to_string(8 * sizeof(T)) + " bits"; }
  static void to_words(T value, std::uint64_t* words, unsigned width) {
    *words = width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
  }
  static T from_words(const std::uint64_t* words, unsigned /*width*/) {
    return static_cast<T>(*words);
  }
};

template <int bits>
struct PinType<sc_dt::sc_uint<bits>> {
  static bool fits(unsigned width) { return width == bits; }
  static std::string name() { return "sc_uint<" + std::to_string(bits) + ">"; }
  static void to_words(const sc_dt::sc_uint<bits>& value, std::uint64_t* words,
                       unsigned /*width*/) {
    *words = value.to_uint64();
  }
  static sc_dt::sc_uint<bits> from_words(const std::uint64_t* words, unsigned /*width*/) {
    return *words;
  }
};

template <int bits>
struct PinType<sc_dt::sc_bv<bits>> {
  static bool fits(unsigned width) { return width == bits; }
  static std::string name() { return "sc_bv<" + std::to_string(bits) + ">"; }
  static void to_words(const sc_dt::sc_bv<bits>& value, std::uint64_t* words, unsigned width) {
    words[words_for(width) - 1] = 0;
    for (int i = 0; i < value.size(); ++i) {
      const std::uint64_t word = value.get_word(i);
      words[i / 2] = i % 2 == 0 ? word : words[i / 2] | word << 32;
    }
  }
  static sc_dt::sc_bv<bits> from_words(const std::uint64_t* words, unsigned /*width*/) {
    sc_dt::sc_bv<bits> value;
    for (int i = 0; i < value.size(); ++i) {
      value.set_word(i, static_cast<sc_dt::sc_digit>(words[i / 2] >> (i % 2 * 32)));
    }
    return value;
  }
};

template <int bits>
struct PinType<sc_dt::sc_biguint<bits>> {
  using Vector = sc_dt::sc_bv<bits>;
  static bool fits(unsigned width) { return width == bits; }
  static std::string name() { return "sc_biguint<" + std::to_string(bits) + ">"; }
  static void to_words(const sc_dt::sc_biguint<bits>& value, std::uint64_t* words, unsigned width) {
    PinType<Vector>::to_words(Vector(value), words, width);
  }
  static sc_dt::sc_biguint<bits> from_words(const std::uint64_t* words, unsigned width) {
    return sc_dt::sc_biguint<bits>(PinType<Vector>::from_words(words, width));
  }
};

template <>
struct PinType<PinBits> {
  static bool fits(unsigned /*width*/) { return true; }
  static std::string name() { return "PinBits"; }
  static void to_words(const PinBits& value, std::uint64_t* words, unsigned width) {
    for (unsigned i = 0; i < words_for(width); ++i) {
      words[i] = i < value.words.size() ? value.words[i] : 0;
    }
  }
  static PinBits from_words(const std::uint64_t* words, unsigned width) {
    return {{words, words + words_for(width)}};
  }
};

}  // namespace tactus

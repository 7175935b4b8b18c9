// Reads and writes DAIS files of any form. The content tells the form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isa/dais/program.h"

namespace tactus::dais {

enum class Form : std::uint8_t { seed, v0, v1, json };

[[nodiscard]] std::string_view name(Form form);

struct File {
  Pipeline pipeline;  ///< one stage unless the file is a JSON pipeline
  bool is_json = false;
  bool is_pipeline = false;
};

/// Reads and checks a program or pipeline of any form. Without a dialect, a binary file must agree
/// with exactly one, and JSON text, which names no dialect, gets the rules of v1. Throws UserError.
[[nodiscard]] File read_file(const std::string& path, std::optional<Dialect> dialect);
[[nodiscard]] File parse_file(const std::vector<std::uint8_t>& bytes,
                              std::optional<Dialect> dialect, const std::string& where);

/// Encodes a file in the given form. Only JSON can hold a pipeline. Throws UserError if the form
/// cannot express the program.
[[nodiscard]] std::vector<std::uint8_t> encode_file(const File& file, Form form,
                                                    const std::string& where);

}  // namespace tactus::dais

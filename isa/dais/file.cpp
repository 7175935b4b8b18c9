#include "isa/dais/file.h"

#include "isa/dais/binary.h"
#include "isa/dais/json.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"

namespace tactus::dais {

std::string_view name(Form form) {
  switch (form) {
    case Form::seed:
      return name(Dialect::seed);
    case Form::v0:
      return name(Dialect::v0);
    case Form::v1:
      return name(Dialect::v1);
    case Form::json:
      return "json";
  }
  internal_error("form {}", static_cast<int>(form));
}

File read_file(const std::string& path, std::optional<Dialect> dialect) {
  const std::vector<std::uint8_t> bytes = tactus::read_file(path);
  return parse_as(FileKind::dais, path, as_text(bytes),
                  [&] { return parse_file(bytes, dialect, path); });
}

File parse_file(const std::vector<std::uint8_t>& bytes, std::optional<Dialect> dialect,
                const std::string& where) {
  File file;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (looks_like_json(text)) {
    file.is_json = true;
    bool is_pipeline = false;
    file.pipeline = decode_json(text, dialect.value_or(Dialect::v1), where, &is_pipeline);
    file.is_pipeline = is_pipeline;
  } else {
    file.pipeline.stages.push_back(dialect ? decode_binary(bytes, *dialect, where)
                                           : decode_binary(bytes, where));
  }
  return file;
}

std::vector<std::uint8_t> encode_file(const File& file, Form form, const std::string& where) {
  if (form == Form::json) {
    const std::string text = file.is_pipeline ? encode_json(file.pipeline, where)
                                              : encode_json(file.pipeline.stages.front(), where);
    return {text.begin(), text.end()};
  }
  if (file.is_pipeline) {
    user_error("{}: dialect {} holds one program, not a pipeline; allowed json", where, name(form));
  }
  return encode_binary(file.pipeline.stages.front(), static_cast<Dialect>(form), where);
}

}  // namespace tactus::dais

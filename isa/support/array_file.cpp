#include "isa/support/array_file.h"

#include <algorithm>
#include <string_view>

#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

struct FormInfo {
  ArrayForm form;
  std::vector<std::string_view> extensions;
  std::string_view words;  ///< for the list of allowed forms
};

const FormInfo& form_info(ArrayForm form) {
  static const FormInfo forms[] = {
      {ArrayForm::csv, {".csv"}, ".csv (decimal text)"},
      {ArrayForm::raw, {".bin", ".tdata"}, ".bin or .tdata (raw bytes)"},
      {ArrayForm::bytes, {".bin", ".tdata", ""}, ".bin, .tdata or no extension (raw bytes)"},
      {ArrayForm::doubles, {".f64"}, ".f64 (raw doubles)"},
      {ArrayForm::npy, {".npy"}, ".npy (NumPy)"},
      {ArrayForm::pb, {".pb"}, ".pb (ONNX tensor)"},
  };
  return forms[static_cast<std::size_t>(form)];
}

/// "A", "A or B", "A, B or C".
std::string allowed_words(const std::vector<ArrayForm>& allowed) {
  std::string text;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (i > 0) text += i + 1 < allowed.size() || allowed[i] == ArrayForm::raw ? ", " : " or ";
    text += form_info(allowed[i]).words;
  }
  return text;
}

bool is_allowed(ArrayForm form, const std::vector<ArrayForm>& allowed) {
  return std::find(allowed.begin(), allowed.end(), form) != allowed.end();
}

ArrayForm form_of_pipe(std::string_view content, const std::vector<ArrayForm>& allowed) {
  constexpr std::string_view numpy("\x93NUMPY", 6);
  if (is_allowed(ArrayForm::npy, allowed) && content.substr(0, 6) == numpy) return ArrayForm::npy;
  if (is_allowed(ArrayForm::csv, allowed) && looks_like_csv(content)) return ArrayForm::csv;
  for (const ArrayForm form :
       {ArrayForm::raw, ArrayForm::bytes, ArrayForm::doubles, ArrayForm::pb, ArrayForm::csv}) {
    if (is_allowed(form, allowed)) return form;
  }
  return allowed.front();
}

}  // namespace

ArrayForm array_form(const std::string& path, const std::vector<ArrayForm>& allowed) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : name.substr(dot);
  for (const ArrayForm form : allowed) {
    const auto& extensions = form_info(form).extensions;
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) return form;
  }
  user_error("{}: the name must end in {}{}", path, allowed_words(allowed),
             extension == ".npz" ? "; an .npz is an archive of several .npy" : "");
}

ArrayFile read_array_file(const std::string& path, const std::vector<ArrayForm>& allowed) {
  if (is_pipe(path)) {
    std::vector<std::uint8_t> bytes = read_file(path);
    const ArrayForm form = form_of_pipe(as_text(bytes), allowed);
    return {path, form, std::move(bytes)};
  }
  const ArrayForm form = array_form(path, allowed);
  if (form != ArrayForm::csv) return {path, form, read_file(path)};
  const std::string text = read_text(path);  // refuses UTF-16
  return {path, form, {text.begin(), text.end()}};
}

}  // namespace tactus

// RNN, GRU and LSTM. With piecewise linear functions the results are exact; Sigmoid and Tanh are
// computed by lookup tables or chords.
#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

constexpr std::int64_t steps = 3, batch = 2, width = 2;
const Numbers any_sign{-1, 1, 1, -1, 3, true}, few{-1, 1, 1, 2, 1, true};

struct RecurrentKind {
  const char* op;
  std::int64_t gates;
  std::size_t functions;  ///< number of activation functions per direction
};
constexpr RecurrentKind kinds[] = {{"GRU", 3, 2}, {"LSTM", 4, 3}, {"RNN", 1, 1}};

struct RecurrentForm {
  const char* name;
  const char* direction = "forward";
  bool exact = true;
  bool with_bias = true, with_lengths = false, with_states = false, constant_states = false;
  std::int64_t layout = 0;
  float clip = 0;
  Attributes more{};
  bool with_peepholes = false;
};

void build(Sample& s, const RecurrentKind& kind, const RecurrentForm& form) {
  const bool both = std::string(form.direction) == "bidirectional";
  const std::int64_t directions = both ? 2 : 1, hidden = s.channels();
  Attributes attributes = form.more;
  attributes["direction"] = std::string(form.direction);
  attributes["hidden_size"] = hidden;
  if (form.layout != 0) attributes["layout"] = form.layout;
  if (form.clip != 0) attributes["clip"] = form.clip;
  if (form.exact) {
    attributes["activations"] =
        std::vector<std::string>(kind.functions * static_cast<std::size_t>(directions), "Relu");
    // No error is allowed: with these inputs, weights and biases every gate is 0 or 1, and a step
    // adds at most 1 to a state.
  } else {
    s.allow_stated(12, 24);
  }
  const nn::Shape states = form.layout == 0 ? nn::Shape{directions, batch, hidden}
                                            : nn::Shape{batch, directions, hidden};
  const Numbers bias = form.exact ? Numbers{-1, 0, 1, -1, 3, true} : any_sign;
  const Numbers state_numbers = form.exact ? Numbers{0, 1, 1, -1, 3, true} : any_sign;
  const Numbers input_weights =
      form.exact ? (form.clip != 0 ? Numbers{-2, 2, 1, 2, 1, true} : few) : any_sign;
  std::vector<std::string> inputs{
      s.computed(form.layout == 0 ? nn::Shape{steps, batch, width} : nn::Shape{batch, steps, width},
                 Numbers{-1, 1, 1, 2, 1, true}),
      s.constant({directions, kind.gates * hidden, width}, input_weights),
      s.constant({directions, kind.gates * hidden, hidden},
                 form.exact ? Numbers{-1, 0, 1, 2, 1, true} : few),
      form.with_bias ? s.constant({directions, 2 * kind.gates * hidden}, bias) : "",
      form.with_lengths ? s.list(std::vector<std::int64_t>(batch, steps)) : ""};
  if (form.with_states || form.with_peepholes) {
    const auto state = [&] {
      return form.constant_states ? s.constant(states, state_numbers)
                                  : s.computed(states, state_numbers);
    };
    inputs.push_back(form.with_states ? state() : "");
    if (kind.gates == 4) inputs.push_back(form.with_states ? state() : "");
  }
  if (form.with_peepholes) inputs.push_back(s.constant({directions, 3 * hidden}, state_numbers));
  for (const std::string& y :
       s.nodes(kind.op, inputs, kind.gates == 4 ? 3 : 2, std::move(attributes))) {
    s.output(y);
  }
}

}  // namespace

Cases recurrent_cases() {
  std::vector<RecurrentForm> forms(9);
  forms[0] = {"forward"};
  forms[1] = {"backwards, by batch", "reverse"};
  forms[1].layout = 1;
  forms[2] = {"both directions", "bidirectional"};
  forms[2].with_bias = false;
  forms[3] = {"both directions from states, by batch", "bidirectional"};
  forms[3].with_states = forms[3].with_lengths = true;
  forms[3].layout = 1;
  forms[4] = {"from constant states"};
  forms[4].with_states = forms[4].constant_states = true;
  forms[5] = {"clipped", "reverse"};
  forms[5].clip = 1;
  forms[6] = {"usual functions"};
  forms[6].exact = false;
  forms[7] = {"usual functions, both directions from states", "bidirectional"};
  forms[7].exact = false;
  forms[7].with_states = true;
  forms[8] = {"numbers of functions", "bidirectional"};
  forms[8].exact = false;
  Cases cases;
  for (const RecurrentKind& kind : kinds) {
    const auto add = [&](const RecurrentForm& form) {
      cases.push_back({kind.op, form.name, [=](Sample& s) { build(s, kind, form); }});
    };
    for (RecurrentForm form : forms) {
      if (form.name == std::string("numbers of functions")) {
        const std::vector<std::string> all{"LeakyRelu",  "HardSigmoid", "Affine",
                                           "ScaledTanh", "hardsigmoid", "Elu"};
        form.more = {
            {"activations",
             std::vector<std::string>(
                 all.begin(), all.begin() + static_cast<std::ptrdiff_t>(2 * kind.functions))},
            {"activation_alpha", std::vector<float>{0.5F, 0.25F, 0.5F}},
            {"activation_beta", std::vector<float>{0.25F}}};
      }
      add(form);
    }
    if (kind.gates == 3) {
      for (RecurrentForm form : {forms[0], forms[3], forms[6]}) {
        const std::string name = std::string(form.name) + ", linear before reset";
        form.more = {{"linear_before_reset", std::int64_t{1}}};
        cases.push_back({kind.op, name, [=](Sample& s) { build(s, kind, form); }});
      }
    }
    if (kind.gates == 4) {
      RecurrentForm form = forms[2];
      form.more = {{"input_forget", std::int64_t{1}}};
      form.name = "input and forget gate coupled";
      add(form);
      form = forms[6];
      form.name = "peepholes";
      form.with_peepholes = true;
      add(form);
    }
  }
  return cases;
}

}  // namespace tactus::compiler

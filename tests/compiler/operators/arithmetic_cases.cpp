// Operators of two operands and of lists, with every form of either operand.
#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

/// A pair of operands.
struct Pair {
  std::string first, second;
};
struct PairForm {
  const char* name;
  std::function<Pair(Sample&, const Numbers& second)> operands;
};

nn::Shape per_channel(const Sample& s) { return {s.channels(), 1, 1}; }

/// Forms whose second operand is a constant.
std::vector<PairForm> constant_forms() {
  const auto against = [](auto shape) {
    return [shape](Sample& s, const Numbers& numbers) {
      return Pair{s.computed(s.image()), s.constant(shape(s), numbers)};
    };
  };
  return {
      {"constant scalar", against([](Sample&) { return nn::Shape{}; })},
      {"constant of one element", against([](Sample&) { return nn::Shape{1}; })},
      {"scalar and constant of one element",
       [](Sample& s, const Numbers& numbers) {
         return Pair{s.computed({}), s.constant({1}, numbers)};
       }},
      {"scalar and constant scalar",
       [](Sample& s, const Numbers& numbers) {
         return Pair{s.computed({}), s.constant(nn::Shape{}, numbers)};
       }},
      {"constant per channel", against([](Sample& s) { return per_channel(s); })},
      {"constant per channel, rank 4", against([](Sample& s) {
         return nn::Shape{1, s.channels(), 1, 1};
       })},
      {"constant full", against([](Sample& s) { return s.image(); })},
      {"constant row", against([](Sample&) { return nn::Shape{3}; })},
      {"constant per pixel", against([](Sample&) {
         return nn::Shape{1, 1, 3, 3};
       })},
      {"constant per column of a matrix",
       [](Sample& s, const Numbers& numbers) {
         return Pair{s.computed({5, s.channels()}), s.constant({s.channels()}, numbers)};
       }},
      {"constant per row of a matrix",
       [](Sample& s, const Numbers& numbers) {
         return Pair{s.computed({5, s.channels()}), s.constant({5, 1}, numbers)};
       }},
      {"constant larger than the computed operand",
       [](Sample& s, const Numbers& numbers) {
         return Pair{s.computed({1, s.channels(), 1, 1}), s.constant(s.image(2, 2), numbers)};
       }},
      {"constant full of two images",
       [](Sample& s, const Numbers& numbers) {
         const nn::Shape two{2, s.channels(), 2, 2};
         return Pair{s.computed(two), s.constant(two, numbers)};
       }},
      {"constant negative per channel",
       [](Sample& s, const Numbers& numbers) {
         return Pair{s.computed(s.image()),
                     s.constant(per_channel(s), {numbers.low, -numbers.step, numbers.step})};
       }},
  };
}

/// Forms with two computed operands.
std::vector<PairForm> computed_forms() {
  const auto both = [](auto first, auto second) {
    return [first, second](Sample& s, const Numbers& numbers) {
      const std::string a = s.computed(first(s));
      return Pair{a, s.computed(second(s), numbers)};
    };
  };
  const auto image = [](Sample& s) { return s.image(); };
  const auto channel = [](Sample& s) { return nn::Shape{1, s.channels(), 1, 1}; };
  const auto pixel = [](Sample&) { return nn::Shape{1, 1, 3, 3}; };
  return {
      {"computed full", both(image, image)},
      {"scalars", both([](Sample&) { return nn::Shape{}; }, [](Sample&) { return nn::Shape{}; })},
      {"scalar", both(image, [](Sample&) { return nn::Shape{}; })},
      {"computed per channel", both(image, channel)},
      {"computed per pixel", both(image, pixel)},
      {"computed of lower rank", both(image, per_channel)},
      {"computed of one element", both(image, [](Sample&) { return nn::Shape{1}; })},
      {"computed matrix and column", both(
                                         [](Sample& s) {
                                           return nn::Shape{5, s.channels()};
                                         },
                                         [](Sample&) {
                                           return nn::Shape{5, 1};
                                         })},
      {"computed, of two images", both(
                                      [](Sample& s) {
                                        return nn::Shape{2, s.channels(), 2, 2};
                                      },
                                      channel)},
  };
}

/// Forms whose first operand is a constant or has fewer elements than the second.
std::vector<PairForm> turned_forms() {
  std::vector<PairForm> forms;
  const auto turned = [](PairForm form, const char* name) {
    return PairForm{name, [inner = form.operands](Sample& s, const Numbers& numbers) {
                      const Pair pair = inner(s, numbers);
                      return Pair{pair.second, pair.first};
                    }};
  };
  const std::vector<PairForm> constants = constant_forms(), both = computed_forms();
  return {turned(constants[0], "constant scalar first"),
          turned(constants[2], "constant per channel first"),
          turned(constants[4], "constant full first"),
          turned(constants[7], "constant per column of a matrix first"),
          turned(both[1], "computed per channel first"),
          turned(both[2], "computed per pixel first"),
          turned(both[3], "computed of lower rank first"),
          {"both broadcast",
           [](Sample& s, const Numbers& numbers) {
             const std::string a = s.computed({1, s.channels(), 1, 1});
             return Pair{a, s.computed({1, 1, 3, 3}, numbers)};
           }},
          {"one value twice", [](Sample& s, const Numbers&) {
             const std::string x = s.computed(s.image());
             return Pair{x, x};
           }}};
}

void add_pairs(Cases& cases, const std::string& op, const std::vector<PairForm>& forms,
               const Numbers& second, const std::function<void(Sample&)>& allow = {}) {
  for (const PairForm& form : forms) {
    cases.push_back({op, form.name, [=, operands = form.operands](Sample& s) {
                       if (allow) allow(s);
                       const Pair pair = operands(s, second);
                       s.output(s.node(op, {pair.first, pair.second}));
                     }});
  }
}

/// Adds Min and Max with constants beyond either end of the data type's range.
void add_beyond(Cases& cases, const std::string& op) {
  for (const double bound : {-1e6, 1e6}) {
    for (const bool per_lane : {false, true}) {
      cases.push_back({op,
                       std::string(per_lane ? "constant per channel" : "constant") +
                           (bound < 0 ? " below the range" : " above the range"),
                       [=](Sample& s) {
                         s.saturates();
                         const nn::Shape shape = per_lane ? per_channel(s) : nn::Shape{};
                         const Numbers numbers{bound, bound, 1, -1, 3, true};
                         const std::string x = s.computed(s.image());
                         s.output(s.node(op, {x, s.constant(shape, numbers)}));
                       }});
    }
  }
}

void add_list(Cases& cases, const std::string& op, std::size_t count, const char* form,
              double units = 0) {
  cases.push_back(
      {op, form, [=](Sample& s) {
         s.allow(units);
         const nn::Shape shapes[] = {s.image(), {1, s.channels(), 1, 1}, s.image(), {1, 1, 3, 3}};
         std::vector<std::string> operands;
         for (std::size_t k = 0; k < count; ++k) {
           operands.push_back(k == 1 ? s.constant(shapes[k], {-1.5, 1.5, 0.5})
                                     : s.computed(shapes[k], {-1.5, 1.5, 0.5}));
         }
         s.output(s.node(op, operands));
       }});
}

void add_slopes(Cases& cases) {
  const Numbers flat{-1, 1, 0.5}, any{-2, 2, 0.5}, falling{-1, -0.5, 0.5}, none{0, 0, 1};
  const auto form = [&](const char* name, auto shape, const Numbers& numbers) {
    cases.push_back({"PRelu", name, [=](Sample& s) {
                       s.allow_optimised(leaky_units);
                       const std::string x = s.computed(s.image());
                       s.output(s.node("PRelu", {x, s.constant(shape(s), numbers)}));
                     }});
  };
  const auto channel = [](Sample& s) { return per_channel(s); };
  const auto image = [](Sample& s) { return s.image(); };
  const auto one = [](Sample&) { return nn::Shape{1}; };
  form("one slope", one, flat);
  form("one slope that falls", one, falling);
  form("one slope above 1", one, {1.5, 2, 0.5});
  form("slope 0", one, none);
  form("slope per channel", channel, flat);
  form("slope per channel, falling", channel, falling);
  form("slope per channel, some above 1", channel, any);
  form(
      "slope per row",
      [](Sample&) {
        return nn::Shape{3, 1};
      },
      flat);
  form("slope per element", image, flat);
  form("slope per element, some above 1", image, any);
  for (const bool per_channel_slope : {false, true}) {
    cases.push_back(
        {"PRelu", per_channel_slope ? "computed slope per channel" : "computed slope",
         [=](Sample& s) {
           const std::string x = s.computed(s.image());
           const nn::Shape shape = per_channel_slope ? nn::Shape{1, s.channels(), 1, 1} : s.image();
           s.output(s.node("PRelu", {x, s.computed(shape)}));
         }});
  }
  cases.push_back({"PRelu", "of a matrix", [](Sample& s) {
                     s.allow_optimised(leaky_units);
                     const std::string x = s.computed({5, s.channels()});
                     s.output(s.node("PRelu", {x, s.constant({s.channels()}, {-1, 1, 0.5})}));
                   }});
}

/// Adds divisions by constants, with exact and with inexact reciprocals.
void add_divisions(Cases& cases) {
  const auto form = [&](const char* name, auto shape, std::vector<float> divisors, double units) {
    cases.push_back({"Div", name, [=](Sample& s) {
                       s.allow(units);
                       nn::Tensor by = nn::Tensor::zeros(shape(s));
                       for (std::size_t i = 0; i < by.floats.size(); ++i) {
                         by.floats[i] = divisors[i % divisors.size()];
                       }
                       s.output(s.node("Div", {s.computed(s.image()), s.constant(by)}));
                     }});
  };
  const auto one = [](Sample&) { return nn::Shape{}; };
  const auto channel = [](Sample& s) { return per_channel(s); };
  form("constant 2", one, {2}, 0);
  form("constant -0.5", one, {-0.5F}, 0);
  form("constant per channel", channel, {2, -1, 0.5F, -2, 1}, 0);
  form(
      "constant full", [](Sample& s) { return s.image(); }, {2, -1, 1, -2, 0.5F, 4}, 0);
  // Allowed error: the rounded reciprocal is off by 0.5, times values up to 2; the product is off
  // by 0.5.
  form("constant 3", one, {3}, 2);
  form("constant per channel, inexact", channel, {3, -1.5F, 0.75F, -3}, 2);
  form("constant beyond the range", one, {1000}, 2);
  cases.push_back({"Div", "computed divisor", [](Sample& s) {
                     s.allow_stated(4, 4);
                     s.host_without_tables();
                     const std::string x = s.computed(s.image());
                     s.output(s.node("Div", {x, s.computed(s.image(), {0.5, 2, 0.5})}));
                   }});
  cases.push_back({"Div", "computed divisor per channel", [](Sample& s) {
                     s.allow_stated(4, 4);
                     s.host_without_tables();
                     const std::string x = s.computed(s.image());
                     s.output(s.node("Div", {x, s.computed({1, s.channels(), 1, 1}, {1, 2, 0.5})}));
                   }});
  cases.push_back({"Div", "constant by computed", [](Sample& s) {
                     s.allow_stated(4, 4);
                     s.host_without_tables();
                     const std::string x = s.constant(per_channel(s));
                     s.output(s.node("Div", {x, s.computed(s.image(), {0.5, 2, 0.5})}));
                   }});
}

}  // namespace

Cases arithmetic_cases() {
  Cases cases;
  const Numbers usual;
  for (const char* op : {"Add", "Sub", "Mul", "Min", "Max"}) {
    for (const auto& forms : {constant_forms(), computed_forms(), turned_forms()}) {
      add_pairs(cases, op, forms, usual);
    }
  }
  for (const char* op : {"Min", "Max"}) {
    add_beyond(cases, op);
    add_list(cases, op, 1, "of one operand");
    add_list(cases, op, 4, "of four operands");
  }
  add_list(cases, "Sum", 1, "of one operand");
  add_list(cases, "Sum", 2, "of two operands");
  add_list(cases, "Sum", 4, "of four operands");
  add_list(cases, "Mean", 1, "of one operand");
  add_list(cases, "Mean", 2, "of two operands");
  // Allowed error: the rounded factor 1/3 is off by 0.5, times sums up to 4.5; the product is off
  // by 0.5.
  add_list(cases, "Mean", 3, "of three operands", 3);
  add_list(cases, "Mean", 4, "of four operands", 4);
  add_slopes(cases);
  add_divisions(cases);
  return cases;
}

}  // namespace tactus::compiler

#!/usr/bin/env python3
"""Writes cases.json of attributes_test.cpp: single operators with the values of others.

make_cases.py, with onnx, onnxruntime and numpy in the Python environment (made with 1.23 and 1.32).
Values are those of ONNX Runtime on the CPU without its optimiser or, where it has no kernel, of ONNX's
reference evaluator. The forms of operators, with their operator sets, inputs and attributes, are read from
firmware/onnx/operators.cpp. A variant is written for every form that has its inputs and attributes, in the
first and the last operator set of the form; cases whose values are equal are one, with several sets.
"""
import json
import os
import re
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from variants import FIRST, FLOAT, LAST, variants

onnxruntime.set_default_logger_severity(4)
here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "..", "..", "..")
ANY = 1 << 30


def forms():
    text = open(os.path.join(root, "firmware/onnx/operators.cpp"), encoding="utf-8").read()
    text = text[text.index("constexpr Form forms[]"):]
    pattern = re.compile(r'\{((?:"[^"]*"\s*)+),\s*(\d+),\s*(\d+|last),\s*(\d+),\s*(\d+|any_number),\s*'
                         r'(\d+|any_number),\s*((?:"[^"]*"\s*)+),\s*run_\w+')
    found = []
    for names, since, until, least, most, outputs, attributes in pattern.findall(text):
        number = lambda s: LAST if s == "last" else ANY if s == "any_number" else int(s)
        words = "".join(re.findall(r'"([^"]*)"', attributes)).split()
        for name in "".join(re.findall(r'"([^"]*)"', names)).split():
            found.append((name, int(since), number(until), number(least), number(most), number(outputs),
                          set(words)))
    return found


def attribute(name, value):
    if isinstance(value, np.ndarray):
        return helper.make_attribute(name, numpy_helper.from_array(value, name))
    return helper.make_attribute(name, value)


def model_of(op, domain, inputs, attributes, outputs, opset):
    names = ["" if x is None else f"i{k}" for k, x in enumerate(inputs)]
    node = onnx.NodeProto()
    node.op_type, node.domain = op, domain
    node.input.extend(names)
    results = [f"o{k}" for k in range(outputs)] if isinstance(outputs, int) else list(outputs)
    node.output.extend(results)
    node.attribute.extend(attribute(k, x) for k, x in attributes.items())
    types = lambda x: helper.np_dtype_to_tensor_dtype(x.dtype)
    values = [helper.make_tensor_value_info(n, types(x), x.shape)
              for n, x in zip(names, inputs) if x is not None]
    graph = helper.make_graph([node], "g", values, [onnx.ValueInfoProto(name=n) for n in results if n])
    imports = [helper.make_opsetid("", opset)]
    if domain:
        version = 5 if op == "TreeEnsemble" else 3 if domain == "ai.onnx.ml" else 1
        imports.append(helper.make_opsetid(domain, version))
    return helper.make_model(graph, opset_imports=imports, ir_version=8 if opset < 19 else 10), results


def computed(op, domain, inputs, attributes, outputs, opset, by_evaluator):
    """The results, and whose they are; ONNX Runtime leaves open what integers beyond their range are."""
    model, results = model_of(op, domain, inputs, attributes, outputs, opset)
    if domain == "qonnx.custom_op.general":  # no runtime has it
        return {"o0": quantised(op, attributes, *inputs)}, "formula"
    if op == "TreeEnsemble" and attributes.get("post_transform") in (1, 2):
        # ONNX Runtime takes the numbers 1 and 2 for each other; ONNX's evaluator ignores the attribute.
        rest = {k: x for k, x in attributes.items() if k != "post_transform"}
        x = computed(op, domain, inputs, rest, outputs, opset, by_evaluator)[0]["o0"]
        e = np.exp(x)
        return {"o0": e / e.sum(1, keepdims=True) if attributes["post_transform"] == 1 else e / (1 + e)}, "formula"
    feeds = {f"i{k}": x for k, x in enumerate(inputs) if x is not None}
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    wanted = [n for n in results if n]
    first = ""
    try:
        if by_evaluator:
            raise ValueError("not asked")
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        return dict(zip(wanted, session.run(wanted, feeds))), "ort"
    except Exception as error:  # no kernel, or a form that it refuses
        first = str(error).splitlines()[0][:200]
    try:
        with np.errstate(all="ignore"):
            made = ReferenceEvaluator(model).run(wanted, feeds)
        return dict(zip(wanted, [np.asarray(x) for x in made])), "onnx"
    except Exception as error:
        return None, first + " | " + str(error).splitlines()[0][:160] if str(error) else first


def quantised(op, attributes, x, scale, zero=None, width=None):
    """QONNX's Quant and BipolarQuant as its documentation defines them."""
    if op == "BipolarQuant":
        return np.where(x >= 0, scale, -scale).astype(np.float32)
    signed, narrow = attributes.get("signed", 1), attributes.get("narrow", 0)
    low = -2 ** (width - 1) + narrow if signed else 0
    high = 2 ** (width - 1) - 1 if signed else 2 ** width - 1 - narrow
    rounding = {"ROUND": np.rint, "FLOOR": np.floor}[attributes.get("rounding_mode", "ROUND")]
    return ((rounding(np.clip(x / scale + zero, low, high)) - zero) * scale).astype(np.float32)


def number(x):
    x = float(np.float32(x))
    if not np.isfinite(x):
        return "inf" if x > 0 else "-inf" if x < 0 else "nan"
    return float(f"{x:.7g}")


def tensor(x):
    x = np.asarray(x)
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    made = {"shape": list(x.shape)}
    if x.dtype.kind not in "fiub":  # BFLOAT16
        made["floats"] = [number(value) for value in x.astype(np.float32).ravel()]
        made["type"] = int(kind)
        return made
    if x.dtype.kind == "f":
        made["floats"] = [number(value) for value in x.ravel()]
    else:
        made["integers"] = [int(value) for value in x.ravel()]
    if kind != FLOAT:
        made["type"] = int(kind)
    return made


def plain(value):
    if isinstance(value, np.ndarray):
        return tensor(value)
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    if isinstance(value, float):
        return {"float": number(value)}
    return value


def main():
    table = forms()
    cases, failed = {}, []
    for op, domain, inputs, attributes, outputs, sets, label, refused in variants:
        is_default = domain in ("", "ai.onnx.ml", "qonnx.custom_op.general")  # read as one domain
        rows = [row for row in table if row[0] == op and is_default] or [(op, 17, 17, 0, ANY, ANY, None)]
        used = False
        for _, since, until, least, most, most_outputs, words in rows:
            low, high = max(since, FIRST, sets[0]), min(until, LAST, sets[1])
            count = outputs if isinstance(outputs, int) else len(outputs)
            if low > high or not least <= len(inputs) <= most or count > most_outputs:
                continue
            if words is not None and not set(attributes) <= words:
                continue
            for opset in sorted({low, high} | ({13} if low < 13 <= high else set())):
                values, source = {"o0": np.zeros(1, np.float32)}, "none"
                if not refused:
                    values, source = computed(op, domain, inputs, attributes, outputs, opset,
                                              label in ("wraps", "evaluator"))
                if values is None:
                    failed.append(f"{op} {opset} {label} {dict((k, str(x)[:40]) for k, x in attributes.items())}: {source}")
                    continue
                used = True
                case = {"op": op}
                if not is_default:
                    case["domain"] = domain
                if label:
                    case["label"] = label
                if refused:
                    case["refused"] = refused
                case["inputs"] = [None if x is None else tensor(x) for x in inputs]
                if attributes:
                    case["attributes"] = {k: plain(x) for k, x in attributes.items()}
                case["outputs"] = {name: tensor(x) for name, x in values.items()}
                key = json.dumps(case, sort_keys=False, separators=(",", ":"))
                cases.setdefault(key, (case, [], source))[1].append(opset)
        if not used:
            failed.append(f"{op} {label} {list(attributes)}: no form takes this variant")
    lines = []
    for case, opsets, source in cases.values():
        whole = {"op": case["op"], "opsets": sorted(set(opsets)), "from": source}
        whole.update(case)
        lines.append(json.dumps(whole, separators=(",", ":")))
    with open(os.path.join(here, "cases.json"), "w", encoding="utf-8") as file:
        file.write('{"from": "ONNX Runtime %s (ort), ONNX %s (onnx); written by make_cases.py",\n "cases": [\n'
                   % (onnxruntime.__version__, onnx.__version__))
        file.write(",\n".join(lines) + "\n]}\n")
    for text in failed:
        print(text, file=sys.stderr)
    print(len(lines), "cases,", len(failed), "without values")


main()

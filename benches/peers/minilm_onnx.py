"""all-MiniLM-L6-v2 as an ONNX file, written from its safetensors without PyTorch.

Needs: pip install onnx numpy safetensors; fixtures/fetch-models.sh.

    python benches/peers/minilm_onnx.py MODEL_FOLDER OUT.onnx

One operator for each layer norm and GELU, so that ONNX Runtime's own fused kernels serve them.
"""
import json, os, sys
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

folder, out = sys.argv[1], sys.argv[2]
config = json.load(open(os.path.join(folder, "config.json")))
weights = load_file(os.path.join(folder, "model.safetensors"))
heads, width = config["num_attention_heads"], config["hidden_size"]
each, epsilon = width // heads, config["layer_norm_eps"]
nodes, constants, count = [], {}, 0


def op(kind, *inputs, **more):
    global count
    count += 1
    nodes.append(helper.make_node(kind, list(inputs), [f"v{count}"], f"n{count}", **more))
    return f"v{count}"


def constant(name, value):
    constants.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(value), name))
    return name


def integers(*values):
    return constant("i" + "_".join(map(str, values)), np.array(values, np.int64))


def weight(name):
    return constant(name, weights[name])


def linear(x, name):
    matrix = constant(name + ".transposed", weights[name + ".weight"].T)
    return op("Add", op("MatMul", x, matrix), weight(name + ".bias"))


def norm(x, name):
    return op("LayerNormalization", x, weight(name + ".weight"), weight(name + ".bias"), axis=-1, epsilon=epsilon)


def split(x, order):
    return op("Transpose", op("Reshape", x, integers(0, 0, heads, each)), perm=order)


length = op("Slice", op("Shape", "input_ids"), integers(1), integers(2), integers(0))
positions = op("Slice", weight("embeddings.position_embeddings.weight"), integers(0), length, integers(0))
types = constant("types", weights["embeddings.token_type_embeddings.weight"][0])
words = op("Gather", weight("embeddings.word_embeddings.weight"), "input_ids")
x = norm(op("Add", op("Add", words, types), positions), "embeddings.LayerNorm")
mask = op("Unsqueeze", op("Cast", "attention_mask", to=TensorProto.FLOAT), integers(1, 2))
one, far = constant("one", np.float32(1)), constant("far", np.float32(-1e9))
mask = op("Mul", op("Sub", one, mask), far)
scale = constant("scale", np.float32(each ** -0.5))
for i in range(config["num_hidden_layers"]):
    at = f"encoder.layer.{i}."
    q = split(linear(x, at + "attention.self.query"), [0, 2, 1, 3])
    k = split(linear(x, at + "attention.self.key"), [0, 2, 3, 1])
    v = split(linear(x, at + "attention.self.value"), [0, 2, 1, 3])
    share = op("Softmax", op("Add", op("Mul", op("MatMul", q, k), scale), mask), axis=-1)
    joined = op("Transpose", op("MatMul", share, v), perm=[0, 2, 1, 3])
    joined = op("Reshape", joined, integers(0, 0, width))
    x = norm(op("Add", linear(joined, at + "attention.output.dense"), x), at + "attention.output.LayerNorm")
    inner = op("Gelu", linear(x, at + "intermediate.dense"))
    x = norm(op("Add", linear(inner, at + "output.dense"), x), at + "output.LayerNorm")
op("Identity", x)
nodes[-1].output[0] = "h"
inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "l"]) for n in ["input_ids", "attention_mask"]]
output = helper.make_tensor_value_info("h", TensorProto.FLOAT, ["b", "l", width])
graph = helper.make_graph(nodes, "minilm", inputs, [output], list(constants.values()))
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
onnx.checker.check_model(model)
onnx.save(model, out)

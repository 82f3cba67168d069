"""MiniLM texts a second: candor's BertEmbedder beside ONNX Runtime, same weights, same texts, one run.

Needs: fixtures/fetch-models.sh; pip install onnx onnxruntime safetensors tokenizers numpy;
cargo build --release -p candor-examples --features models --example retrieve.

    python benches/peers/minilm_throughput.py [TEXTS] [ROUNDS]

Rounds alternate between the two, so that a busy machine hits both; best and median are printed.
ONNX Runtime gets batches of 32 sorted by length, padded to the longest, on 2 threads.
"""
import json, os, random, statistics, subprocess, sys, tempfile, time
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "../..")
model_dir = os.path.join(root, "fixtures/models/all-MiniLM-L6-v2")
out = os.path.join(here, "out"); os.makedirs(out, exist_ok=True)
n = int(sys.argv[1]) if len(sys.argv) > 1 else 300
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
binary = os.path.join(target, "release/examples/retrieve")

words = " ".join(json.load(open(os.path.join(root, "fixtures/embedders/minilm-texts.json")))).split()
rng = random.Random(1)
texts = []
for i in range(n):
    at, k = rng.randrange(len(words) - 400), rng.choice([8, 15, 30, 60, 100, 150, 180])
    texts.append(" ".join(words[at:at + k]))
path = os.path.join(out, "texts.jsonl")
with open(path, "w") as f:
    for i, t in enumerate(texts):
        f.write(json.dumps({"id": str(i), "text": t}) + "\n")

onnx_path = os.path.join(out, "minilm.onnx")
if not os.path.exists(onnx_path):
    subprocess.run([sys.executable, os.path.join(here, "minilm_onnx.py"), model_dir, onnx_path], check=True)

import onnxruntime as ort
from tokenizers import Tokenizer
tok = Tokenizer.from_file(os.path.join(model_dir, "tokenizer.json"))
tok.no_padding(); tok.enable_truncation(256)
options = ort.SessionOptions(); options.intra_op_num_threads = 2
session = ort.InferenceSession(onnx_path, options, providers=["CPUExecutionProvider"])

def onnx():
    start = time.perf_counter()
    enc = tok.encode_batch(texts)
    order = sorted(range(n), key=lambda i: -len(enc[i].ids))
    vectors = [None] * n
    for b in range(0, n, 32):
        batch = order[b:b + 32]
        width = max(len(enc[i].ids) for i in batch)
        ids = np.zeros((len(batch), width), np.int64); mask = np.zeros_like(ids)
        for r, i in enumerate(batch):
            ids[r, :len(enc[i].ids)] = enc[i].ids; mask[r, :len(enc[i].ids)] = 1
        h = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        m = (h * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        m /= np.linalg.norm(m, axis=1, keepdims=True)
        for r, i in enumerate(batch): vectors[i] = m[r]
    return n / (time.perf_counter() - start)

def candor():
    r = subprocess.run([binary, "embed", path, "--embedder", "bert", "--model", model_dir],
        capture_output=True, text=True, env={**os.environ, "RAYON_NUM_THREADS": "2"})
    if r.returncode: sys.exit(r.stderr)
    return json.loads(r.stdout)["texts_per_second"]

onnx()
a, b = [], []
for _ in range(rounds):
    b.append(onnx()); a.append(candor())
print(json.dumps({"texts": n, "rounds": rounds,
    "candor_best": max(a), "onnxruntime_best": max(b), "ratio_best": max(a) / max(b),
    "candor_median": statistics.median(a), "onnxruntime_median": statistics.median(b),
    "ratio_median": statistics.median(a) / statistics.median(b), "onnxruntime": ort.__version__}))

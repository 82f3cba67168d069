"""Search beside faiss and hnswlib: the same vectors, one thread, one query at a time, one run.

Needs: pip install numpy faiss-cpu hnswlib; cargo bench -p candor-benches --bench search --no-run.

    python benches/peers/search.py BENCH_BINARY [ENTRIES] [DIMENSION] [QUERIES]

Vectors are embedding-like: 64 intrinsic dimensions, 400 topics, noise in all dimensions.
Prints a line of JSON for each index: queries a second (best of 3 rounds) and recall@10.
"""
import json, os, subprocess, sys, tempfile, time
for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"]:
    os.environ[name] = "1"
import faiss, hnswlib, numpy as np

binary = sys.argv[1]
n, d, m = (int(sys.argv[i]) if len(sys.argv) > i else v for i, v in [(2, 100_000), (3, 768), (4, 100)])
faiss.omp_set_num_threads(1)
rng = np.random.default_rng(7)
mix = rng.standard_normal((64, d)).astype("f4")
topics = rng.standard_normal((400, 64)).astype("f4")

def make(rows):
    x = topics[rng.integers(0, 400, rows)] + 0.8 * rng.standard_normal((rows, 64)).astype("f4")
    v = x @ mix + 0.8 * rng.standard_normal((rows, d)).astype("f4")
    return np.ascontiguousarray(v / np.linalg.norm(v, axis=1, keepdims=True), "<f4")

base, queries = make(n), make(m)
truth = np.argsort(-(queries @ base.T), axis=1, kind="stable")[:, :10]

def show(name, qps, found, **more):
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found, truth)])
    print(json.dumps({"name": name, "qps": round(qps, 1), "recall_at_10": round(float(recall), 4), **more}), flush=True)

def timed(search):
    best, found = float("inf"), None
    for _ in range(3):
        start = time.perf_counter()
        found = [search(q) for q in queries]
        best = min(best, time.perf_counter() - start)
    return m / best, found

with tempfile.TemporaryDirectory(dir=os.environ.get("SEARCH_TMP")) as folder:
    base.tofile(folder + "/base.f32"); queries.tofile(folder + "/query.f32")
    env = {**os.environ, "SEARCH_PEERS": folder, "SEARCH_DIMENSION": str(d)}
    out = subprocess.run([binary, "--bench"], env=env, capture_output=True, text=True)
    if out.returncode: sys.exit(out.stderr)
    for line in out.stdout.splitlines():
        r = json.loads(line)
        show(r["name"], r["qps"], r["found"], resident_mb=round(r["resident_mb"]))

flat = faiss.IndexFlatIP(d); flat.add(base)
show("faiss IndexFlatIP", *timed(lambda q: flat.search(q[None], 10)[1][0].tolist()))
sq = faiss.IndexScalarQuantizer(d, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
sq.train(base); sq.add(base)
show("faiss SQ8", *timed(lambda q: sq.search(q[None], 10)[1][0].tolist()))
if not os.environ.get("SEARCH_NO_HNSW"):
    h = hnswlib.Index("ip", d); h.init_index(n, ef_construction=200, M=16, random_seed=1); h.set_num_threads(1)
    start = time.perf_counter(); h.add_items(base, num_threads=1); built = time.perf_counter() - start
    for ef in [16, 32, 64, 128, 256]:
        h.set_ef(ef)
        show(f"hnswlib ef={ef}", *timed(lambda q: h.knn_query(q[None], 10, num_threads=1)[0][0].tolist()), build_s=round(built, 1))

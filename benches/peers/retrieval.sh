#!/usr/bin/env bash
# The speed and memory table of retrieval in one run: search beside faiss and hnswlib, MiniLM beside
# ONNX Runtime, the memory of a million int8 vectors. JSON lines on stdout.
#
# Needs: fixtures/fetch-models.sh; PYTHON with faiss-cpu, hnswlib, onnx, onnxruntime, safetensors,
# tokenizers, numpy; 5 GB of disk under SEARCH_TMP (default: the target folder); and built before:
#
#   cargo bench -p candor-benches --bench search --no-run
#   cargo build --release -p candor-examples --features models --example retrieve
#   PYTHON=venv/bin/python bash benches/peers/retrieval.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}
target=${CARGO_TARGET_DIR:-target}
bench=$(find "$target/release/deps" -name 'search-*' -type f -perm -u+x -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-)
[ -n "$bench" ] || { echo "the benchmark search is not built" >&2; exit 1; }
export SEARCH_TMP=${SEARCH_TMP:-$target}

SEARCH_NO_HNSW=1 "$python" benches/peers/search.py "$bench" 100000 768 100
"$python" benches/peers/minilm_throughput.py 300 3
folder=$(mktemp -d -p "$SEARCH_TMP")
trap 'rm -rf "$folder"' EXIT
RAYON_NUM_THREADS=1 SEARCH_MILLION="$folder" "$bench" --bench
"$python" benches/peers/search.py "$bench" 20000 768 500

#!/usr/bin/env bash
# The speed tables of docs/kappa-speed.md, from one run. Needs cargo, g++, liblemon-dev (Debian)
# and python3; makes a virtual environment with passagemath-graphs and igraph under .work/.
# usage: speed.sh [FAMILY …]   (all families if none is named)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work="$here/.work"
mkdir -p "$work"
g++ -O3 -march=native -o "$work/lemon" "$here/lemon.cpp"
if [ ! -x "$work/venv/bin/python" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install -q passagemath-graphs igraph
fi
export KAPPA_LEMON="$work/lemon" KAPPA_PYTHON="$work/venv/bin/python" KAPPA_WORK="$work"
cd "$here/../../.." && cargo bench -q -p candor-benches --bench kappa_peers -- "$@"

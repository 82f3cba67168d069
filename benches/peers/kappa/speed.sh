#!/usr/bin/env bash
# The speed tables of docs/kappa-speed.md, from one run. Needs cargo, g++, liblemon-dev (Debian)
# and python3; makes a virtual environment with passagemath-graphs and igraph under .work/.
# usage: speed.sh [FAMILY …]   (all families if none is named)
# KAPPA_RUNNER, if set, is a command under which each of the four parts runs, to keep other work
# off the machine meanwhile; KAPPA_BENCH, if set, is the benchmark, built already. What a row
# compares is measured within one part, one after the other.
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
cd "$here/../../.."
bench=${KAPPA_BENCH:-}
[ -n "$bench" ] || bench=$(cargo bench -q -p candor-benches --bench kappa_peers --no-run --message-format=json |
  python3 -c 'import json, sys
for line in sys.stdin:
    built = json.loads(line)
    if built.get("executable") and built["target"]["name"] == "kappa_peers":
        print(built["executable"])')
for part in small large growth bridges; do
  KAPPA_TABLES=$part ${KAPPA_RUNNER:-} "$bench" "$@"
done

#!/usr/bin/env bash
# Makes fixtures/kappa-lemon/table.tsv anew: LEMON's Hao-Orlin (Debian package liblemon-dev) on
# the graphs of crates/kappa-topology/tests/lemon.rs. Needs g++ and cargo.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work="$here/.work"
mkdir -p "$work" "$root/fixtures/kappa-lemon"
table="$root/fixtures/kappa-lemon/table.tsv"
[ -f "$table" ] || : > "$table"
g++ -O2 -o "$work/lemon" "$here/lemon.cpp"
(cd "$root" && KAPPA_GRAPHS="$work" cargo test -q --release -p kappa-topology --test lemon \
  write_graphs -- --ignored)
"$work/lemon" < "$work/plain.txt" | cut -d' ' -f1 > "$work/plain.values"
"$work/lemon" < "$work/weighted.txt" | cut -d' ' -f1 > "$work/weighted.values"
{
  echo "# family	n	d	seed	kappa	weighted kappa in millionths (LEMON 1.3.1, Hao-Orlin)"
  paste "$work/rows.tsv" "$work/plain.values" "$work/weighted.values"
} > "$table.new"
mv "$table.new" "$table"
wc -l "$table"

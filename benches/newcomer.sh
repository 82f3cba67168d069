#!/usr/bin/env bash
# What an empty program pays for grounded-answer: dependencies, and the time of a first build.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
cp "$root/examples/examples/newcomer.rs" "$folder/src/main.rs"
cp "$root/Cargo.lock" "$root/rust-toolchain.toml" "$folder"
cat > "$folder/Cargo.toml" <<END
[package]
name = "newcomer"
version = "0.0.0"
edition = "2024"

[dependencies]
grounded-answer = { path = "$root/crates/grounded-answer" }
END
cd "$folder"
export CARGO_TARGET_DIR=$folder/target
cargo fetch --quiet
all=$(cargo tree --edges normal,build --prefix none --no-dedupe | awk '{print $1, $2}' | sort -u | wc -l)
ours=$(cargo tree --edges normal,build --prefix none --no-dedupe | grep -F "$root" | awk '{print $1}' | sort -u | wc -l)
echo "crates built: $((all - 1)), of which $ours are Candor's"
for profile in dev release; do
  rm -rf "$CARGO_TARGET_DIR"
  begun=$(date +%s.%N)
  cargo build --quiet --offline --profile "$profile"
  ended=$(date +%s.%N)
  echo "first build, $profile: $(echo "$ended $begun" | awk '{printf "%.1f", $1 - $2}') s"
done
ls -l "$CARGO_TARGET_DIR/release/newcomer" | awk '{printf "the release program: %.1f MB\n", $5 / 1e6}'
"$CARGO_TARGET_DIR/release/newcomer"

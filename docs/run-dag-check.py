"""Checks a stage or evidence proof of run-dag: python3 run-dag-check.py PROOF.json [ROOT]

Needs only the package blake3. Prints the root that the proof is about: compare it with the one
you trust, or give that as ROOT. Byte format: run-dag-format.md."""
import json, sys
from blake3 import blake3

def dk(kind, data):
    return blake3(data, derive_key_context=f"candor run-dag 2026 {kind} v1").digest()

def ordered(x):  # RFC 8785 sorts keys by UTF-16 code units
    if isinstance(x, dict):
        return {k: ordered(x[k]) for k in sorted(x, key=lambda k: k.encode("utf-16-be"))}
    return [ordered(v) for v in x] if isinstance(x, list) else x

canonical = lambda x: json.dumps(ordered(x), ensure_ascii=False, separators=(",", ":")).encode()
refuse = lambda what: sys.exit(f"proof does not hold: {what}")
once = lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else refuse("a key occurs twice")

def included(tree, index, size, leaf_data, path, root):  # RFC 9162, 2.1.3.2
    node, last, h = index, size - 1, dk(f"{tree} tree leaf", leaf_data)
    0 <= index < size or refuse("index outside the tree")
    for sibling in map(bytes.fromhex, path):
        last or refuse("path too long")
        if node % 2 or node == last:
            h = dk(f"{tree} tree node", sibling + h)
            while node % 2 == 0 and node:
                node, last = node >> 1, last >> 1
        else:
            h = dk(f"{tree} tree node", h + sibling)
        node, last = node >> 1, last >> 1
    if last or h.hex() != root:
        refuse(f"{tree} path leads to another root")

def check_stage(p):
    p["format"] == "candor run-dag stage proof v1" or refuse("unknown format")
    u64 = lambda n: n.to_bytes(8, "little")
    payload, kind = dk("payload", canonical(p["payload"])), p["kind"].encode()
    stage = dk("stage", u64(len(kind)) + kind + payload + u64(len(p["parents"])) + bytes.fromhex("".join(p["parents"])))
    if [payload.hex(), stage.hex()] != [p["payload_hash"], p["stage_hash"]]:
        refuse("payload, kind and parents give other hashes")
    included("run", p["leaf_index"], p["tree_size"], stage, p["path"], p["run_dag_root"])
    return p["run_dag_root"]

text = open(sys.argv[1], "rb").read()
proof = json.loads(text, object_pairs_hook=once, parse_float=lambda _: refuse("a float"))
if canonical(proof) != text:
    refuse("not canonical JSON")
root = check_stage(proof.get("stage", proof))
if "entry" in proof:
    map_ = proof["stage"]["payload"]
    proof["format"] == "candor run-dag evidence proof v1" or refuse("unknown format")
    proof["stage"]["kind"] in ("evidence_map", "context") or refuse("the stage commits no evidence")
    included("evidence", proof["leaf_index"], map_["entries"], canonical(proof["entry"]), proof["path"], map_["evidence_map_root"])
if len(sys.argv) > 2 and sys.argv[2] != root:
    refuse("it is about another root")
print(root)

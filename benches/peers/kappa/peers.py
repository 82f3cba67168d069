"""Edge connectivity by SageMath's Gabow and by igraph, for comparison.

usage: peers.py sage|igraph FILE

FILE holds a line "n m" and m lines "source target weight" with nodes 0..n. Prints
"value milliseconds"; the time is that of the algorithm on the library's own graph type.
"""

import sys
import time


def main():
    peer, path = sys.argv[1:]
    with open(path) as lines:
        n, _ = map(int, next(lines).split())
        edges = [tuple(map(int, line.split()[:2])) for line in lines]
    if peer == "sage":
        from sage.graphs.digraph import DiGraph
        from sage.graphs.edge_connectivity import GabowEdgeConnectivity

        graph = DiGraph([range(n), edges], format="vertices_and_edges")
        start = time.perf_counter()
        value = GabowEdgeConnectivity(graph).edge_connectivity()
    else:
        import igraph

        graph = igraph.Graph(n=n, edges=edges, directed=True)
        start = time.perf_counter()
        value = graph.edge_connectivity()
    print(value, (time.perf_counter() - start) * 1e3)


main()

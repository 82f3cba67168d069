"""Edge connectivity by SageMath's Gabow and by igraph, for comparison.

usage: peers.py sage|igraph FILE

FILE holds a line "n m" and m lines "source target weight" with nodes 0..n. Prints
"value milliseconds"; the time is that of the algorithm on the library's own graph type, the least
of up to five runs as long as they take less than three seconds together.
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

        def prepare():
            return DiGraph([range(n), edges], format="vertices_and_edges")

        def run(graph):
            return GabowEdgeConnectivity(graph).edge_connectivity()

    else:
        import igraph

        def prepare():
            return igraph.Graph(n=n, edges=edges, directed=True)

        def run(graph):
            return graph.edge_connectivity()

    spent = []
    while len(spent) < 5 and sum(spent) < 3:
        graph = prepare()  # anew, because igraph remembers what it found of a graph
        start = time.perf_counter()
        value = run(graph)
        spent.append(time.perf_counter() - start)
    print(value, min(spent) * 1e3)


main()

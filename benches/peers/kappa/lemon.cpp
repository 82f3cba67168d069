// Edge connectivity by LEMON's Hao-Orlin, for comparison.
//
// Reads graphs from standard input, each as a line "n m" and m lines "source target weight"
// with nodes 0..n, and prints a line "value milliseconds" for each. The time is that of the
// algorithm, not of reading: the least of up to five runs within three seconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <lemon/hao_orlin.h>
#include <lemon/static_graph.h>
#include <utility>
#include <vector>

int main() {
  int n, m;
  while (std::scanf("%d %d", &n, &m) == 2) {
    std::vector<std::pair<int, int>> arcs(m);
    std::vector<long long> weights(m);
    for (int i = 0; i < m; ++i) {
      if (std::scanf("%d %d %lld", &arcs[i].first, &arcs[i].second, &weights[i]) != 3) {
        std::fprintf(stderr, "graph ends early: edge %d of %d expected\n", i + 1, m);
        return 1;
      }
    }
    lemon::StaticDigraph graph;
    graph.build(n, arcs.begin(), arcs.end()); // arcs must come sorted by source
    lemon::StaticDigraph::ArcMap<long long> capacity(graph);
    for (int i = 0; i < m; ++i) {
      capacity[graph.arc(i)] = weights[i];
    }
    long long value = 0;
    double best = 1e300, all = 0;
    for (int run = 0; run < 5 && all < 3000; ++run) {
      const auto start = std::chrono::steady_clock::now();
      lemon::HaoOrlin<lemon::StaticDigraph, lemon::StaticDigraph::ArcMap<long long>> cut(
          graph, capacity);
      cut.init();
      cut.calculateOut();
      cut.calculateIn();
      value = cut.minCutValue();
      const std::chrono::duration<double, std::milli> spent =
          std::chrono::steady_clock::now() - start;
      best = std::min(best, spent.count());
      all += spent.count();
    }
    std::printf("%lld %.4f\n", value, best);
    std::fflush(stdout);
  }
}

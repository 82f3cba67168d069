//! Measures of a ranking against judgements: nDCG@k and recall@k.

use std::collections::BTreeMap;

/// Grades of the judged documents of one question; what is missing has grade 0.
pub type Judgements = BTreeMap<String, f64>;

/// Normalized discounted cumulative gain at `k`, linear gains, discount log2(rank + 1) (Järvelin
/// and Kekäläinen 2002, as `trec_eval` computes it). Zero where nothing is relevant.
#[must_use]
pub fn ndcg_at(k: usize, ranking: &[&str], judged: &Judgements) -> f64 {
    let gain = |at: usize, grade: f64| grade / libm::log2(at as f64 + 2.0);
    let found = ranking.iter().take(k).enumerate();
    let dcg: f64 = found
        .map(|(i, id)| gain(i, judged.get(*id).copied().unwrap_or(0.0)))
        .sum();
    let mut best: Vec<f64> = judged.values().copied().filter(|&g| g > 0.0).collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal: f64 = best
        .iter()
        .take(k)
        .enumerate()
        .map(|(i, &g)| gain(i, g))
        .sum();
    if ideal > 0.0 { dcg / ideal } else { 0.0 }
}

/// The share of the relevant documents (grade above 0) among the first `k`. Zero where nothing
/// is relevant.
#[must_use]
pub fn recall_at(k: usize, ranking: &[&str], judged: &Judgements) -> f64 {
    let relevant = judged.values().filter(|&&g| g > 0.0).count();
    let top = ranking.iter().take(k);
    let found = top
        .filter(|id| judged.get(**id).is_some_and(|&g| g > 0.0))
        .count();
    if relevant == 0 {
        0.0
    } else {
        found as f64 / relevant as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_agree_with_a_sum_by_hand() {
        let judged = Judgements::from([("a".into(), 1.0), ("b".into(), 1.0), ("z".into(), 0.0)]);
        // a at rank 1, b at rank 3: (1 + 1/2) / (1 + 1/log2(3)).
        let ndcg = ndcg_at(10, &["a", "z", "b"], &judged);
        assert!((ndcg - 1.5 / (1.0 + 1.0 / 3f64.log2())).abs() < 1e-12);
        assert_eq!(ndcg_at(1, &["z"], &judged), 0.0);
        assert_eq!(recall_at(2, &["a", "z", "b"], &judged), 0.5);
        assert_eq!(recall_at(3, &["a", "z", "b"], &judged), 1.0);
        assert_eq!(recall_at(3, &["a"], &Judgements::new()), 0.0);
    }
}

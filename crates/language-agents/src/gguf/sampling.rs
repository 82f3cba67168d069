//! From logits to the next token.

/// How the next token is chosen. The same prompt gives the same text in either case, on the same
/// machine.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Sampling {
    /// The most likely one; of equals the first.
    #[default]
    Greedy,
    /// Drawn from the `top_k` most likely ones, from a generator that starts anew from `seed` for
    /// each prompt.
    Seeded {
        /// Flattens (above 1) or sharpens (below 1) the distribution; clamped to 0.01 to 10.
        temperature: f32,
        /// How many of the most likely tokens take part, at least 1.
        top_k: u32,
        /// Where the generator starts.
        seed: u64,
    },
}

/// A sampler for one text.
#[derive(Debug)]
pub(super) struct Sampler {
    sampling: Sampling,
    penalty: f32,
    state: u64,
}

impl Sampler {
    pub(super) fn new(sampling: Sampling, penalty: f32) -> Self {
        let state = match sampling {
            Sampling::Greedy => 0,
            Sampling::Seeded { seed, .. } => seed,
        };
        let penalty = if penalty.is_finite() {
            penalty.clamp(0.1, 10.0)
        } else {
            1.0
        };
        Self {
            sampling,
            penalty,
            state,
        }
    }

    /// The next token among those that are allowed, after those that were written; none where
    /// there is none, or a logit is not a finite number, which sound weights never give.
    pub(super) fn next(
        &mut self,
        logits: &[f32],
        written: &[u32],
        allowed: &mut dyn FnMut(u32) -> bool,
    ) -> Option<u32> {
        if logits.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let mut order: Vec<(f32, u32)> = logits.iter().copied().zip(0..).collect();
        if self.penalty != 1.0 {
            let mut seen = written.to_vec();
            seen.sort_unstable();
            seen.dedup();
            for token in seen {
                if let Some((x, _)) = order.get_mut(token as usize) {
                    *x = if *x > 0.0 {
                        *x / self.penalty
                    } else {
                        *x * self.penalty
                    };
                }
            }
        }
        match self.sampling {
            Sampling::Greedy => best(&mut order, allowed),
            Sampling::Seeded {
                temperature, top_k, ..
            } => {
                order.retain(|(_, token)| allowed(*token));
                self.draw(order, temperature, top_k)
            }
        }
    }

    fn draw(&mut self, mut order: Vec<(f32, u32)>, temperature: f32, top_k: u32) -> Option<u32> {
        let temperature = if temperature.is_nan() {
            1.0
        } else {
            temperature
        };
        let temperature = f64::from(temperature.clamp(0.01, 10.0));
        let kept = (top_k.max(1) as usize).min(order.len());
        if kept < order.len() {
            order.select_nth_unstable_by(kept, by_rank);
            order.truncate(kept);
        }
        order.sort_unstable_by(by_rank);
        let highest = f64::from(order.first()?.0);
        let weight = |x: f32| libm::exp((f64::from(x) - highest) / temperature);
        let total: f64 = order.iter().map(|(x, _)| weight(*x)).sum();
        let mut left = self.uniform() * total;
        for (x, token) in &order {
            left -= weight(*x);
            if left < 0.0 {
                return Some(*token);
            }
        }
        order.last().map(|(_, token)| *token)
    }

    /// In 0..1, by SplitMix64 (Steele, Lea, Flood 2014).
    fn uniform(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The likelier first; of equals the lower number.
fn by_rank(a: &(f32, u32), b: &(f32, u32)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

/// Asks for the likeliest tokens only, as most often the first of them is allowed.
fn best(order: &mut [(f32, u32)], allowed: &mut dyn FnMut(u32) -> bool) -> Option<u32> {
    const FEW: usize = 32;
    if order.len() > FEW {
        order.select_nth_unstable_by(FEW, by_rank);
    }
    let (likely, rest) = order.split_at_mut(FEW.min(order.len()));
    for part in [likely, rest] {
        part.sort_unstable_by(by_rank);
        if let Some((_, token)) = part.iter().find(|(_, token)| allowed(*token)) {
            return Some(*token);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_takes_the_first_of_the_highest() {
        let mut sampler = Sampler::new(Sampling::Greedy, 1.0);
        let logits = [1.0, 3.0, 3.0, -1.0];
        assert_eq!(sampler.next(&logits, &[], &mut |_| true), Some(1));
        assert_eq!(sampler.next(&logits, &[], &mut |t| t != 1), Some(2));
        assert_eq!(sampler.next(&logits, &[], &mut |_| false), None);
        assert_eq!(sampler.next(&[1.0, f32::NAN], &[], &mut |_| true), None);
        assert_eq!(sampler.next(&[], &[], &mut |_| true), None);
        let many: Vec<f32> = (0..1000).map(|i| (i % 500) as f32).collect();
        assert_eq!(sampler.next(&many, &[], &mut |_| true), Some(499));
        assert_eq!(sampler.next(&many, &[], &mut |t| t < 3), Some(2));
    }

    #[test]
    fn what_was_written_gives_way() {
        let mut sampler = Sampler::new(Sampling::Greedy, 1.2);
        assert_eq!(
            sampler.next(&[3.0, 2.9, -5.0], &[0, 0], &mut |_| true),
            Some(1)
        );
        assert_eq!(sampler.next(&[-1.0, -1.1], &[0], &mut |_| true), Some(1));
    }

    #[test]
    fn a_seed_gives_one_sequence_and_its_shares() {
        let run = |seed| {
            let mut sampler = Sampler::new(
                Sampling::Seeded {
                    temperature: 1.0,
                    top_k: 2,
                    seed,
                },
                1.0,
            );
            (0..4000)
                .filter_map(|_| sampler.next(&[1.0, 0.0, 5.0_f32.ln(), -9.0], &[], &mut |_| true))
                .collect::<Vec<_>>()
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
        // e against 5: of the two that take part, 0 has 0.352.
        let drawn = run(7);
        let share = drawn.iter().filter(|t| **t == 0).count() as f64 / drawn.len() as f64;
        assert!((share - 0.352).abs() < 0.03, "{share}");
        assert!(drawn.iter().all(|t| *t == 0 || *t == 2));
    }
}

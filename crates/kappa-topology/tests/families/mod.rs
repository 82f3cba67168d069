//! Generators of the graph families that tests, benchmarks and peers share. Every graph is a
//! function of its name, size and seed, on every machine.
#![allow(dead_code)]

/// splitmix64 (Steele, Lea, Flood, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u32
    }

    fn permutation(&mut self, n: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i as usize, self.below(i + 1) as usize);
        }
        order
    }
}

pub(crate) type Edges = Vec<(u32, u32)>;

/// A graph family: from a size, a degree (or κ) and a seed to edges on `0..n`.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) make: fn(u32, u32, u64) -> Edges,
}

pub(crate) const FAMILIES: &[Family] = &[
    Family {
        name: "cycle",
        make: |n, _, _| cycle(n),
    },
    Family {
        name: "random",
        make: random,
    },
    Family {
        name: "local",
        make: local,
    },
    Family {
        name: "two-way ring",
        make: |n, _, _| two_way(cycle(n)),
    },
    Family {
        name: "two-way grid",
        make: |n, _, _| two_way(grid(n)),
    },
    Family {
        name: "two-way torus",
        make: |n, _, _| two_way(torus(n)),
    },
    Family {
        name: "two-way circulant",
        make: |n, d, _| two_way(circulant(n, d / 2)),
    },
    Family {
        name: "attachment",
        make: attachment,
    },
    Family {
        name: "regular",
        make: regular,
    },
    Family {
        name: "planted",
        make: |n, d, s| planted(n, d, 3.min(d - 1), s),
    },
    Family {
        name: "blobs",
        make: |n, d, s| blobs(n, d, 10, 2, s),
    },
    Family {
        name: "bridged halves",
        make: |n, d, s| planted(n, d, 1, s),
    },
    Family {
        name: "two-way tree",
        make: |n, _, _| two_way(tree(n)),
    },
];

pub(crate) fn family(name: &str) -> &'static Family {
    FAMILIES
        .iter()
        .find(|f| f.name == name)
        .expect("a family's name")
}

fn cycle(n: u32) -> Edges {
    (0..n).map(|v| (v, (v + 1) % n)).collect()
}

fn two_way(edges: Edges) -> Edges {
    edges
        .into_iter()
        .flat_map(|(s, t)| [(s, t), (t, s)])
        .collect()
}

/// A Hamiltonian cycle and d − 1 random out-edges a node.
fn random(n: u32, d: u32, seed: u64) -> Edges {
    let mut random = Random(seed);
    let mut edges = cycle(n);
    for v in 0..n {
        edges.extend((1..d).map(|_| (v, random.below(n))));
    }
    edges
}

/// As `random`, with edges to at most 50 positions away on the cycle.
fn local(n: u32, d: u32, seed: u64) -> Edges {
    let mut random = Random(seed);
    let reach = 50.min(n / 2).max(1);
    let mut edges = cycle(n);
    for v in 0..n {
        for _ in 1..d {
            let step = 1 + random.below(reach);
            let forward = random.below(2) == 0;
            edges.push((
                v,
                if forward {
                    (v + step) % n
                } else {
                    (v + n - step) % n
                },
            ));
        }
    }
    edges
}

fn grid(n: u32) -> Edges {
    let side = n.isqrt().max(1);
    let mut edges = Edges::new();
    for y in 0..side {
        for x in 0..side {
            let v = y * side + x;
            if x + 1 < side {
                edges.push((v, v + 1));
            }
            if y + 1 < side {
                edges.push((v, v + side));
            }
        }
    }
    edges
}

fn torus(n: u32) -> Edges {
    let side = n.isqrt().max(2);
    let at = |x: u32, y: u32| (y % side) * side + x % side;
    (0..side * side)
        .flat_map(|v| {
            let (x, y) = (v % side, v / side);
            [(v, at(x + 1, y)), (v, at(x, y + 1))]
        })
        .collect()
}

fn circulant(n: u32, reach: u32) -> Edges {
    (0..n)
        .flat_map(|v| (1..=reach.max(1)).map(move |step| (v, (v + step) % n)))
        .collect()
}

fn tree(n: u32) -> Edges {
    (1..n).map(|v| ((v - 1) / 2, v)).collect()
}

/// Each new node draws d out-edges and d in-edges by degree among the older ones.
fn attachment(n: u32, d: u32, seed: u64) -> Edges {
    let mut random = Random(seed);
    let start = (d + 1).min(n);
    let mut edges = Edges::new();
    let mut ends = Vec::new();
    for v in 0..start {
        for w in 0..start {
            if v != w {
                edges.push((v, w));
                ends.push(v);
            }
        }
    }
    for v in start..n {
        let mut draw = || {
            let mut chosen = Vec::new();
            while chosen.len() < d as usize {
                let w = ends[random.below(ends.len() as u32) as usize];
                if !chosen.contains(&w) {
                    chosen.push(w);
                }
            }
            chosen
        };
        let (out, inn) = (draw(), draw());
        edges.extend(out.iter().map(|&w| (v, w)));
        edges.extend(inn.iter().map(|&w| (w, v)));
        ends.extend(out);
        ends.extend(inn);
        ends.extend((0..2 * d).map(|_| v));
    }
    edges
}

/// A union of d random cyclic orders: in- and out-degree d, short of rare parallel edges.
fn regular(n: u32, d: u32, seed: u64) -> Edges {
    regular_between(0, n, d, &mut Random(seed))
}

fn regular_between(first: u32, n: u32, d: u32, random: &mut Random) -> Edges {
    let mut edges = Edges::new();
    for _ in 0..d {
        let order = random.permutation(n);
        edges.extend(
            (0..n as usize).map(|i| (first + order[i], first + order[(i + 1) % n as usize])),
        );
    }
    edges
}

/// Two regular halves, joined by `kappa` edges one way and d + 4 the other.
fn planted(n: u32, d: u32, kappa: u32, seed: u64) -> Edges {
    let mut random = Random(seed);
    let half = n / 2;
    let mut edges = regular_between(0, half, d, &mut random);
    edges.extend(regular_between(half, n - half, d, &mut random));
    for i in 0..kappa {
        edges.push((i * (half / kappa.max(1)), half + random.below(n - half)));
    }
    for _ in 0..d + 4 {
        edges.push((half + random.below(n - half), random.below(half)));
    }
    edges
}

/// A ring of regular blobs with `joins` edges from each to the next and twice that back.
fn blobs(n: u32, d: u32, count: u32, joins: u32, seed: u64) -> Edges {
    let mut random = Random(seed);
    let size = (n / count).max(2);
    let mut edges = Edges::new();
    for b in 0..count {
        edges.extend(regular_between(b * size, size, d, &mut random));
    }
    for b in 0..count - 1 {
        for i in 0..3 * joins {
            let here = b * size + random.below(size);
            let next = (b + 1) * size + random.below(size);
            edges.push(if i < joins {
                (here, next)
            } else {
                (next, here)
            });
        }
    }
    edges
}

/// Relabels the nodes at random, so that no order of the numbers helps.
pub(crate) fn shuffled(edges: Edges, n: u32, seed: u64) -> Edges {
    let names = Random(seed).permutation(n);
    edges
        .into_iter()
        .map(|(s, t)| (names[s as usize], names[t as usize]))
        .collect()
}

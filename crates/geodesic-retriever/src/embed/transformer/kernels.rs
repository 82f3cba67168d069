//! Kernels for the f32 path on a CPU: what surrounds the matrix products.
//!
//! Sequences lie end to end, without padding. The loops are written so that the compiler turns
//! them into vector code; `pulp` picks the widest instructions that the machine has at run time.

use pulp::Arch;
use rayon::prelude::*;

/// Query rows that the attention kernel handles together.
const ROWS: usize = 4;
/// Key columns (and value columns) in one register block.
const COLUMNS: usize = 16;

/// `e^x` for x ≤ 88, relative error below 2e-7: range reduction by ln 2, then a polynomial of
/// degree 6 (Cephes).
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    // Adding and taking away 1.5·2^23 rounds to a whole number.
    let n = (x * std::f32::consts::LOG2_E + 12_582_912.0) - 12_582_912.0;
    let r = x - n * 0.693_359_4 - n * -2.121_944_4e-4;
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_2e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p = p * r + 0.5;
    let y = p * r * r + r + 1.0;
    y * f32::from_bits((((n as i32) + 127) as u32) << 23)
}

/// The error function, absolute error below 2e-7 (Abramowitz and Stegun 7.1.26).
#[inline(always)]
fn erf(x: f32) -> f32 {
    let a = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * a);
    let mut p = 1.061_405_4;
    p = p * t - 1.453_152;
    p = p * t + 1.421_413_7;
    p = p * t - 0.284_496_74;
    p = p * t + 0.254_829_6;
    let y = 1.0 - p * t * exp(-a * a);
    y.copysign(x)
}

/// Adds a bias to each row, then the exact GELU: x·Φ(x).
pub(crate) fn bias_gelu(rows: &mut [f32], bias: Option<&[f32]>, width: usize) {
    Arch::new().dispatch(|| {
        for row in rows.chunks_exact_mut(width) {
            if let Some(bias) = bias {
                for (x, b) in row.iter_mut().zip(bias) {
                    *x += b;
                }
            }
            for x in row {
                *x = 0.5 * *x * (1.0 + erf(*x * std::f32::consts::FRAC_1_SQRT_2));
            }
        }
    });
}

/// Of rows `[up | gate]`: up · SiLU(gate), SiLU(x) = x/(1 + e^−x).
pub(crate) fn swiglu(rows: &[f32], width: usize) -> Vec<f32> {
    let mut out = vec![0.0; rows.len() / 2];
    Arch::new().dispatch(|| {
        for (row, out) in rows
            .chunks_exact(2 * width)
            .zip(out.chunks_exact_mut(width))
        {
            let (up, gate) = row.split_at(width);
            for ((y, &u), &g) in out.iter_mut().zip(up).zip(gate) {
                *y = u * g / (1.0 + exp(-g));
            }
        }
    });
    out
}

/// Scale and shift of a layer normalization.
#[derive(Debug, Clone)]
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    pub(crate) epsilon: f32,
}

/// Layer normalization of `rows + bias + residual`, in place.
pub(crate) fn add_norm(
    rows: &mut [f32],
    bias: Option<&[f32]>,
    residual: Option<&[f32]>,
    norm: &Norm,
) {
    let width = norm.weight.len();
    Arch::new().dispatch(|| {
        for (i, row) in rows.chunks_exact_mut(width).enumerate() {
            if let Some(bias) = bias {
                for (x, b) in row.iter_mut().zip(bias) {
                    *x += b;
                }
            }
            if let Some(r) = residual.and_then(|r| r.get(i * width..(i + 1) * width)) {
                for (x, r) in row.iter_mut().zip(r) {
                    *x += r;
                }
            }
            normalize_row(row, norm);
        }
    });
}

#[inline(always)]
fn normalize_row(row: &mut [f32], norm: &Norm) {
    let width = row.len() as f32;
    let mean = sum(row, |x| x) / width;
    let variance = sum(row, |x| (x - mean) * (x - mean)) / width;
    let scale = 1.0 / (variance + norm.epsilon).sqrt();
    for ((x, w), b) in row.iter_mut().zip(&norm.weight).zip(&norm.bias) {
        *x = (*x - mean) * scale * w + b;
    }
}

/// A sum over 16 accumulators, in a fixed order.
#[inline(always)]
fn sum(values: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0f32; 16];
    let (blocks, rest) = values.as_chunks::<16>();
    for block in blocks {
        for (lane, &x) in lanes.iter_mut().zip(block) {
            *lane += f(x);
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|&x| f(x)).sum::<f32>()
}

/// Rotary position embedding: cosine and sine of each position and half-dimension.
#[derive(Debug, Clone)]
pub(crate) struct Rotary {
    half: usize,
    cos: Vec<f32>,
    sin: Vec<f32>,
}

impl Rotary {
    pub(crate) fn new(base: f32, head: usize, positions: usize) -> Self {
        let half = head / 2;
        let frequencies: Vec<f32> = (0..half)
            .map(|i| 1.0 / base.powf((2 * i) as f32 / head as f32))
            .collect();
        let angle = |p: usize| frequencies.iter().map(move |f| p as f32 * f);
        Self {
            half,
            cos: (0..positions).flat_map(angle).map(f32::cos).collect(),
            sin: (0..positions).flat_map(angle).map(f32::sin).collect(),
        }
    }

    pub(crate) fn row(&self, position: usize) -> (&[f32], &[f32]) {
        let range = position * self.half..(position + 1) * self.half;
        (
            self.cos.get(range.clone()).unwrap_or_default(),
            self.sin.get(range).unwrap_or_default(),
        )
    }

    /// Rotates a head's vector: halves (a, b) become (a·cos − b·sin, b·cos + a·sin).
    #[inline(always)]
    fn rotate(&self, vector: &mut [f32], position: usize) {
        let (cos, sin) = self.row(position);
        let Some((a, b)) = vector.split_at_mut_checked(self.half) else {
            return;
        };
        for (((a, b), c), s) in a.iter_mut().zip(b).zip(cos).zip(sin) {
            (*a, *b) = (*a * c - *b * s, *b * c + *a * s);
        }
    }
}

/// Shape of the attention.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heads {
    pub(crate) count: usize,
    pub(crate) size: usize,
}

/// Self-attention of each sequence over itself. `qkv` holds rows `[q | k | v]`, sequence after
/// sequence; the result holds rows of `count · size`.
pub(crate) fn attention(
    qkv: &[f32],
    bias: Option<&[f32]>,
    lengths: &[usize],
    heads: Heads,
    rotary: Option<&Rotary>,
) -> Vec<f32> {
    let width = heads.count * heads.size;
    let mut out = vec![0.0; qkv.len() / 3];
    let mut tasks = Vec::with_capacity(lengths.len());
    let (mut rest_in, mut rest_out) = (qkv, out.as_mut_slice());
    for &length in lengths {
        let Some((input, after)) = rest_in.split_at_checked(length * 3 * width) else {
            break;
        };
        let Some((output, after_out)) = rest_out.split_at_mut_checked(length * width) else {
            break;
        };
        (rest_in, rest_out) = (after, after_out);
        tasks.push((input, output, length));
    }
    tasks.into_par_iter().for_each(|(input, output, length)| {
        let mut scratch = Scratch::default();
        for head in 0..heads.count {
            Arch::new().dispatch(|| {
                scratch.gather(input, bias, length, head, heads, rotary);
                scratch.attend(output, length, head, heads);
            });
        }
    });
    out
}

/// One head of one sequence, laid out for the kernel.
#[derive(Default)]
struct Scratch {
    /// Queries, `[length, size]`, scaled by 1/√size.
    q: Vec<f32>,
    /// Keys, `[size, padded length]`.
    k: Vec<f32>,
    /// Values, `[length, padded size]`.
    v: Vec<f32>,
    scores: Vec<f32>,
    row: Vec<f32>,
}

impl Scratch {
    #[inline(always)]
    fn gather(
        &mut self,
        input: &[f32],
        bias: Option<&[f32]>,
        length: usize,
        head: usize,
        heads: Heads,
        rotary: Option<&Rotary>,
    ) {
        let (size, width) = (heads.size, heads.count * heads.size);
        let columns = length.next_multiple_of(COLUMNS);
        let padded = size.next_multiple_of(COLUMNS);
        let scale = 1.0 / (size as f32).sqrt();
        reset(&mut self.q, length * size);
        reset(&mut self.k, size * columns);
        reset(&mut self.v, length * padded);
        reset(&mut self.scores, ROWS * columns);
        for (i, row) in input.chunks_exact(3 * width).enumerate() {
            for part in 0..3 {
                let from = part * width + head * size;
                self.row.clear();
                self.row.extend_from_slice(&row[from..from + size]);
                if let Some(b) = bias {
                    for (x, b) in self.row.iter_mut().zip(&b[from..from + size]) {
                        *x += b;
                    }
                }
                if part < 2
                    && let Some(rotary) = rotary
                {
                    rotary.rotate(&mut self.row, i);
                }
                match part {
                    0 => {
                        for (q, x) in self.q[i * size..].iter_mut().zip(&self.row) {
                            *q = x * scale;
                        }
                    }
                    1 => {
                        for (k, &x) in self.k[i..].iter_mut().step_by(columns).zip(&self.row) {
                            *k = x;
                        }
                    }
                    _ => self.v[i * padded..i * padded + size].copy_from_slice(&self.row),
                }
            }
        }
    }

    // The index arithmetic over fixed-size rows is the kernel; iterators would hide it.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    fn attend(&mut self, output: &mut [f32], length: usize, head: usize, heads: Heads) {
        let (size, width) = (heads.size, heads.count * heads.size);
        let columns = length.next_multiple_of(COLUMNS);
        let padded = size.next_multiple_of(COLUMNS);
        let mut start = 0;
        while start < length {
            let rows = ROWS.min(length - start);
            // Past the last row the kernel repeats it: the result is not used.
            let at = |r: usize| (start + r.min(rows - 1)) * size;
            let q: [&[f32]; ROWS] = std::array::from_fn(|r| &self.q[at(r)..at(r) + size]);
            for block in (0..columns).step_by(COLUMNS) {
                let mut sums = [[0f32; COLUMNS]; ROWS];
                for d in 0..size {
                    let k = &self.k[d * columns + block..][..COLUMNS];
                    for r in 0..ROWS {
                        let x = q[r][d];
                        for c in 0..COLUMNS {
                            sums[r][c] += x * k[c];
                        }
                    }
                }
                for (r, sums) in sums.iter().enumerate() {
                    self.scores[r * columns + block..][..COLUMNS].copy_from_slice(sums);
                }
            }
            for row in self.scores.chunks_exact_mut(columns).take(rows) {
                softmax(&mut row[..length]);
            }
            for block in (0..padded).step_by(COLUMNS) {
                let mut sums = [[0f32; COLUMNS]; ROWS];
                for j in 0..length {
                    let v = &self.v[j * padded + block..][..COLUMNS];
                    for r in 0..ROWS {
                        let p = self.scores[r * columns + j];
                        for c in 0..COLUMNS {
                            sums[r][c] += p * v[c];
                        }
                    }
                }
                let used = COLUMNS.min(size - block.min(size));
                for (r, sums) in sums.iter().enumerate().take(rows) {
                    let to = (start + r) * width + head * size + block;
                    output[to..to + used].copy_from_slice(&sums[..used]);
                }
            }
            start += rows;
        }
    }
}

#[inline(always)]
fn softmax(row: &mut [f32]) {
    let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for x in row.iter_mut() {
        *x = exp(*x - max);
    }
    let scale = 1.0 / sum(row, |x| x);
    for x in row {
        *x *= scale;
    }
}

fn reset(buffer: &mut Vec<f32>, len: usize) {
    buffer.clear();
    buffer.resize(len, 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_and_erf_are_close_to_libm() {
        for i in -8000..=8000 {
            let x = i as f32 / 100.0;
            let (e, want) = (exp(x), libm::exp(f64::from(x)));
            assert!(
                (f64::from(e) / want - 1.0).abs() < 3e-7 || want < 1e-37,
                "{x}: {e} {want}"
            );
            assert!(
                (f64::from(erf(x)) - libm::erf(f64::from(x))).abs() < 4e-7,
                "{x}"
            );
        }
    }

    #[test]
    fn attention_equals_the_plain_formula() {
        let heads = Heads { count: 2, size: 6 };
        let (lengths, width) = ([1, 5, 19], 12);
        let total: usize = lengths.iter().sum();
        let qkv: Vec<f32> = (0..total * 3 * width)
            .map(|i| ((i * 7919) % 101) as f32 / 50.0 - 1.0)
            .collect();
        let bias: Vec<f32> = (0..3 * width).map(|i| i as f32 / 100.0).collect();
        let out = attention(&qkv, Some(&bias), &lengths, heads, None);
        let at = |row: usize, col: usize| f64::from(qkv[row * 3 * width + col] + bias[col]);
        let mut first = 0;
        for length in lengths {
            for i in first..first + length {
                for c in 0..width {
                    let h = c / 6;
                    let score = |j: usize| {
                        let dot: f64 = (0..6)
                            .map(|d| at(i, h * 6 + d) * at(j, width + h * 6 + d))
                            .sum();
                        (dot / 6f64.sqrt()).exp()
                    };
                    let all: f64 = (first..first + length).map(score).sum();
                    let want: f64 = (first..first + length)
                        .map(|j| score(j) / all * at(j, 2 * width + c))
                        .sum();
                    assert!((f64::from(out[i * width + c]) - want).abs() < 1e-5);
                }
            }
            first += length;
        }
    }
}

//! Where everything goes: nodes on cells wide enough for their names, so that no name hides
//! another, components as blocks, blocks in layers from left to right.
//!
//! Only additions, products and square roots are used, so positions are the same everywhere.

use std::collections::BTreeSet;

use super::Scene;

/// The height of a node.
pub(super) const NODE_HEIGHT: f64 = 26.0;
/// The width of one column of text (a monospaced digit at 12 px).
pub(super) const COLUMN: f64 = 7.3;
/// The height of the strip above a halo's nodes that holds its badge.
pub(super) const BADGE_STRIP: f64 = 34.0;

const GAP_X: f64 = 48.0;
const GAP_Y: f64 = 44.0;
const PAD: f64 = 20.0;
const MARGIN: f64 = 24.0;
/// Components up to this size are laid out as a loop, larger ones as a grid.
const LOOP_SIZE: usize = 16;

/// A node's centre and width.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spot {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
}

/// An upright rectangle.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The whole picture's geometry.
pub(super) struct Layout {
    pub(super) spots: Vec<Spot>,
    pub(super) halos: Vec<Area>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A component or a single node, with positions relative to its corner.
struct Block {
    halo: Option<usize>,
    spots: Vec<(u32, f64, f64)>,
    width: f64,
    height: f64,
}

pub(super) fn layout(scene: &Scene, labels: &[String]) -> Layout {
    let width = |v: u32| columns(&labels[v as usize]) as f64 * COLUMN + 20.0;
    let mut blocks = Vec::new();
    let mut block_of = vec![0usize; scene.names.len()];
    for v in 0..scene.names.len() as u32 {
        let number = scene.halo_of[v as usize].map(|h| h as usize);
        match number {
            Some(h) if scene.halos[h].2.first() != Some(&v) => continue,
            Some(h) => blocks.push(component_block(scene, h, width)),
            None => blocks.push(Block {
                halo: None,
                spots: vec![(v, width(v) / 2.0, NODE_HEIGHT / 2.0)],
                width: width(v),
                height: NODE_HEIGHT,
            }),
        }
        if let Some(block) = blocks.last() {
            for &(member, _, _) in &block.spots {
                block_of[member as usize] = blocks.len() - 1;
            }
        }
    }
    place(
        scene,
        &blocks,
        &layers(scene, &block_of, blocks.len()),
        width,
    )
}

/// How many columns of a monospaced font the text takes: East Asian wide forms and emoji two.
pub(super) fn columns(text: &str) -> usize {
    let wide = |c: char| matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0x1f300..=0x1faff | 0x20000..=0x3fffd);
    text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}

/// Members in depth-first order on the rim of a rectangle, or on a grid if there are many.
fn component_block(scene: &Scene, halo: usize, width: impl Fn(u32) -> f64) -> Block {
    let members = depth_first(scene, halo);
    let cell_x = members.iter().map(|&v| width(v)).fold(0.0, f64::max) + GAP_X;
    let cell_y = NODE_HEIGHT + GAP_Y;
    let (cells, across, down) = if members.len() <= LOOP_SIZE {
        rim(members.len())
    } else {
        grid(members.len(), cell_x, cell_y)
    };
    let spots = members.iter().zip(cells).map(|(&v, (column, row))| {
        let x = PAD + (column + 0.5) * cell_x;
        (v, x, BADGE_STRIP + PAD / 2.0 + (row + 0.5) * cell_y)
    });
    let badge = badge_width(&scene.halos[halo].0, &scene.halos[halo].1) + 2.0 * PAD;
    Block {
        halo: Some(halo),
        spots: spots.collect(),
        width: (2.0 * PAD + across * cell_x).max(badge),
        height: BADGE_STRIP + PAD + down * cell_y,
    }
}

/// The width of a component's badge.
pub(super) fn badge_width(id: &str, kappa: &str) -> f64 {
    (columns(id) + columns(kappa) + 6) as f64 * COLUMN + 20.0
}

type Cells = Vec<(f64, f64)>;

/// Clockwise cells on the rim of a rectangle of two or three rows.
fn rim(count: usize) -> (Cells, f64, f64) {
    let rows = if count >= 8 { 3 } else { 2 };
    let across = (count - (rows - 2) * 2).div_ceil(2);
    let below = count - across - (rows - 2) * 2;
    let mut cells = Cells::new();
    cells.extend((0..across).map(|column| (column as f64, 0.0)));
    cells.extend((1..rows - 1).map(|row| ((across - 1) as f64, row as f64)));
    let shift = (across - below) as f64 / 2.0;
    cells.extend(
        (0..below)
            .rev()
            .map(|column| (column as f64 + shift, (rows - 1) as f64)),
    );
    cells.extend((1..rows - 1).rev().map(|row| (0.0, row as f64)));
    (cells, across as f64, rows as f64)
}

/// Cells of a grid about one and a half times as wide as high, in boustrophedon order, so that
/// nodes that follow each other are neighbours.
fn grid(count: usize, cell_x: f64, cell_y: f64) -> (Cells, f64, f64) {
    let across = ((count as f64 * cell_y / cell_x * 1.5).sqrt().round() as usize).max(2);
    let cell = |i: usize| {
        let (row, column) = (i / across, i % across);
        let column = if row % 2 == 0 {
            column
        } else {
            across - 1 - column
        };
        (column as f64, row as f64)
    };
    (
        (0..count).map(cell).collect(),
        across as f64,
        count.div_ceil(across) as f64,
    )
}

/// The members of a component in depth-first order from the smallest, edges ascending.
fn depth_first(scene: &Scene, halo: usize) -> Vec<u32> {
    let mut order = Vec::new();
    let mut met = BTreeSet::new();
    let mut stack: Vec<u32> = scene.halos[halo].2.iter().rev().copied().collect();
    while let Some(v) = stack.pop() {
        if !met.insert(v) {
            continue;
        }
        order.push(v);
        let from = scene.edges.partition_point(|e| e.0 < v);
        let next = scene.edges[from..]
            .iter()
            .take_while(|e| e.0 == v)
            .map(|e| e.1);
        let inside = next.filter(|&w| scene.halo_of[w as usize] == Some(halo as u32));
        let fresh: Vec<u32> = inside.filter(|w| !met.contains(w)).collect();
        stack.extend(fresh.into_iter().rev());
    }
    order
}

/// The layer of each block: the length of the longest chain of blocks before it.
fn layers(scene: &Scene, block_of: &[usize], blocks: usize) -> Vec<usize> {
    let mut after: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); blocks];
    let mut before = vec![0usize; blocks];
    for &(s, t) in &scene.edges {
        let (a, b) = (block_of[s as usize], block_of[t as usize]);
        if a != b && after[a].insert(b) {
            before[b] += 1;
        }
    }
    let mut layer = vec![0; blocks];
    let mut ready: Vec<usize> = (0..blocks).filter(|&b| before[b] == 0).collect();
    while let Some(a) = ready.pop() {
        for &b in &after[a] {
            layer[b] = layer[b].max(layer[a] + 1);
            before[b] -= 1;
            if before[b] == 0 {
                ready.push(b);
            }
        }
    }
    layer
}

/// Stacks the blocks of each layer in columns of about the same height.
fn place(scene: &Scene, blocks: &[Block], layer: &[usize], width: impl Fn(u32) -> f64) -> Layout {
    let area: f64 = blocks
        .iter()
        .map(|b| (b.width + GAP_X) * (b.height + GAP_Y))
        .sum();
    let tallest = blocks.iter().map(|b| b.height).fold(0.0, f64::max);
    let limit = (area * 0.6).sqrt().max(tallest).max(300.0);
    let mut layout = Layout {
        spots: vec![Spot::default(); scene.names.len()],
        halos: vec![Area::default(); scene.halos.len()],
        width: 2.0 * MARGIN,
        height: 2.0 * MARGIN,
    };
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|&b| (layer[b], b));
    let (mut x, mut y, mut column, mut last) = (MARGIN, MARGIN, 0.0f64, 0);
    for b in order {
        let block = &blocks[b];
        let full = y + block.height > limit + MARGIN && y > MARGIN;
        if layer[b] != last || full {
            x += if column > 0.0 {
                column + GAP_X * 1.5
            } else {
                0.0
            };
            (y, column, last) = (MARGIN, 0.0, layer[b]);
        }
        for &(v, dx, dy) in &block.spots {
            layout.spots[v as usize] = Spot {
                x: x + dx,
                y: y + dy,
                width: width(v),
            };
        }
        if let Some(halo) = block.halo {
            layout.halos[halo] = Area {
                x,
                y,
                width: block.width,
                height: block.height,
            };
        }
        y += block.height + GAP_Y;
        column = column.max(block.width);
        layout.width = layout.width.max(x + block.width + MARGIN);
        layout.height = layout.height.max(y - GAP_Y + MARGIN);
    }
    layout
}

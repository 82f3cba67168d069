//! Strongly connected components without recursion.
//!
//! Pearce's one-array form of Tarjan's algorithm (Pearce, "A space-efficient algorithm for
//! finding strongly connected components", 2016), with the call stack made explicit, so that
//! a path of ten million nodes needs heap and no thread stack. O(n + m) time.

use crate::graph::Csr;
use crate::reach::is_strongly_connected;

/// The partition of the nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Components {
    /// The members of each component of at least two nodes, ascending; components ascend by
    /// their smallest member.
    pub(crate) loops: Vec<Vec<u32>>,
    /// The nodes that are a component each, ascending.
    pub(crate) singles: Vec<u32>,
}

/// One open call: the node, the next edge to look at, and the node's own index.
struct Frame {
    node: u32,
    edge: u32,
    index: u32,
}

/// Finds all components of the graph, given by its rows and those of its reverse.
pub(crate) fn components(out: &Csr, inn: &Csr) -> Components {
    if is_strongly_connected(out, inn) {
        // The usual case needs no depth-first search, which waits for every read of memory.
        return Components {
            loops: vec![(0..out.node_count() as u32).collect()],
            singles: Vec::new(),
        };
    }
    group(&Search::new(out).run())
}

/// The state of the search.
///
/// Invariant: `mark[v]` is 0 before v is met; while v is open, the least index known to be
/// reachable from it; once its component is complete, the component's label. Labels count down
/// from `u32::MAX` and indices are given back when a component closes, so every label is
/// larger than every index and an edge into a closed component never lowers a mark.
struct Search<'a> {
    out: &'a Csr,
    mark: Vec<u32>,
    frames: Vec<Frame>,
    waiting: Vec<u32>,
    next_index: u32,
    next_label: u32,
}

impl<'a> Search<'a> {
    fn new(out: &'a Csr) -> Self {
        Self {
            out,
            mark: vec![0; out.node_count()],
            frames: Vec::new(),
            waiting: Vec::new(),
            next_index: 1,
            next_label: u32::MAX,
        }
    }

    fn run(mut self) -> Vec<u32> {
        for root in 0..self.mark.len() as u32 {
            if self.mark[root as usize] == 0 {
                self.open(root);
                while let Some(frame) = self.frames.pop() {
                    self.advance(frame);
                }
            }
        }
        self.mark
    }

    fn open(&mut self, node: u32) {
        let index = self.next_index;
        self.next_index += 1;
        self.mark[node as usize] = index;
        self.frames.push(Frame {
            node,
            edge: self.out.starts[node as usize],
            index,
        });
    }

    /// Looks at the frame's edges up to the first unmet node, or closes the frame.
    fn advance(&mut self, mut frame: Frame) {
        let end = self.out.starts[frame.node as usize + 1];
        let mut least = self.mark[frame.node as usize];
        while frame.edge < end {
            let next = self.out.ends[frame.edge as usize];
            let mark = self.mark[next as usize];
            if mark == 0 {
                // The edge is looked at again once `next` has its final mark.
                self.mark[frame.node as usize] = least;
                self.frames.push(frame);
                self.open(next);
                return;
            }
            least = least.min(mark);
            frame.edge += 1;
        }
        self.mark[frame.node as usize] = least;
        if least == frame.index {
            self.close(&frame);
        } else {
            self.waiting.push(frame.node);
        }
    }

    /// The frame's node is the first of its component: all that waits above it belongs to it.
    fn close(&mut self, frame: &Frame) {
        let label = self.next_label;
        self.next_label -= 1;
        self.next_index -= 1;
        while let Some(&top) = self.waiting.last() {
            if self.mark[top as usize] < frame.index {
                break;
            }
            self.waiting.pop();
            self.mark[top as usize] = label;
            self.next_index -= 1;
        }
        self.mark[frame.node as usize] = label;
    }
}

/// Sorts labelled nodes into components. A label's position is `u32::MAX - label`.
fn group(labels: &[u32]) -> Components {
    let place = |label: u32| (u32::MAX - label) as usize;
    let mut sizes: Vec<u32> = Vec::new();
    for &label in labels {
        let at = place(label);
        if sizes.len() <= at {
            sizes.resize(at + 1, 0);
        }
        sizes[at] += 1;
    }
    let mut found = Components {
        loops: Vec::new(),
        singles: Vec::new(),
    };
    let mut numbers = vec![u32::MAX; sizes.len()];
    for (v, &label) in labels.iter().enumerate() {
        let at = place(label);
        if sizes[at] == 1 {
            found.singles.push(v as u32);
            continue;
        }
        if numbers[at] == u32::MAX {
            numbers[at] = found.loops.len() as u32;
            found.loops.push(Vec::with_capacity(sizes[at] as usize));
        }
        found.loops[numbers[at] as usize].push(v as u32);
    }
    found
}

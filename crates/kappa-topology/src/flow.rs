//! Unit flow from a growing set of settled nodes to one node, found backwards from that node.
//!
//! The settled nodes act as one: the flow may start at any of them. A search walks backwards
//! from the target and stops at the first node that has an unused edge from a settled one, so
//! it reads a neighbourhood of the target and not the graph.

use crate::graph::Csr;

/// No position: the end of a list, or no cut yet.
const NONE: u32 = u32::MAX;

/// What the searches know of one node.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The search that met the node last.
    seen: u32,
    /// The list of flow that leaves it towards unsettled nodes: a position in `links`.
    leaving: u32,
    /// How the last search met it: the node it goes on to …
    via: u32,
    /// … and the in-edge of that node, or a link if the path cancels flow.
    by: Step,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Edge(u32),
    Cancel(u32),
}

/// In `spare`: the node is settled itself.
const SETTLED: u32 = u32::MAX;

const FRESH: Node = Node {
    seen: 0,
    leaving: NONE,
    via: NONE,
    by: Step::Edge(NONE),
};

/// Flow on one edge between unsettled nodes.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// The edge, as a position among the in-edges of its end.
    edge: u32,
    end: u32,
    next: u32,
}

/// What a bounded flow computation found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// At least as many edge-disjoint paths as asked for.
    Enough,
    /// Exactly this many: [`Flow::target_side`] is the target side of a cut of that size.
    Only(u32),
    /// The search was given up at its budget.
    GaveUp,
}

/// The settled set, and the flow to the node that is being tried.
#[derive(Debug)]
pub(crate) struct Flow<'a> {
    out: &'a Csr,
    inn: &'a Csr,
    /// How many edges lead to a node from settled nodes and carry no flow; apart from `nodes`,
    /// because settling reads nothing else.
    spare: Vec<u32>,
    nodes: Vec<Node>,
    /// One bit for each in-edge: whether it carries flow.
    carries: Vec<u64>,
    carrying: Vec<u32>,
    links: Vec<Link>,
    touched: Vec<u32>,
    /// The nodes at which flow comes in from the settled set, once for each unit.
    entries: Vec<u32>,
    queue: Vec<u32>,
    search: u32,
    /// How many edges all searches have read.
    pub(crate) edges_read: u64,
}

impl<'a> Flow<'a> {
    pub(crate) fn new(out: &'a Csr, inn: &'a Csr) -> Self {
        Self {
            out,
            inn,
            spare: vec![0; out.node_count()],
            nodes: vec![FRESH; out.node_count()],
            carries: vec![0; inn.ends.len().div_ceil(64)],
            carrying: Vec::new(),
            links: Vec::new(),
            touched: Vec::new(),
            entries: Vec::new(),
            queue: Vec::new(),
            search: 0,
            edges_read: 0,
        }
    }

    pub(crate) fn is_settled(&self, v: u32) -> bool {
        self.spare[v as usize] == SETTLED
    }

    /// How many edges lead from settled nodes to `v`, which is not settled.
    pub(crate) fn count(&self, v: u32) -> u32 {
        self.spare[v as usize]
    }

    /// Puts `v` among the settled nodes and reports each unsettled out-neighbour's new count.
    pub(crate) fn settle(&mut self, v: u32, mut report: impl FnMut(u32, u32)) {
        self.spare[v as usize] = SETTLED;
        for &w in self.out.row(v) {
            let spare = &mut self.spare[w as usize];
            if *spare != SETTLED {
                *spare += 1;
                report(w, *spare);
            }
        }
    }

    /// Looks for `wanted` edge-disjoint paths from the settled set to `target`, reading at most
    /// about `budget` edges.
    pub(crate) fn push(&mut self, target: u32, wanted: u32, budget: u64) -> Found {
        let mut units = self.push_short(target, wanted);
        let mut spent = u64::from(self.inn.degree(target));
        let mut result = Found::Enough;
        while units < wanted {
            match self.search(target, &mut spent, budget) {
                Ok(Some(first)) => self.augment(first, target),
                Ok(None) => {
                    result = Found::Only(units);
                    break;
                }
                Err(OverBudget) => {
                    result = Found::GaveUp;
                    break;
                }
            }
            units += 1;
        }
        self.edges_read += spent;
        self.clear();
        result
    }

    /// Sends what can go over one or two edges in a single pass over the target's in-edges.
    fn push_short(&mut self, target: u32, wanted: u32) -> u32 {
        let mut units = self.spare[target as usize].min(wanted);
        for _ in 0..units {
            self.enter(target);
        }
        for edge in self.inn.range(target) {
            if units == wanted {
                break;
            }
            let u = self.inn.ends[edge];
            if !matches!(self.spare[u as usize], 0 | SETTLED) {
                self.enter(u);
                self.carry(u, edge as u32, target);
                units += 1;
            }
        }
        units
    }

    /// After [`Found::Only`]: the nodes that the last search met, which are the smallest
    /// target side of a minimum cut between the settled set and the target.
    pub(crate) fn target_side(&self) -> &[u32] {
        &self.queue
    }

    /// Walks backwards over what still has room; returns the unsettled node at which a path
    /// from the settled set comes in.
    fn search(
        &mut self,
        target: u32,
        spent: &mut u64,
        budget: u64,
    ) -> Result<Option<u32>, OverBudget> {
        let stamp = self.next_stamp();
        self.queue.clear();
        self.queue.push(target);
        self.nodes[target as usize].seen = stamp;
        if self.spare[target as usize] > 0 {
            return Ok(Some(target));
        }
        let mut head = 0;
        while let Some(&w) = self.queue.get(head) {
            head += 1;
            if let Some(first) = self.cancel_from(w, stamp) {
                return Ok(Some(first));
            }
            let range = self.inn.range(w);
            *spent += range.len() as u64;
            for edge in range {
                let u = self.inn.ends[edge];
                let spare = self.spare[u as usize];
                let node = &mut self.nodes[u as usize];
                // A settled u gives nothing here: w has no unused edge from the settled set.
                if spare == SETTLED || node.seen == stamp || bit(&self.carries, edge) {
                    continue;
                }
                (node.seen, node.via, node.by) = (stamp, w, Step::Edge(edge as u32));
                self.queue.push(u);
                if spare > 0 {
                    return Ok(Some(u));
                }
            }
            if *spent > budget {
                return Err(OverBudget);
            }
        }
        Ok(None)
    }

    fn next_stamp(&mut self) -> u32 {
        if self.search == u32::MAX {
            self.search = 0;
            for node in &mut self.nodes {
                node.seen = 0;
            }
        }
        self.search += 1;
        self.search
    }

    /// Meets the nodes to which `w` sends flow: a path may come from there by cancelling it.
    fn cancel_from(&mut self, w: u32, stamp: u32) -> Option<u32> {
        let mut at = self.nodes[w as usize].leaving;
        while at != NONE {
            let link = self.links[at as usize];
            let node = &mut self.nodes[link.end as usize];
            if node.seen != stamp {
                (node.seen, node.via, node.by) = (stamp, w, Step::Cancel(at));
                self.queue.push(link.end);
                if self.spare[link.end as usize] > 0 {
                    return Some(link.end);
                }
            }
            at = link.next;
        }
        None
    }

    /// Sends one unit along the path that the last search found.
    fn augment(&mut self, first: u32, target: u32) {
        self.enter(first);
        let mut v = first;
        while v != target {
            let Node { via, by, .. } = self.nodes[v as usize];
            match by {
                Step::Cancel(link) => self.unlink(via, link),
                Step::Edge(edge) => self.carry(v, edge, via),
            }
            v = via;
        }
    }

    /// Lets one unit come in at `v` from the settled set.
    fn enter(&mut self, v: u32) {
        self.spare[v as usize] -= 1;
        self.entries.push(v);
    }

    /// Takes the flow off a link that leaves `owner`.
    fn unlink(&mut self, owner: u32, link: u32) {
        let Link { edge, next, .. } = self.links[link as usize];
        self.carries[edge as usize / 64] &= !(1 << (edge % 64));
        let mut at = self.nodes[owner as usize].leaving;
        if at == link {
            self.nodes[owner as usize].leaving = next;
            return;
        }
        while at != NONE {
            let following = self.links[at as usize].next;
            if following == link {
                self.links[at as usize].next = next;
                return;
            }
            at = following;
        }
    }

    /// Puts flow on the edge from `owner` to `end`.
    fn carry(&mut self, owner: u32, edge: u32, end: u32) {
        self.carries[edge as usize / 64] |= 1 << (edge % 64);
        self.carrying.push(edge);
        let node = &mut self.nodes[owner as usize];
        let next = std::mem::replace(&mut node.leaving, self.links.len() as u32);
        self.links.push(Link { edge, end, next });
        self.touched.push(owner);
    }

    /// Takes all flow away, in time proportional to what the flow touched.
    fn clear(&mut self) {
        for &v in &self.touched {
            self.nodes[v as usize].leaving = NONE;
        }
        for &edge in &self.carrying {
            self.carries[edge as usize / 64] &= !(1 << (edge % 64));
        }
        for &v in &self.entries {
            self.spare[v as usize] += 1;
        }
        self.touched.clear();
        self.entries.clear();
        self.carrying.clear();
        self.links.clear();
    }
}

struct OverBudget;

fn bit(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

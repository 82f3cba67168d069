//! Unit flow from a growing set of settled nodes to one node, found backwards from that node.
//!
//! The settled nodes act as one: the flow may start at any of them. A search walks backwards
//! from the target and stops at the first node that has an unused edge from a settled one, so
//! it reads a neighbourhood of the target and not the graph.

use crate::branches::Branches;
use crate::graph::Csr;
use crate::reach::Bits;

/// What the searches know of one node. The fields are read together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Node {
    /// How many edges lead to the node from settled nodes and carry no flow, or [`SETTLED`].
    pub(crate) spare: u32,
    /// The search that met the node last.
    pub(crate) seen: u32,
}

/// In `spare`: the node is settled itself.
pub(crate) const SETTLED: u32 = u32::MAX;

/// A node that a search met, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Met {
    pub(crate) node: u32,
    /// The place in the queue of the node that it goes on to.
    pub(crate) towards: u32,
    /// The edge there, as a position among the in-edges, or [`CANCEL`] and a link.
    pub(crate) step: u32,
    /// The branch that it belongs to (only while branching out).
    pub(crate) branch: u32,
}

/// The bit of a step that cancels flow; positions of edges leave it free.
const CANCEL: u32 = 1 << 31;

/// Flow on one edge between unsettled nodes.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// The edge, as a position among the in-edges of its end.
    edge: u32,
    end: u32,
    /// The number of the next link that leaves the same node; 0 ends the list.
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
    pub(crate) out: &'a Csr,
    pub(crate) inn: &'a Csr,
    pub(crate) nodes: Vec<Node>,
    /// The list of flow that leaves a node towards unsettled ones: a number of a link, or 0.
    leaving: Vec<u32>,
    /// One bit for each in-edge: whether it carries flow.
    carries: Vec<u64>,
    carrying: Vec<u32>,
    /// Link number i is at i − 1.
    links: Vec<Link>,
    touched: Vec<u32>,
    /// The nodes at which flow comes in from the settled set, once for each unit.
    entries: Vec<u32>,
    pub(crate) queue: Vec<Met>,
    pub(crate) branches: Branches,
    search: u32,
    /// How many edges all searches have read.
    pub(crate) edges_read: u64,
}

impl<'a> Flow<'a> {
    pub(crate) fn new(out: &'a Csr, inn: &'a Csr) -> Self {
        Self {
            out,
            inn,
            nodes: vec![Node::default(); out.node_count()],
            leaving: vec![0; out.node_count()],
            carries: vec![0; inn.ends.len().div_ceil(64)],
            carrying: Vec::new(),
            links: Vec::new(),
            touched: Vec::new(),
            entries: Vec::new(),
            queue: Vec::new(),
            branches: Branches::default(),
            search: 0,
            edges_read: 0,
        }
    }

    pub(crate) fn is_settled(&self, v: u32) -> bool {
        self.nodes[v as usize].spare == SETTLED
    }

    /// How many edges lead from settled nodes to `v`, which is not settled.
    pub(crate) fn count(&self, v: u32) -> u32 {
        self.nodes[v as usize].spare
    }

    /// Puts `v` among the settled nodes and reports each unsettled out-neighbour's new count.
    pub(crate) fn settle(&mut self, v: u32, mut report: impl FnMut(u32, u32)) {
        self.nodes[v as usize].spare = SETTLED;
        for &w in self.out.row(v) {
            let spare = &mut self.nodes[w as usize].spare;
            if *spare != SETTLED {
                *spare += 1;
                report(w, *spare);
            }
        }
    }

    /// The settled nodes as a set.
    pub(crate) fn settled(&self) -> Bits {
        let mut settled = Bits::new(self.nodes.len());
        for (v, node) in self.nodes.iter().enumerate() {
            if node.spare == SETTLED {
                settled.insert(v as u32);
            }
        }
        settled
    }

    /// Replaces the settled set by one that holds it, and reports each other node with its count
    /// before and now.
    pub(crate) fn replace(&mut self, settled: &Bits, mut report: impl FnMut(u32, u32, u32)) {
        for (v, node) in self.nodes.iter_mut().enumerate() {
            let v = v as u32;
            if settled.has(v) {
                node.spare = SETTLED;
                continue;
            }
            let row = self.inn.row(v).iter();
            let count = row.filter(|&&u| settled.has(u)).count() as u32;
            report(v, node.spare, count);
            node.spare = count;
        }
    }

    /// Does without the forest of `branches` from here on.
    pub(crate) fn fell_forest(&mut self) {
        self.branches.fell();
    }

    /// Looks for `wanted` edge-disjoint paths from the settled set to `target`, reading at most
    /// about `budget` edges.
    pub(crate) fn push(&mut self, target: u32, wanted: u32, budget: u64) -> Found {
        let mut spent = 0;
        let found = if self.branch_out(target, wanted, &mut spent, budget) {
            Found::Enough
        } else if spent > budget {
            Found::GaveUp
        } else {
            let units = self.send_branches(target, wanted);
            let found = self.send_more(target, units, wanted, &mut spent, budget);
            self.clear();
            found
        };
        self.edges_read += spent;
        found
    }

    /// Makes the paths that branching out found, and that are known edge by edge, a flow.
    fn send_branches(&mut self, target: u32, wanted: u32) -> u32 {
        let direct = self.count(target).min(wanted);
        for _ in 0..direct {
            self.enter(target);
        }
        let ends = std::mem::take(&mut self.branches.ends);
        for &end in &ends {
            self.augment(end);
        }
        direct + ends.len() as u32
    }

    /// Augments the flow of `units` by one path after another.
    fn send_more(
        &mut self,
        target: u32,
        mut units: u32,
        wanted: u32,
        spent: &mut u64,
        budget: u64,
    ) -> Found {
        while units < wanted {
            match self.search(target, spent, budget) {
                Ok(Some(end)) => self.augment(end),
                Ok(None) => return Found::Only(units),
                Err(OverBudget) => return Found::GaveUp,
            }
            units += 1;
        }
        Found::Enough
    }

    /// After [`Found::Only`]: the nodes that the last search met, which are the smallest
    /// target side of a minimum cut between the settled set and the target.
    pub(crate) fn target_side(&self) -> Vec<u32> {
        self.queue.iter().map(|met| met.node).collect()
    }

    /// Walks backwards over what still has room; returns the place in the queue of the unsettled
    /// node at which a path from the settled set comes in.
    fn search(
        &mut self,
        target: u32,
        spent: &mut u64,
        budget: u64,
    ) -> Result<Option<u32>, OverBudget> {
        let stamp = self.next_stamp();
        self.start(target, stamp);
        if self.count(target) > 0 {
            return Ok(Some(0));
        }
        let mut head = 0;
        while let Some(&Met { node, .. }) = self.queue.get(head) {
            let towards = head as u32;
            head += 1;
            if self.cancel_from(node, towards, stamp) {
                return Ok(Some(self.queue.len() as u32 - 1));
            }
            let range = self.inn.range(node);
            *spent += range.len() as u64;
            for edge in range {
                let u = self.inn.ends[edge];
                let state = &mut self.nodes[u as usize];
                // A settled u gives nothing here: no unused edge leads from there to `node`.
                if state.spare == SETTLED || state.seen == stamp || bit(&self.carries, edge) {
                    continue;
                }
                state.seen = stamp;
                let hit = state.spare > 0;
                self.meet(u, towards, edge as u32);
                if hit {
                    return Ok(Some(self.queue.len() as u32 - 1));
                }
            }
            if *spent > budget {
                return Err(OverBudget);
            }
        }
        Ok(None)
    }

    /// Begins a search at the target.
    pub(crate) fn start(&mut self, target: u32, stamp: u32) {
        self.queue.clear();
        self.nodes[target as usize].seen = stamp;
        self.meet(target, 0, 0);
    }

    fn meet(&mut self, node: u32, towards: u32, step: u32) {
        self.queue.push(Met {
            node,
            towards,
            step,
            branch: 0,
        });
    }

    pub(crate) fn next_stamp(&mut self) -> u32 {
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
    /// Whether the last one met is where a path comes in.
    fn cancel_from(&mut self, w: u32, towards: u32, stamp: u32) -> bool {
        let mut at = self.leaving[w as usize];
        while at != 0 {
            let link = self.links[at as usize - 1];
            let state = &mut self.nodes[link.end as usize];
            if state.seen != stamp {
                state.seen = stamp;
                let hit = state.spare > 0;
                self.meet(link.end, towards, CANCEL | at);
                if hit {
                    return true;
                }
            }
            at = link.next;
        }
        false
    }

    /// Sends one unit along the path that the last search found, from its end in the queue.
    fn augment(&mut self, end: u32) {
        let mut met = self.queue[end as usize];
        self.enter(met.node);
        let mut at = end;
        while at != 0 {
            at = met.towards;
            let next = self.queue[at as usize];
            if met.step & CANCEL == 0 {
                self.carry(met.node, met.step, next.node);
            } else {
                self.unlink(next.node, met.step & !CANCEL);
            }
            met = next;
        }
    }

    /// Lets one unit come in at `v` from the settled set.
    fn enter(&mut self, v: u32) {
        self.nodes[v as usize].spare -= 1;
        self.entries.push(v);
    }

    /// Takes the flow off a link that leaves `owner`.
    fn unlink(&mut self, owner: u32, link: u32) {
        let Link { edge, next, .. } = self.links[link as usize - 1];
        self.carries[edge as usize / 64] &= !(1 << (edge % 64));
        let mut at = self.leaving[owner as usize];
        if at == link {
            self.leaving[owner as usize] = next;
            return;
        }
        while at != 0 {
            let following = &mut self.links[at as usize - 1].next;
            if *following == link {
                *following = next;
                return;
            }
            at = *following;
        }
    }

    /// Puts flow on the edge from `owner` to `end`.
    fn carry(&mut self, owner: u32, edge: u32, end: u32) {
        self.carries[edge as usize / 64] |= 1 << (edge % 64);
        self.carrying.push(edge);
        let number = self.links.len() as u32 + 1;
        let next = std::mem::replace(&mut self.leaving[owner as usize], number);
        self.links.push(Link { edge, end, next });
        self.touched.push(owner);
    }

    /// Takes all flow away, in time proportional to what the flow touched.
    fn clear(&mut self) {
        for &v in &self.touched {
            self.leaving[v as usize] = 0;
        }
        for &edge in &self.carrying {
            self.carries[edge as usize / 64] &= !(1 << (edge % 64));
        }
        for &v in &self.entries {
            self.nodes[v as usize].spare += 1;
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

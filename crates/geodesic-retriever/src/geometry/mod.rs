//! Labels, anchors, the topology prior, the initialization gate and specialists' anchors
//! (seed 003). All of it routes and informs; none of it scores.

mod anchors;
mod gate;
mod labels;
mod specialists;
mod topology;

pub use anchors::{AnchorSet, ScaffoldPhrase};
pub use gate::{DictionaryCount, GateCheck, GateOptions, GateReport, initialization_gate};
pub use labels::{Label, LabelSet, Ring};
pub use specialists::{
    AnchorSource, SpecialistAnchors, SpecialistOptions, derive_specialist_anchors,
};
pub use topology::{Topology, walk};

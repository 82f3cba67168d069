//! What a dictionary holds, and the changes that a store makes to it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Capacity, DedupThresholds, IngestStep, PruneTier};
use crate::{Calibration, ChunkOptions, EntryKind, Fingerprint, LexicalState, Passage, Vector};

/// The name of the cube that holds the baseline, which a reset goes back to. It is not searched.
pub const BASELINE: &str = "@baseline";

/// An entry: a passage, its vector and the validator's confidence in it. Its cube, kind and parent
/// document are in the passage's metadata.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DictionaryEntry {
    /// The text and where it comes from.
    pub passage: Passage,
    /// Its vector, of unit length.
    pub vector: Vector,
    /// The validator's confidence, in [0, 1].
    pub confidence: f64,
}

impl DictionaryEntry {
    /// The same entry in another cube.
    #[must_use]
    pub fn in_cube(&self, cube: &str) -> Self {
        let mut copy = self.clone();
        cube.clone_into(&mut copy.passage.meta.cube);
        copy
    }
}

/// What became of a chunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fate")]
#[non_exhaustive]
pub enum Fate {
    /// The validator accepted it; it is not in the dictionary yet.
    Validated,
    /// It is in the dictionary.
    Held,
    /// The validator refused it.
    Rejected {
        /// Why, one reason a rule.
        reasons: Vec<String>,
    },
    /// The embedder sees nothing in it.
    NothingToEmbed,
    /// Another entry says the same.
    Duplicate {
        /// That entry.
        of: String,
        /// The centred cosine of the two.
        cosine: f64,
    },
    /// It had to make room.
    Pruned {
        /// The tier that it fell in.
        tier: PruneTier,
    },
    /// A sweep removed it as an artifact.
    Purged {
        /// The pattern that it matched.
        pattern: String,
    },
}

impl Fate {
    /// The fate in a word, for counting.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Validated => "validated",
            Self::Held => "held",
            Self::Rejected { .. } => "rejected",
            Self::NothingToEmbed => "nothing_to_embed",
            Self::Duplicate { .. } => "duplicate",
            Self::Pruned { .. } => "pruned",
            Self::Purged { .. } => "purged",
        }
    }
}

/// The account of a chunk: kept whether or not the chunk is in the dictionary, so that what was
/// refused can be asked for later and an expensive verdict is not asked for twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkRecord {
    /// The chunk's id, which is its entry's.
    pub id: String,
    /// The source in the ingestion log; the document's id for what was added by hand.
    pub source: String,
    /// What the chunk is.
    pub kind: EntryKind,
    /// The validator that judged it, empty when none did.
    pub validator: String,
    /// Its confidence, in [0, 1].
    pub confidence: f64,
    /// What became of it.
    #[serde(flatten)]
    pub fate: Fate,
}

/// What a dictionary is made with. It cannot change under the entries: another embedder, other
/// chunk sizes or another centre make another dictionary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DictionarySetup {
    /// The embedder's space.
    pub fingerprint: Fingerprint,
    /// What the lexical embedder learned, if it is the embedder.
    pub lexical: Option<LexicalState>,
    /// The numbers of the decline gate.
    pub calibration: Calibration,
    /// Sizes of chunks.
    pub chunking: ChunkOptions,
    /// How many entries a cube may hold.
    pub capacity: Capacity,
    /// From which centred cosine on two entries say the same.
    pub dedup: DedupThresholds,
    /// What is subtracted before entries are compared with each other; none for nothing.
    pub centre: Option<Vector>,
}

impl DictionarySetup {
    /// Whether two setups make the same dictionary: all is equal but the gate's numbers, which
    /// may be calibrated anew.
    #[must_use]
    pub fn same_dictionary(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
            && self.lexical == other.lexical
            && self.chunking == other.chunking
            && self.capacity == other.capacity
            && self.dedup == other.dedup
            && self.centre == other.centre
    }
}

/// A specialist: a dictionary of its own for one label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Specialist {
    /// Its cube's name.
    pub name: String,
    /// The label whose entries are copied to it.
    pub label: String,
    /// The cube that it was split off.
    pub parent: String,
    /// 1 for a child of the generalist.
    pub depth: usize,
}

/// What a store knows of a dictionary besides its entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DictionaryState {
    /// What it was made with.
    pub setup: DictionarySetup,
    /// The specialists, by cube.
    pub specialists: BTreeMap<String, Specialist>,
    /// BLAKE3 root (hex) over the generalist's entries as they were when ingestion last came to
    /// rest; none while there is work.
    pub root: Option<String>,
    /// Commits so far. A commit names the generation that it was made against; the store refuses
    /// one made against another, so that there is a single writer.
    pub generation: u64,
}

/// One change. A commit is a list of them, made in order, all or none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "op")]
#[non_exhaustive]
pub enum Op {
    /// Puts an entry into its cube, in place of the one with its id.
    Put {
        /// The entry. Boxed: it is many times as long as the other changes.
        entry: Box<DictionaryEntry>,
    },
    /// Removes an entry; one that is not there is passed over.
    Remove {
        /// The cube.
        cube: String,
        /// The entry.
        id: String,
    },
    /// Puts a chunk's account, in place of the one with its id.
    Record {
        /// The account.
        record: ChunkRecord,
    },
    /// Forgets a chunk's account.
    ForgetRecord {
        /// The chunk.
        id: String,
    },
    /// Adds a specialist, without entries.
    AddSpecialist {
        /// The specialist.
        specialist: Specialist,
    },
    /// Removes a cube with all its entries: a specialist, the baseline, or the generalist's
    /// entries.
    ClearCube {
        /// The cube.
        cube: String,
    },
    /// Sets the numbers of the gate.
    SetCalibration {
        /// The numbers.
        calibration: Box<Calibration>,
    },
    /// Sets the root.
    SetRoot {
        /// The root.
        root: Option<String>,
    },
    /// Advances a source in the ingestion log.
    Advance {
        /// The source.
        source: String,
        /// The digest that it was begun under.
        digest: String,
        /// The step that is complete.
        step: IngestStep,
        /// The entries that it gives, where the step settles them.
        chunk_ids: Option<Vec<String>>,
    },
    /// Begins a source anew, although its digest is the recorded one; its entries stay.
    Reopen {
        /// The source.
        source: String,
    },
    /// Forgets a source.
    ForgetSource {
        /// The source.
        source: String,
    },
    /// Forgets all sources and all accounts of chunks.
    ForgetAll,
}

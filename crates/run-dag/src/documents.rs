//! Roots of documents, sources and whole corpora: two machines with the same corpus agree on one hash.

use crate::hash::{DocumentRoot, SnapshotRoot, SourceRoot};
use crate::tree::{DocumentTree, SnapshotTree, SourceTree, root_of_data};
use std::collections::BTreeSet;

/// The root over a document's chunks, in order.
#[must_use]
pub fn document_root<C: AsRef<[u8]>>(chunks: &[C]) -> DocumentRoot {
    DocumentRoot::from_bytes(*root_of_data::<DocumentTree, C>(chunks).as_bytes())
}

/// The root over the sorted distinct document roots of one or several sources.
#[must_use]
pub fn source_root(documents: impl IntoIterator<Item = DocumentRoot>) -> SourceRoot {
    let distinct: BTreeSet<[u8; 32]> = documents.into_iter().map(|d| *d.as_bytes()).collect();
    let leaves: Vec<[u8; 32]> = distinct.into_iter().collect();
    SourceRoot::from_bytes(*root_of_data::<SourceTree, _>(&leaves).as_bytes())
}

/// The root over the sorted distinct source roots of a corpus.
#[must_use]
pub fn snapshot_root(sources: impl IntoIterator<Item = SourceRoot>) -> SnapshotRoot {
    let distinct: BTreeSet<[u8; 32]> = sources.into_iter().map(|s| *s.as_bytes()).collect();
    let leaves: Vec<[u8; 32]> = distinct.into_iter().collect();
    SnapshotRoot::from_bytes(*root_of_data::<SnapshotTree, _>(&leaves).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_copies_of_documents_do_not_matter_and_chunks_do() {
        let a = document_root(&["one", "two"]);
        let b = document_root(&["onetwo"]);
        assert_ne!(a, b);
        assert_eq!(source_root([a, b]), source_root([b, a, b]));
        assert_ne!(source_root([a]), source_root([a, b]));
        let (s, t) = (source_root([a]), source_root([b]));
        assert_eq!(snapshot_root([s, t]), snapshot_root([t, s, t]));
        // A chunk that is another tree's root is still a chunk.
        assert_ne!(
            source_root([a]).as_bytes(),
            document_root(&[a.as_bytes()]).as_bytes()
        );
    }
}

//! Figures on two collections, SciFact (Wadden et al. 2020: 5,183 abstracts, 300 judged questions)
//! and the fixture corpus: nDCG and recall beside those of the references on the same texts and
//! weights, and the calibrations that ship, made again from the shipped probes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr
)]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use geodesic_retriever::eval::{Judgements, ndcg_at, recall_at};
use geodesic_retriever::{
    Calibration, CalibrationSample, ChunkOptions, Chunker, Corpus, Embedder, EntryMeta, ExactIndex,
    Filter, Fingerprint, GENERALIST, IndexEntry, LexicalConfig, LexicalEmbedder, ReadOptions,
    SHIPPED_ALPHA, Vector, VectorIndex, read_folder, shipped_probes,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Abstract {
    id: String,
    title: String,
    sentences: Vec<String>,
}

#[derive(Deserialize)]
struct Claim {
    id: String,
    claim: String,
}

#[derive(Deserialize)]
struct Probe {
    text: String,
}

/// The collection: document ids and texts, judged questions, questions from elsewhere.
struct Collection {
    ids: Vec<String>,
    texts: Vec<String>,
    questions: Vec<(String, Judgements)>,
    /// The probes of `fixtures/probes`; every second one ships, the others are held out.
    probes: Vec<String>,
}

fn probes() -> Vec<String> {
    let text = std::fs::read_to_string(fixtures().join("probes/probes.jsonl")).unwrap();
    lines::<Probe>(&text).into_iter().map(|p| p.text).collect()
}

/// `fixtures/corpus` in chunks, with the questions that it answers.
fn fixture_corpus() -> Collection {
    #[derive(Deserialize)]
    struct Question {
        question: String,
        expected: Expected,
    }
    #[derive(Deserialize)]
    struct Expected {
        outcome: String,
    }
    let contents = read_folder(
        &fixtures().join("corpus"),
        &ReadOptions::default(),
        &mut |_| {},
    )
    .unwrap();
    let chunker = Chunker::characters(ChunkOptions::default()).unwrap();
    let corpus = Corpus::new(contents.documents, &chunker, &mut |_| {});
    let questions = std::fs::read_to_string(fixtures().join("questions.jsonl")).unwrap();
    let questions = lines::<Question>(&questions)
        .into_iter()
        .filter(|q| q.expected.outcome == "grounded")
        .map(|q| (q.question, Judgements::new()))
        .collect();
    Collection {
        ids: corpus.index_keys().map(|(id, _)| id.to_owned()).collect(),
        texts: corpus.embedding_texts(),
        questions,
        probes: probes(),
    }
}

fn lines<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    text.lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn collection() -> Option<Collection> {
    let Some(data) = std::env::var_os("CANDOR_DATA") else {
        eprintln!("skipped: CANDOR_DATA is not set (it names the folder with ret-scifact)");
        return None;
    };
    let folder = Path::new(&data).join("ret-scifact");
    let packed = std::fs::read(folder.join("corpus.jsonl.gz")).unwrap();
    let mut corpus = String::new();
    flate2::read::GzDecoder::new(packed.as_slice())
        .read_to_string(&mut corpus)
        .unwrap();
    let mut judged = BTreeMap::<String, Judgements>::new();
    for line in std::fs::read_to_string(folder.join("qrels_dev.tsv"))
        .unwrap()
        .lines()
    {
        let [query, document, grade] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        judged
            .entry(query.to_owned())
            .or_default()
            .insert(document.to_owned(), grade.parse().unwrap());
    }
    let (mut ids, mut texts) = (Vec::new(), Vec::new());
    for a in lines::<Abstract>(&corpus) {
        ids.push(a.id);
        texts.push(format!("{} {}", a.title, a.sentences.join(" ")));
    }
    let claims = std::fs::read_to_string(folder.join("claims_dev.jsonl")).unwrap();
    let questions = lines::<Claim>(&claims)
        .into_iter()
        .filter_map(|c| Some((c.claim, judged.remove(&c.id)?)))
        .collect();
    Some(Collection {
        ids,
        texts,
        questions,
        probes: probes(),
    })
}

impl Collection {
    fn texts(&self) -> Vec<&str> {
        self.texts.iter().map(String::as_str).collect()
    }

    /// The documents that the first 100 questions need, and every 25th of the others.
    #[cfg(all(feature = "bert", feature = "static"))]
    fn sample(mut self) -> Self {
        self.questions.truncate(100);
        let needed: std::collections::BTreeSet<&String> =
            self.questions.iter().flat_map(|(_, j)| j.keys()).collect();
        let keep: Vec<bool> = self
            .ids
            .iter()
            .enumerate()
            .map(|(i, id)| i % 25 == 0 || needed.contains(id))
            .collect();
        let mut flags = keep.iter();
        self.ids.retain(|_| *flags.next().unwrap());
        let mut flags = keep.iter();
        self.texts.retain(|_| *flags.next().unwrap());
        self
    }
}

/// What one embedder makes of one collection.
#[derive(Debug)]
struct Figures {
    ndcg: f64,
    recall: f64,
    /// Best querySim of each question and probe.
    sample: CalibrationSample,
    fingerprint: Fingerprint,
}

fn judge(embedder: &dyn Embedder, vectors: Vec<Vector>, c: &Collection) -> Figures {
    let meta = |id: &str| EntryMeta {
        cube: GENERALIST.into(),
        kind: Default::default(),
        parent: id.into(),
    };
    let entries = c.ids.iter().zip(vectors).map(|(id, vector)| IndexEntry {
        id: id.clone(),
        vector,
        meta: meta(id),
    });
    let mut index = ExactIndex::new(embedder.fingerprint().clone());
    index.insert(entries.collect()).unwrap();
    let search = |text: &str| {
        let query = embedder.embed_query(text).unwrap();
        index.search(&query, 100, &Filter::default()).unwrap()
    };
    let (mut ndcg, mut recall, mut sample) = (0.0, 0.0, CalibrationSample::default());
    for (question, judged) in &c.questions {
        let hits = search(question);
        let ids: Vec<&str> = hits.iter().map(|h| h.id.as_str()).collect();
        ndcg += ndcg_at(10, &ids, judged);
        recall += recall_at(100, &ids, judged);
        sample.questions.push(hits[0].similarity.query_sim());
    }
    for probe in &c.probes {
        sample.probes.push(search(probe)[0].similarity.query_sim());
    }
    let n = c.questions.len() as f64;
    Figures {
        ndcg: ndcg / n,
        recall: recall / n,
        sample,
        fingerprint: embedder.fingerprint().clone(),
    }
}

fn every_second<T: Copy>(items: &[T], from: usize) -> Vec<T> {
    items.iter().copied().skip(from).step_by(2).collect()
}

/// Half of the questions and probes calibrate, the other half judge. Prints both, and what the
/// shipped calibration does on the held-out half.
fn calibrate(name: &str, f: &Figures) -> Calibration {
    let half = |from| CalibrationSample {
        questions: every_second(&f.sample.questions, from),
        probes: every_second(&f.sample.probes, from),
    };
    let (shipped, held_out) = (half(0), half(1));
    let made =
        Calibration::conformal(&shipped, SHIPPED_ALPHA, f.fingerprint.clone(), None, None).unwrap();
    let model = &f.fingerprint.model_id;
    eprintln!(
        "{model} on {name}: nDCG@10 {:.4}, recall@100 {:.4}; conformal: floor {:.4}, threshold {:.4}, bands {:.4} {:.4} {:.4}",
        f.ndcg,
        f.recall,
        made.floor,
        made.threshold,
        made.bands.partial,
        made.bands.matching,
        made.bands.strong
    );
    for c in [Some(made.clone()), Calibration::built_in(&f.fingerprint)]
        .into_iter()
        .flatten()
    {
        let count = |scores: &[f64]| scores.iter().filter(|s| !c.passes(**s)).count();
        eprintln!(
            "  at {:.4}, held out: {} of {} questions declined, {} of {} probes declined",
            c.threshold,
            count(&held_out.questions),
            held_out.questions.len(),
            count(&held_out.probes),
            held_out.probes.len()
        );
    }
    made
}

/// What ships is the greater threshold of the two collections with its bands, and the lesser
/// floor, to four digits.
fn ships(of_fixtures: &Calibration, of_scifact: &Calibration) {
    let made = if of_fixtures.threshold > of_scifact.threshold {
        of_fixtures
    } else {
        of_scifact
    };
    let built_in = Calibration::built_in(&made.fingerprint).unwrap();
    let pairs = [
        (built_in.threshold, made.threshold),
        (built_in.floor, of_fixtures.floor.min(of_scifact.floor)),
        (built_in.bands.partial, made.bands.partial),
        (built_in.bands.matching, made.bands.matching),
        (built_in.bands.strong, made.bands.strong),
    ];
    for (ships, made) in pairs {
        assert!((ships - made).abs() <= 0.0005, "{ships} ships, {made} made");
    }
}

#[test]
fn every_second_probe_ships() {
    let ships: Vec<&str> = shipped_probes().collect();
    let all = probes();
    let odd: Vec<&str> = all.iter().step_by(2).map(String::as_str).collect();
    assert_eq!(ships, odd);
}

fn lexical(c: &Collection) -> Figures {
    let (embedder, found) =
        LexicalEmbedder::learn_and_embed(LexicalConfig::default(), &c.texts(), &mut |_| {})
            .unwrap();
    let vectors = found.into_iter().map(|e| e.unwrap().vector).collect();
    judge(&embedder, vectors, c)
}

#[test]
#[cfg_attr(debug_assertions, ignore = "release only: 5,183 abstracts")]
fn lexical_figures() {
    let of_fixtures = calibrate("the fixture corpus", &lexical(&fixture_corpus()));
    let Some(c) = collection() else { return };
    let f = lexical(&c);
    assert!((f.ndcg - 0.6593).abs() < 0.0005 && (f.recall - 0.9327).abs() < 0.0005);
    ships(&of_fixtures, &calibrate("SciFact", &f));
}

#[cfg(all(feature = "bert", feature = "static"))]
mod models {
    use super::*;
    use geodesic_retriever::{BertEmbedder, StaticEmbedder, TransformerOptions};

    fn embed_all(embedder: &dyn Embedder, c: &Collection) -> Vec<Vector> {
        let found = embedder.embed_documents(&c.texts()).unwrap();
        found.into_iter().map(|e| e.unwrap().vector).collect()
    }

    fn model(name: &str) -> Option<PathBuf> {
        let path = fixtures().join("models").join(name);
        if path.join(".complete").exists() {
            return Some(path);
        }
        eprintln!(
            "skipped: {} is not there (fixtures/fetch-models.sh brings it)",
            path.display()
        );
        None
    }

    #[test]
    #[cfg_attr(debug_assertions, ignore = "release only: 5,183 abstracts")]
    fn static_vectors() {
        let (Some(c), Some(path)) = (collection(), model("static")) else {
            return;
        };
        let embedder = StaticEmbedder::load(&path, None).unwrap();
        let f = judge(&embedder, embed_all(&embedder, &c), &c);
        // Model2Vec's own package on the same texts: fixtures/embedders/make_golden_static.py.
        assert!((f.ndcg - MODEL2VEC.0).abs() < 0.001 && (f.recall - MODEL2VEC.1).abs() < 0.001);
        let fixtures = fixture_corpus();
        let of_fixtures = judge(&embedder, embed_all(&embedder, &fixtures), &fixtures);
        let of_fixtures = calibrate("the fixture corpus", &of_fixtures);
        let of_scifact = calibrate("SciFact", &f);
        // Its noise level depends on the collection and lies above most answerable questions, so
        // nothing ships: an index gets a threshold of its own.
        assert!((of_fixtures.threshold - of_scifact.threshold).abs() > 0.02);
        assert_eq!(Calibration::built_in(embedder.fingerprint()), None);
        let questions = &f.sample.questions;
        let declined = questions.iter().filter(|s| !of_scifact.passes(**s)).count();
        assert!(2 * declined > questions.len(), "{declined}");
    }

    const MODEL2VEC: (f64, f64) = (0.17811, 0.47928);

    /// Embeds what the file does not hold yet, a piece at a time, so that a stopped run goes on.
    fn cached(embedder: &dyn Embedder, texts: &[&str], file: &Path) -> Vec<Vector> {
        let width = embedder.dimension() * 4;
        let mut bytes = std::fs::read(file).unwrap_or_default();
        bytes.truncate(bytes.len() / width * width);
        // Neighbours in length share a batch.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&i| (texts[i].len(), i));
        while bytes.len() < texts.len() * width {
            let done = bytes.len() / width;
            let piece = &order[done..(done + 256).min(order.len())];
            let batch: Vec<&str> = piece.iter().map(|&i| texts[i]).collect();
            for e in embedder.embed_documents(&batch).unwrap() {
                let Vector::Dense(v) = e.unwrap().vector else {
                    panic!("dense expected")
                };
                bytes.extend(v.iter().flat_map(|x| x.to_le_bytes()));
            }
            std::fs::write(file, &bytes).unwrap();
            eprintln!("embedded {} of {}", bytes.len() / width, texts.len());
        }
        let mut out = vec![Vector::Dense(Vec::new()); texts.len()];
        for (row, &i) in bytes.chunks(width).zip(&order) {
            let values = row.as_chunks::<4>().0.iter();
            out[i] = Vector::Dense(values.map(|b| f32::from_le_bytes(*b)).collect());
        }
        out
    }

    /// The vectors of the whole set are kept beside the build (some ten minutes of two cores to
    /// make), under a name that holds the digest of model and texts. They are made only if
    /// `CANDOR_SCIFACT_FULL` is set.
    #[test]
    #[cfg_attr(
        debug_assertions,
        ignore = "release only: 5,183 abstracts through MiniLM"
    )]
    fn minilm_whole() {
        let (Some(c), Some(path)) = (collection(), model("all-MiniLM-L6-v2")) else {
            return;
        };
        let embedder = BertEmbedder::load(&path, &TransformerOptions::default()).unwrap();
        let texts = c.texts();
        let mut hash = blake3::Hasher::new();
        hash.update(&serde_json::to_vec(embedder.fingerprint()).unwrap());
        for t in &texts {
            hash.update(t.as_bytes());
        }
        let name = format!("scifact-{}.f32", &hash.finalize().to_hex()[..16]);
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let whole = (texts.len() * embedder.dimension() * 4) as u64;
        let kept = std::fs::metadata(&file).is_ok_and(|m| m.len() == whole);
        if !kept && std::env::var_os("CANDOR_SCIFACT_FULL").is_none() {
            eprintln!(
                "skipped: {} is not whole; set CANDOR_SCIFACT_FULL to make it",
                file.display()
            );
            return;
        }
        let f = judge(&embedder, cached(&embedder, &texts, &file), &c);
        // sentence-transformers 6.2 on the same texts and weights.
        assert!((f.ndcg - 0.64508).abs() <= 0.001, "{f:?}");
        assert!((f.recall - 0.925).abs() <= 0.001, "{f:?}");
        let fixtures = fixture_corpus();
        let of_fixtures = judge(&embedder, embed_all(&embedder, &fixtures), &fixtures);
        ships(
            &calibrate("the fixture corpus", &of_fixtures),
            &calibrate("SciFact", &f),
        );
    }

    #[test]
    #[cfg_attr(
        debug_assertions,
        ignore = "release only: 298 abstracts through MiniLM"
    )]
    fn minilm_sample() {
        let (Some(c), Some(path)) = (collection(), model("all-MiniLM-L6-v2")) else {
            return;
        };
        let c = c.sample();
        let embedder = BertEmbedder::load(&path, &TransformerOptions::default()).unwrap();
        let f = judge(&embedder, embed_all(&embedder, &c), &c);
        assert!((f.ndcg - SAMPLE.0).abs() <= 0.001 && (f.recall - SAMPLE.1).abs() <= 0.001);
    }

    /// sentence-transformers 6.2 on the same sample.
    const SAMPLE: (f64, f64) = (0.90045, 1.0);
}

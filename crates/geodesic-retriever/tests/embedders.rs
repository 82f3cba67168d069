//! Transformers and static vectors against PyTorch, and what damaged models say (G1, G2, G3, G5,
//! G9, G16).
#![cfg(all(feature = "candle", feature = "static"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr
)]

use std::path::{Path, PathBuf};

use geodesic_retriever::{
    BertEmbedder, Embedder, Error, NomicEmbedder, Precision, Prompts, StaticEmbedder,
    TransformerOptions, Vector, seal_model_folder,
};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn floats(path: &Path, width: usize) -> Vec<Vec<f32>> {
    let bytes = std::fs::read(path).unwrap();
    let all: Vec<f32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| f32::from_le_bytes(*b))
        .collect();
    all.chunks(width).map(<[f32]>::to_vec).collect()
}

fn dense(v: &Vector) -> &[f32] {
    match v {
        Vector::Dense(v) => v,
        Vector::Sparse(_) => panic!("dense expected"),
    }
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

fn nomic(options: &TransformerOptions) -> NomicEmbedder {
    NomicEmbedder::load(&fixtures().join("embedders/nomic-tiny"), options).unwrap()
}

#[test]
fn nomic_equals_pytorch_in_full_and_matryoshka_form() {
    let folder = fixtures().join("embedders/nomic-tiny");
    let texts: Vec<String> =
        serde_json::from_slice(&std::fs::read(folder.join("texts.json")).unwrap()).unwrap();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (cut, file, width) in [(None, "full.f32", 80), (Some(64), "matryoshka64.f32", 64)] {
        let golden = floats(&folder.join(file), width);
        let embedder = nomic(&TransformerOptions {
            matryoshka: cut,
            ..Default::default()
        });
        let documents = embedder.embed_documents(&texts).unwrap();
        let documents = documents.into_iter().map(|d| d.unwrap().vector);
        let queries = texts.iter().map(|t| embedder.embed_query(t).unwrap());
        let mut worst = 0f32;
        for (got, want) in documents.chain(queries).zip(&golden) {
            let difference = dense(&got).iter().zip(want).map(|(a, b)| (a - b).abs());
            worst = difference.fold(worst, f32::max);
            let norm = got.norm();
            assert!((norm - 1.0).abs() <= 1e-6, "norm {norm}");
        }
        eprintln!("{file}: max abs difference {worst:e}");
        assert!(worst <= 1e-5, "{file}: {worst}");
    }
}

#[test]
fn g2_prefixes_are_put_once_and_only_on_models_that_have_them() {
    let embedder = nomic(&TransformerOptions::default());
    let query = embedder.embed_query("owl").unwrap();
    let document = embedder
        .embed_documents(&["owl"])
        .unwrap()
        .remove(0)
        .unwrap()
        .vector;
    assert!(query.similarity(&document).cosine() < 0.999_999);
    assert_eq!(embedder.embed_query("search_query: owl").unwrap(), query);
    assert_eq!(
        embedder.fingerprint().settings["query_prefix"],
        "search_query: "
    );
    let raw = TransformerOptions {
        prompts: Some(Prompts::default()),
        ..Default::default()
    };
    let raw = nomic(&raw);
    assert_eq!(raw.embed_query("search_query: owl").unwrap(), query);
    // G9: another prefix scheme is another space.
    let e = raw
        .fingerprint()
        .check("the index", embedder.fingerprint())
        .unwrap_err();
    assert!(matches!(e, Error::ModelMismatch { field, .. } if field == "document_prefix"));
}

#[test]
fn g3_dimensions_that_the_model_was_not_trained_for_are_errors() {
    let folder = fixtures().join("embedders/nomic-tiny");
    for d in [0, 63, 80, 128, 769] {
        let options = TransformerOptions {
            matryoshka: Some(d),
            ..Default::default()
        };
        assert!(matches!(
            NomicEmbedder::load(&folder, &options),
            Err(Error::InvalidSetting { .. })
        ));
    }
    let options = TransformerOptions {
        matryoshka: Some(64),
        ..Default::default()
    };
    assert!(matches!(
        BertEmbedder::load(&folder, &options),
        Err(Error::InvalidSetting { .. })
    ));
}

#[test]
fn g1_a_vector_depends_on_its_own_text_in_every_precision() {
    let long = "the owl ".repeat(60);
    let mid = "owl ".repeat(40);
    for precision in [Precision::F32, Precision::F16] {
        let embedder = nomic(&TransformerOptions {
            precision,
            ..Default::default()
        });
        let alone = embedder
            .embed_documents(&["hi"])
            .unwrap()
            .remove(0)
            .unwrap()
            .vector;
        let batch = embedder.embed_documents(&["hi", &long, &mid]).unwrap();
        let batch: Vec<Vector> = batch.into_iter().map(|e| e.unwrap().vector).collect();
        assert!(batch.iter().all(|v| dense(v).iter().all(|x| x.is_finite())));
        let cosine = alone.similarity(&batch[0]).cosine();
        assert!(cosine >= 0.9999, "{precision:?}: {cosine}");
    }
}

#[test]
fn g5_empty_texts_fail_alone() {
    let embedder = nomic(&TransformerOptions::default());
    let found = embedder
        .embed_documents(&["owl", "", "  \n", "\u{200b}", "the owls"])
        .unwrap();
    let ok: Vec<bool> = found.iter().map(Result::is_ok).collect();
    assert_eq!(ok, [true, false, false, false, true]);
    let alone = embedder
        .embed_documents(&["the owls"])
        .unwrap()
        .remove(0)
        .unwrap()
        .vector;
    assert!(
        found[4]
            .as_ref()
            .unwrap()
            .vector
            .similarity(&alone)
            .cosine()
            > 0.9999
    );
    assert!(matches!(&found[1], Err(Error::NothingToEmbed { entry }) if entry == "text 1"));
}

#[test]
fn long_texts_are_cut_and_say_so() {
    let embedder = nomic(&TransformerOptions {
        max_tokens: Some(16),
        ..Default::default()
    });
    let long = "owl ".repeat(100);
    let e = embedder
        .embed_documents(&[&long])
        .unwrap()
        .remove(0)
        .unwrap();
    assert_eq!(e.tokens, 16);
    assert!(e.truncated_from.is_some_and(|n| n > 100));
}

fn copy(to: &Path) {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::fs::copy(
            fixtures().join("embedders/nomic-tiny").join(name),
            to.join(name),
        )
        .unwrap();
    }
}

#[test]
fn g16_damage_is_named() {
    let options = TransformerOptions::default();
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = tempfile::tempdir().unwrap();
        copy(folder.path());
        // Three files and no network are enough.
        assert!(NomicEmbedder::load(folder.path(), &options).is_ok());
        let path = folder.path().join(name);
        let bytes = std::fs::read(&path).unwrap();
        let names_it = |e: Error| assert!(e.to_string().contains(name), "{e}");
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        names_it(NomicEmbedder::load(folder.path(), &options).unwrap_err());
        std::fs::write(&path, &bytes).unwrap();
        seal_model_folder(folder.path()).unwrap();
        assert!(NomicEmbedder::load(folder.path(), &options).is_ok());
        let mut flipped = bytes.clone();
        flipped[bytes.len() - 9] ^= 4;
        std::fs::write(&path, &flipped).unwrap();
        let e = NomicEmbedder::load(folder.path(), &options).unwrap_err();
        assert!(matches!(e, Error::Damaged { .. }), "{e}");
        names_it(e);
        std::fs::remove_file(&path).unwrap();
        names_it(NomicEmbedder::load(folder.path(), &options).unwrap_err());
    }
}

#[test]
fn g16_old_tensor_names_load_and_missing_ones_are_named() {
    let file = fixtures().join("embedders/nomic-tiny/model.safetensors");
    let bytes = std::fs::read(file).unwrap();
    let rename = |from: &str, to: &str| {
        let (length, rest) = bytes.split_first_chunk::<8>().unwrap();
        let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
        let header = String::from_utf8(header.to_vec())
            .unwrap()
            .replace(from, to);
        let mut out = (header.len() as u64).to_le_bytes().to_vec();
        out.extend_from_slice(header.as_bytes());
        out.extend_from_slice(data);
        out
    };
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    let path = folder.path().join("model.safetensors");
    let options = TransformerOptions::default();
    for (from, to) in [
        ("\"emb_ln.weight", "\"emb_ln.gamma"),
        ("\"emb_ln.bias", "\"emb_ln.beta"),
        ("\"encoder.", "\"bert.encoder."),
        ("\"embeddings.", "\"model.embeddings."),
    ] {
        std::fs::write(&path, rename(from, to)).unwrap();
        assert!(
            NomicEmbedder::load(folder.path(), &options).is_ok(),
            "{from} as {to}"
        );
    }
    std::fs::write(&path, rename("layers.1.norm2.bias", "layers.1.norm9.bias")).unwrap();
    let e = NomicEmbedder::load(folder.path(), &options)
        .unwrap_err()
        .to_string();
    assert!(
        e.contains("tensor encoder.layers.1.norm2.bias is missing"),
        "{e}"
    );
    // A model of another family says which loader takes it.
    let e = BertEmbedder::load(folder.path(), &options)
        .unwrap_err()
        .to_string();
    assert!(e.contains("nomic_bert"), "{e}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "release only: 200 texts through MiniLM")]
fn minilm_equals_sentence_transformers_on_200_mixed_texts() {
    let Some(path) = model("all-MiniLM-L6-v2") else {
        return;
    };
    let texts = std::fs::read(fixtures().join("embedders/minilm-texts.json")).unwrap();
    let texts: Vec<String> = serde_json::from_slice(&texts).unwrap();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let golden = floats(&fixtures().join("embedders/minilm.f32"), 384);
    let embedder = BertEmbedder::load(&path, &TransformerOptions::default()).unwrap();
    assert_eq!(embedder.max_tokens(), Some(256));
    let found = embedder.embed_documents(&texts).unwrap();
    let worst = found.iter().zip(golden).map(|(f, g)| {
        f.as_ref()
            .unwrap()
            .vector
            .similarity(&Vector::Dense(g))
            .cosine()
    });
    let worst = worst.fold(1.0, f64::min);
    eprintln!("least cosine with sentence-transformers: {worst}");
    assert!(worst >= 0.9999);
    // No prefix on a plain model.
    assert_eq!(embedder.fingerprint().settings["query_prefix"], "");
    let query = embedder.embed_query(texts[7]).unwrap();
    assert!(
        query
            .similarity(&found[7].as_ref().unwrap().vector)
            .cosine()
            > 0.9999
    );
}

#[test]
fn static_vectors_load_and_tell_texts_apart() {
    let Some(path) = model("static") else { return };
    let embedder = StaticEmbedder::load(&path, None).unwrap();
    let q = embedder.embed_query("the cat sat on the mat").unwrap();
    let near = embedder.embed_query("a cat is sitting on a mat").unwrap();
    let far = embedder
        .embed_query("quarterly revenue of the steel industry")
        .unwrap();
    assert!(q.similarity(&near).cosine() > q.similarity(&far).cosine() + 0.1);
    let found = embedder.embed_documents(&["cat", "", "dog"]).unwrap();
    assert!(found[0].is_ok() && found[1].is_err() && found[2].is_ok());
}

#[test]
fn static_vectors_equal_those_of_model2vec() {
    let Some(path) = model("static") else { return };
    let texts = std::fs::read(fixtures().join("embedders/minilm-texts.json")).unwrap();
    let texts: Vec<String> = serde_json::from_slice(&texts).unwrap();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let embedder = StaticEmbedder::load(&path, None).unwrap();
    let golden = floats(
        &fixtures().join("embedders/static.f32"),
        embedder.dimension(),
    );
    assert_eq!(golden.len(), 200);
    let mut worst = 0f32;
    for (got, want) in embedder
        .embed_documents(&texts)
        .unwrap()
        .iter()
        .zip(&golden)
    {
        let got = dense(&got.as_ref().unwrap().vector);
        worst = got
            .iter()
            .zip(want)
            .map(|(a, b)| (a - b).abs())
            .fold(worst, f32::max);
    }
    eprintln!("max abs difference to model2vec: {worst:e}");
    assert!(worst <= 1e-5, "{worst}");
    let long = "granite harbours ".repeat(600);
    let found = embedder
        .embed_documents(&[&long])
        .unwrap()
        .remove(0)
        .unwrap();
    assert!(found.tokens <= 512 && found.truncated_from.is_some());
}

/// A safetensors file with the named tensors of `f32`.
fn safetensors(tensors: &[(&str, &[usize], &[f32])]) -> Vec<u8> {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::<u8>::new());
    for (name, shape, values) in tensors {
        let from = data.len();
        data.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        let entry = serde_json::json!({
            "dtype": "F32", "shape": shape, "data_offsets": [from, data.len()]
        });
        header.insert((*name).to_owned(), entry);
    }
    let header = serde_json::to_vec(&header).unwrap();
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    out.extend(header);
    out.extend(data);
    out
}

#[test]
fn g6_a_static_model_with_a_value_that_is_not_finite_is_refused_by_row() {
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    std::fs::remove_file(folder.path().join("config.json")).unwrap();
    let path = folder.path().join("model.safetensors");
    let mut rows = vec![0.5f32; 400 * 4];
    std::fs::write(&path, safetensors(&[("embeddings", &[400, 4], &rows)])).unwrap();
    assert!(StaticEmbedder::load(folder.path(), None).is_ok());
    for bad in [f32::NAN, f32::INFINITY] {
        rows[4 * 37 + 2] = bad;
        std::fs::write(&path, safetensors(&[("embeddings", &[400, 4], &rows)])).unwrap();
        let e = StaticEmbedder::load(folder.path(), None).unwrap_err();
        assert!(matches!(e, Error::Model { .. }), "{e}");
        let e = e.to_string();
        assert!(
            e.contains("model.safetensors") && e.contains("row 37"),
            "{e}"
        );
    }
    // Rows of zeros load (padding tokens have them); a text of nothing else has no direction.
    rows.fill(0.0);
    std::fs::write(&path, safetensors(&[("embeddings", &[400, 4], &rows)])).unwrap();
    let zero = StaticEmbedder::load(folder.path(), None).unwrap();
    let e = zero.embed_query("owl").unwrap_err();
    assert!(matches!(e, Error::NothingToEmbed { .. }), "{e}");
}

#[test]
fn g6_a_transformer_with_a_weight_that_is_not_finite_is_refused_by_tensor() {
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    let path = folder.path().join("model.safetensors");
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.len() - 4;
    bytes[at..].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let e = NomicEmbedder::load(folder.path(), &TransformerOptions::default()).unwrap_err();
    assert!(matches!(e, Error::Model { .. }), "{e}");
    let e = e.to_string();
    assert!(
        e.contains("model.safetensors") && e.contains("finite"),
        "{e}"
    );
}

#[test]
fn damaged_files_of_a_static_model_are_named() {
    let Some(from) = model("static") else { return };
    for name in ["tokenizer.json", "model.safetensors", "config.json"] {
        let folder = tempfile::tempdir().unwrap();
        for file in ["tokenizer.json", "model.safetensors", "config.json"] {
            std::fs::copy(from.join(file), folder.path().join(file)).unwrap();
        }
        let path = folder.path().join(name);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let e = StaticEmbedder::load(folder.path(), None).unwrap_err();
        assert!(e.to_string().contains(name), "{e}");
        std::fs::write(&path, &bytes).unwrap();
        seal_model_folder(folder.path()).unwrap();
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 16;
        std::fs::write(&path, &flipped).unwrap();
        let e = StaticEmbedder::load(folder.path(), None).unwrap_err();
        assert!(matches!(e, Error::Damaged { .. }), "{e}");
        assert!(e.to_string().contains(name), "{e}");
    }
}

//! What a registry asks of each package, before one is made.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cargo_metadata::{MetadataCommand, Package};

/// The slugs in use, as the registry spells them.
const CATEGORIES: &[&str] = &[
    "algorithms",
    "api-bindings",
    "cryptography",
    "data-structures",
    "database",
    "internationalization",
    "mathematics",
    "science",
    "text-processing",
    "visualization",
];

fn packages() -> Vec<Package> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .join("Cargo.toml");
    let metadata = MetadataCommand::new()
        .manifest_path(manifest)
        .no_deps()
        .exec()
        .unwrap();
    metadata.packages
}

fn published() -> Vec<Package> {
    let mut all = packages();
    all.retain(|p| {
        p.publish
            .as_ref()
            .is_none_or(|registries| !registries.is_empty())
    });
    all
}

#[test]
fn crates_are_published_and_nothing_else() {
    for package in packages() {
        let is_crate = package.manifest_path.as_str().contains("/crates/");
        let goes_out = published().iter().any(|p| p.name == package.name);
        assert_eq!(is_crate, goes_out, "{}", package.name);
    }
    assert_eq!(published().len(), 13);
}

#[test]
fn every_package_says_what_it_is() {
    for p in published() {
        let name = &p.name;
        assert!(
            p.description.as_ref().is_some_and(|d| d.len() > 20),
            "{name}"
        );
        assert_eq!(p.license.as_deref(), Some("MIT OR Apache-2.0"), "{name}");
        assert!(
            (1..=5).contains(&p.keywords.len()),
            "{name}: 1 to 5 keywords"
        );
        for keyword in &p.keywords {
            let plain = keyword
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_+".contains(c));
            assert!(keyword.len() <= 20 && plain, "{name}: {keyword}");
        }
        assert!(
            (1..=5).contains(&p.categories.len()),
            "{name}: 1 to 5 categories"
        );
        for category in &p.categories {
            assert!(
                CATEGORIES.contains(&category.as_str()),
                "{name}: {category}"
            );
        }
        assert!(p.rust_version.is_some() && p.readme.is_some(), "{name}");
    }
}

#[test]
fn every_package_carries_its_licences_and_its_readme() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for p in published() {
        let folder = p.manifest_path.parent().unwrap();
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let (own, ours) = (fs::read(folder.join(licence)), fs::read(root.join(licence)));
            assert_eq!(own.unwrap(), ours.unwrap(), "{}: {licence}", p.name);
        }
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        assert!(readme.starts_with(&format!("# {}\n", p.name)), "{}", p.name);
        assert!(readme.contains("```rust"), "{}: an example", p.name);
    }
    let notice = fs::read_to_string(root.join("crates/wisdom-score/NOTICE")).unwrap();
    assert!(notice.contains("CC BY-SA 4.0"));
}

#[test]
fn docs_rs_builds_what_a_cpu_builds_and_marks_features() {
    for p in published() {
        let settings = &p.metadata["docs"]["rs"];
        let named: BTreeSet<&str> = settings["features"]
            .as_array()
            .map(|list| list.iter().filter_map(serde_json::Value::as_str).collect())
            .unwrap_or_default();
        assert!(
            settings["all-features"] == true || !named.is_empty(),
            "{}",
            p.name
        );
        for feature in &named {
            assert!(p.features.contains_key(*feature), "{}: {feature}", p.name);
        }
        let accelerated = ["cuda", "metal", "mkl", "accelerate"];
        if accelerated.iter().any(|f| p.features.contains_key(*f)) {
            assert!(settings["all-features"].is_null(), "{}", p.name);
            assert!(accelerated.iter().all(|f| !named.contains(f)), "{}", p.name);
        }
        let arguments = settings["rustdoc-args"].as_array().expect("rustdoc-args");
        assert!(arguments.iter().any(|a| a == "docsrs"), "{}", p.name);
        let lib = fs::read_to_string(p.manifest_path.parent().unwrap().join("src/lib.rs")).unwrap();
        assert!(
            lib.contains("#![cfg_attr(docsrs, feature(doc_cfg))]"),
            "{}",
            p.name
        );
    }
}

/// A path alone is not found by who gets the package from a registry.
#[test]
fn dependencies_among_ours_have_versions() {
    for p in published() {
        for dependency in p.dependencies.iter().filter(|d| d.path.is_some()) {
            let any = dependency.req.to_string() == "*";
            let ours_alone = dependency.name == p.name.as_str();
            assert!(!any || ours_alone, "{}: {}", p.name, dependency.name);
        }
    }
}

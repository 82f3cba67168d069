//! In-toto Statement v1.

use crate::error::Result;
use crate::hash::{ContentDigest, Sha256Digest};
use crate::payload::{AnswerDigest, Clause, StagePayload};
use crate::run::RunRecord;
use crate::value::Value;

/// The statement's type.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The predicate's type: a run of this crate's format, version 1.
pub const PREDICATE_TYPE: &str = "https://candor.dev/run-dag/v1";

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
}

fn subject(name: &str, blake3: &ContentDigest, sha256: &Sha256Digest) -> Value {
    let digest = object([
        ("blake3", blake3.to_hex().into()),
        ("sha256", sha256.to_hex().into()),
    ]);
    object([("name", name.into()), ("digest", digest)])
}

/// The run as an in-toto Statement v1: subjects are the answer, the rendered text and the record
/// itself (the only one where there was no answer), each by BLAKE3 and by SHA-256, since consumers
/// ignore digests that they do not know. The predicate is the run: root, shape, policy references,
/// label and each stage's hashes.
///
/// # Errors
/// Only if canonical JSON cannot be written, which no record gives cause for.
pub fn in_toto(record: &RunRecord) -> Result<Value> {
    let mut subjects = Vec::new();
    let mut predicate = Clause::from([
        ("run_dag_root".into(), record.run_dag_root().to_hex().into()),
        ("shape".into(), record.shape().name().into()),
    ]);
    let mut add = |name: &str, digest: &AnswerDigest| {
        subjects.push(subject(name, &digest.blake3, &digest.sha256));
    };
    for stage in record.stages() {
        match stage.payload() {
            StagePayload::Answer(p) | StagePayload::RawAnswer(p) => add("answer", &p.answer),
            StagePayload::Render(p) => add("rendered_answer", &p.text),
            StagePayload::Preflight(p) => {
                predicate.insert("policy_refs".into(), Value::from_serialize(&p.policy_refs)?);
            }
            StagePayload::FinalLabel(p) => {
                predicate.insert("label".into(), p.label.as_str().into());
            }
            StagePayload::Question(p) => {
                predicate.insert("question_hash".into(), p.question_hash.to_hex().into());
            }
            _ => {}
        }
    }
    let bytes = record.to_canonical_json()?;
    subjects.push(subject(
        "run_record",
        &ContentDigest::of(&bytes),
        &Sha256Digest::of(&bytes),
    ));
    let stages = record
        .stage_names()
        .into_iter()
        .zip(record.stages())
        .map(|(name, stage)| {
            object([
                ("name", name.into()),
                ("payload_hash", stage.payload_hash().to_hex().into()),
                ("stage_hash", stage.stage_hash().to_hex().into()),
            ])
        });
    predicate.insert("stages".into(), Value::List(stages.collect()));
    Ok(object([
        ("_type", STATEMENT_TYPE.into()),
        ("subject", Value::List(subjects)),
        ("predicateType", PREDICATE_TYPE.into()),
        ("predicate", Value::Object(predicate)),
    ]))
}

//! W3C PROV-JSON (Member Submission of 2013).

use crate::run::RunRecord;
use crate::value::Value;
use std::collections::BTreeMap;

type Fields = BTreeMap<String, Value>;

fn pair(key_a: &str, a: &str, key_b: &str, b: &str) -> Value {
    Value::Object(Fields::from([
        (key_a.into(), a.into()),
        (key_b.into(), b.into()),
    ]))
}

/// The run in PROV-JSON: each stage's result is an entity, made by an activity of the stage's kind,
/// which used the parents' results and so makes the entity derive from them. Names live in the
/// prefix `run`, whose URI ends in the run's root.
#[must_use]
pub fn prov_json(record: &RunRecord) -> Value {
    let names: Vec<String> = record
        .stage_names()
        .iter()
        .map(|name| name.replace(['#', '/'], "-"))
        .collect();
    let [
        mut entities,
        mut activities,
        mut used,
        mut generated,
        mut derived,
    ] = std::array::from_fn(|_| Fields::new());
    for (stage, name) in record.stages().iter().zip(&names) {
        let (entity, activity) = (format!("run:{name}"), format!("run:do-{name}"));
        let about = Fields::from([
            ("prov:type".into(), "run:stage".into()),
            ("run:kind".into(), stage.kind().as_str().into()),
            ("run:stage_hash".into(), stage.stage_hash().to_hex().into()),
            (
                "run:payload_hash".into(),
                stage.payload_hash().to_hex().into(),
            ),
        ]);
        entities.insert(entity.clone(), Value::Object(about));
        let label = Fields::from([("prov:label".into(), stage.kind().as_str().into())]);
        activities.insert(activity.clone(), Value::Object(label));
        let made = pair("prov:entity", &entity, "prov:activity", &activity);
        generated.insert(format!("_:g-{name}"), made);
        for parent in stage.parents().iter().filter_map(|&p| names.get(p)) {
            let source = format!("run:{parent}");
            let use_of = pair("prov:activity", &activity, "prov:entity", &source);
            used.insert(format!("_:u-{name}-{parent}"), use_of);
            let from = pair("prov:generatedEntity", &entity, "prov:usedEntity", &source);
            derived.insert(format!("_:d-{name}-{parent}"), from);
        }
    }
    let root = record.run_dag_root().to_hex();
    let prefix = Fields::from([("run".into(), format!("urn:candor:run:{root}#").into())]);
    let parts = [
        ("prefix", prefix),
        ("entity", entities),
        ("activity", activities),
        ("used", used),
        ("wasGeneratedBy", generated),
        ("wasDerivedFrom", derived),
    ];
    let filled = parts.into_iter().filter(|(_, fields)| !fields.is_empty());
    Value::Object(
        filled
            .map(|(key, fields)| (key.to_owned(), Value::Object(fields)))
            .collect(),
    )
}

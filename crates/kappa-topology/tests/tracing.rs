//! The span `topology.analyze` and the event `topology.route` carry what the page names.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use kappa_topology::{Digraph, Options, analyze, analyze_weighted};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

type Seen = Arc<Mutex<BTreeMap<String, String>>>;

struct Collect(Seen);

struct Prefixed<'a>(&'a str, &'a Seen);

impl Visit for Prefixed<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let key = format!("{}.{}", self.0, field.name());
        self.1.lock().unwrap().insert(key, format!("{value:?}"));
    }
}

impl<S: Subscriber> Layer<S> for Collect {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        attributes.record(&mut Prefixed(attributes.metadata().name(), &self.0));
    }
    fn on_record(&self, _: &Id, values: &Record<'_>, _: Context<'_, S>) {
        values.record(&mut Prefixed("topology.analyze", &self.0));
    }
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        event.record(&mut Prefixed(event.metadata().name(), &self.0));
    }
}

#[test]
fn an_analysis_is_a_span_and_its_routing_an_event() {
    let seen = Seen::default();
    let subscriber = tracing_subscriber::registry().with(Collect(seen.clone()));
    tracing::subscriber::with_default(subscriber, || {
        let graph = Digraph::from_edges([(1, 2), (2, 1), (2, 3)]).unwrap();
        analyze(&graph, &Options::default());
    });
    let seen = seen.lock().unwrap();
    for (key, value) in [
        ("topology.analyze.nodes", "3"),
        ("topology.analyze.edges", "3"),
        ("topology.analyze.scc_count", "1"),
        ("topology.analyze.max_kappa", "1"),
        ("topology.analyze.routing", "\"deliberate\""),
        ("topology.route.routing", "\"deliberate\""),
        ("topology.route.max_kappa", "1"),
    ] {
        assert_eq!(
            seen.get(key).map(String::as_str),
            Some(value),
            "{key} in {seen:?}"
        );
    }
}

#[test]
fn a_weighted_analysis_has_the_same_span_and_event() {
    let seen = Seen::default();
    let subscriber = tracing_subscriber::registry().with(Collect(seen.clone()));
    tracing::subscriber::with_default(subscriber, || {
        let mut builder = Digraph::builder();
        builder.weighted_edge(1, 2, "0.25".parse().unwrap());
        builder.weighted_edge(2, 1, "1.5".parse().unwrap());
        analyze_weighted(&builder.build().unwrap(), &Options::default());
    });
    let seen = seen.lock().unwrap();
    for (key, value) in [
        ("topology.analyze.nodes", "2"),
        ("topology.analyze.scc_count", "1"),
        ("topology.analyze.max_kappa", "0.25"),
        ("topology.route.routing", "\"deliberate\""),
        ("topology.route.max_kappa", "0.25"),
    ] {
        let found = seen.get(key).map(String::as_str);
        assert_eq!(found, Some(value), "{key} in {seen:?}");
    }
}

//! The laws of [`IngestLog`].

use super::{Outcome, demand, word};
use crate::{Error, IngestLog, IngestStep};

/// Checks an empty log.
///
/// # Errors
/// What the log got wrong.
pub fn ingest_log(log: &dyn IngestLog) -> Outcome {
    steps(log)?;
    digests(log)?;
    refusals(log)?;
    pages(log)?;
    side_by_side(log)?;
    many(log)
}

fn ids(of: &[&str]) -> Vec<String> {
    of.iter().map(|s| (*s).to_owned()).collect()
}

const ODD: &str = "a 'b' \"c\"; -- \u{e9} e\u{301} \u{1f600}\n%_\\.txt";

fn steps(log: &dyn IngestLog) -> Outcome {
    demand(log.get(ODD).map_err(word)?.is_none(), "a new log is empty")?;
    let begun = log.begin(ODD, "d1").map_err(word)?;
    demand(
        begun.source == ODD && begun.step == IngestStep::Swept && begun.chunk_ids.is_empty(),
        "a source begins as swept",
    )?;
    let chunks = ids(&["z", "a", ODD]);
    let advanced = log.advance(ODD, "d1", IngestStep::Chunked, Some(&chunks));
    demand(advanced.map_err(word)?, "a later step is a change")?;
    let again = log.advance(ODD, "d1", IngestStep::Chunked, Some(&ids(&["other"])));
    demand(!again.map_err(word)?, "the same step again is none")?;
    let back = log.advance(ODD, "d1", IngestStep::Swept, None);
    demand(!back.map_err(word)?, "an earlier step is none")?;
    log.fail(ODD, "d1", "no 'memory'").map_err(word)?;
    let failed = log.begin(ODD, "d1").map_err(word)?;
    demand(
        failed.chunk_ids == chunks
            && failed.step == IngestStep::Chunked
            && failed.failure.as_deref() == Some("no 'memory'"),
        "a source is taken up where it stopped, chunk ids in their order",
    )?;
    log.advance(ODD, "d1", IngestStep::Embedded, None)
        .map_err(word)?;
    let now = log.get(ODD).map_err(word)?.ok_or("the record is gone")?;
    demand(
        now.failure.is_none() && now.chunk_ids == chunks && now.step == IngestStep::Embedded,
        "a step that succeeds clears the failure and keeps the chunks; steps may be skipped",
    )
}

fn digests(log: &dyn IngestLog) -> Outcome {
    let changed = log.begin(ODD, "d2").map_err(word)?;
    let mut former = ids(&["z", "a", ODD]);
    former.sort();
    demand(
        changed.step == IngestStep::Swept && changed.chunk_ids.is_empty(),
        "other contents begin anew",
    )?;
    demand(
        changed.superseded == former,
        "former entries are remembered, sorted",
    )?;
    let late = log.advance(ODD, "d1", IngestStep::Done, None);
    demand(
        matches!(&late, Err(Error::StaleIngest { recorded: Some(r), .. }) if r == "d2"),
        "a worker on former contents is refused",
    )?;
    log.advance(ODD, "d2", IngestStep::Chunked, Some(&ids(&["n"])))
        .map_err(word)?;
    let third = log.begin(ODD, "d3").map_err(word)?;
    former.push("n".into());
    former.sort();
    demand(
        third.superseded == former,
        "what two former contents left is kept together",
    )?;
    let inserted = log.advance(ODD, "d3", IngestStep::Inserted, Some(&ids(&["m"])));
    demand(inserted.map_err(word)?, "a step may settle the ids late")?;
    let now = log.get(ODD).map_err(word)?.ok_or("the record is gone")?;
    demand(
        now.superseded.is_empty() && now.chunk_ids == ids(&["m"]),
        "insertion empties what was superseded",
    )
}

fn refusals(log: &dyn IngestLog) -> Outcome {
    for (source, digest) in [("", "d"), ("a\0b", "d"), ("x", ""), ("x", "d\0")] {
        demand(
            matches!(log.begin(source, digest), Err(Error::InvalidSetting { .. })),
            "an empty source or digest and U+0000 are refused",
        )?;
    }
    demand(log.get("x").map_err(word)?.is_none(), "nothing was begun")?;
    let unknown = log.advance("x", "d", IngestStep::Chunked, None);
    demand(
        matches!(unknown, Err(Error::StaleIngest { recorded: None, .. })),
        "a source that was not begun has no steps",
    )?;
    let nul = log.advance(ODD, "d3", IngestStep::Done, Some(&ids(&["a\0"])));
    demand(
        matches!(nul, Err(Error::InvalidSetting { .. })),
        "U+0000 in an id is refused",
    )?;
    let step = log.get(ODD).map_err(word)?.map(|r| r.step);
    demand(
        step == Some(IngestStep::Inserted),
        "a refused write leaves nothing behind",
    )?;
    demand(
        matches!(
            log.fail("x", "d", "r"),
            Err(Error::StaleIngest { recorded: None, .. })
        ),
        "a source that was not begun cannot fail",
    )
}

fn pages(log: &dyn IngestLog) -> Outcome {
    let forgotten = log.forget(ODD).map_err(word)?.map(|r| r.digest);
    demand(
        forgotten.as_deref() == Some("d3") && log.forget(ODD).map_err(word)?.is_none(),
        "a source is forgotten once",
    )?;
    let mut sources = ["b", "B", "\u{e9}", "z", "10", "9", "a"];
    for source in sources {
        log.begin(source, "d").map_err(word)?;
    }
    log.advance("9", "d", IngestStep::Done, None)
        .map_err(word)?;
    sources.sort_unstable();
    let listed = |unfinished| -> Result<Vec<String>, String> {
        let mut found: Vec<String> = Vec::new();
        loop {
            let page = log.page(unfinished, found.last().map(String::as_str), 2);
            let page = page.map_err(word)?;
            if page.is_empty() {
                return Ok(found);
            }
            found.extend(page.into_iter().map(|r| r.source));
        }
    };
    demand(listed(false)? == sources, "sources come in byte order")?;
    let unfinished: Vec<&str> = sources.into_iter().filter(|s| *s != "9").collect();
    demand(
        listed(true)? == unfinished,
        "what is done is not unfinished",
    )?;
    demand(
        log.page(false, None, 0).map_err(word)?.is_empty(),
        "a page of none is empty",
    )
}

/// Many sources at once are the same as one by one.
fn many(log: &dyn IngestLog) -> Outcome {
    let pair = |source: &str, digest: &str| (source.to_owned(), digest.to_owned());
    let sources = [pair("many/1", "d"), pair("many/2", "d")];
    let begun = log.begin_many(&sources).map_err(word)?;
    demand(begun == 2, "sources that are new are counted")?;
    let again = [
        pair("many/1", "d"),
        pair("many/2", "e"),
        pair("many/3", "d"),
    ];
    let begun = log.begin_many(&again).map_err(word)?;
    demand(begun == 2, "what is as it was is not counted")?;
    let second = log.get("many/2").map_err(word)?;
    demand(
        second.is_some_and(|r| r.digest == "e") && log.get("many/3").map_err(word)?.is_some(),
        "all are begun",
    )?;
    demand(
        log.begin_many(&[pair("", "d")]).is_err(),
        "a source without a name is refused",
    )
}

/// Workers on different sources lose nothing of each other.
fn side_by_side(log: &dyn IngestLog) -> Outcome {
    let work = |worker: usize| -> Outcome {
        for number in 0..20 {
            let source = format!("w{worker}/{number}");
            log.begin(&source, "d").map_err(word)?;
            let chunk = [format!("{source}#0")];
            log.advance(&source, "d", IngestStep::Chunked, Some(&chunk))
                .map_err(word)?;
            log.advance(&source, "d", IngestStep::Done, None)
                .map_err(word)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|w| scope.spawn(move || work(w))).collect();
        workers.into_iter().try_for_each(|w| {
            w.join()
                .unwrap_or_else(|_| Err("a worker panicked".to_owned()))
        })
    })?;
    let all = log.page(false, Some("w"), usize::MAX).map_err(word)?;
    let whole = all
        .iter()
        .filter(|r| r.source.starts_with('w'))
        .filter(|r| r.step == IngestStep::Done && r.chunk_ids == [format!("{}#0", r.source)]);
    demand(whole.count() == 80, "every worker's sources are there")
}

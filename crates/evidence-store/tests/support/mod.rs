//! Stores for tests: each its own file or schema.
#![allow(dead_code, unreachable_pub)]

use std::sync::atomic::{AtomicU64, Ordering};

use evidence_store::Store;
use tempfile::TempDir;

static NEXT: AtomicU64 = AtomicU64::new(0);

/// The connection string of the test server; says plainly when there is none.
pub fn postgres_settings() -> Option<String> {
    let settings = std::env::var("CANDOR_POSTGRES").ok();
    if settings.is_none() {
        println!("skipped: CANDOR_POSTGRES is not set (fixtures/postgres.sh start prints it)");
    }
    settings
}

/// A schema name that no other test uses.
pub fn fresh_schema() -> String {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("t{}_{number}", std::process::id())
}

/// A schema of its own on the test server, dropped at the end.
#[cfg(feature = "postgres")]
pub struct Schema {
    pub settings: String,
    pub name: String,
}

#[cfg(feature = "postgres")]
impl Schema {
    pub fn new() -> Option<Self> {
        let settings = postgres_settings()?;
        let name = fresh_schema();
        Some(Self { settings, name })
    }

    pub fn open(&self) -> Store {
        Store::postgres(&self.settings, &self.name).unwrap()
    }

    pub fn client(&self) -> postgres::Client {
        let mut client = postgres::Client::connect(&self.settings, postgres::NoTls).unwrap();
        client
            .batch_execute(&format!("SET search_path TO \"{}\", public", self.name))
            .unwrap();
        client
    }
}

#[cfg(feature = "postgres")]
impl Drop for Schema {
    fn drop(&mut self) {
        if let Ok(mut client) = postgres::Client::connect(&self.settings, postgres::NoTls) {
            let _ =
                client.batch_execute(&format!("DROP SCHEMA IF EXISTS \"{}\" CASCADE", self.name));
        }
    }
}

/// A file of its own.
pub fn file() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::sqlite(folder.path().join("store.sqlite")).unwrap();
    (folder, store)
}

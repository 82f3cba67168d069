//! Shared by the tests of this crate.
#![allow(dead_code, unreachable_pub)]

use run_dag::tree::TreeHasher;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The instance of the generic tree that RFC 6962 defines: SHA-256, leaf prefix 00, node prefix 01.
#[derive(Debug, Clone, Copy)]
pub enum Sha256Tree {}

impl TreeHasher for Sha256Tree {
    type Hash = Vec<u8>;
    fn empty() -> Vec<u8> {
        Sha256::digest(b"").to_vec()
    }
    fn leaf(data: &[u8]) -> Vec<u8> {
        Sha256::digest([&[0][..], data].concat()).to_vec()
    }
    fn node(left: &Vec<u8>, right: &Vec<u8>) -> Vec<u8> {
        Sha256::digest([&[1][..], left, right].concat()).to_vec()
    }
}

/// The folder of outside data, or a plain word that the test is skipped.
pub fn data(folder: &str) -> Option<PathBuf> {
    let found = std::env::var_os("CANDOR_DATA").map(|d| PathBuf::from(d).join(folder));
    if found.is_none() {
        println!("skipped: CANDOR_DATA is not set, {folder} is not read");
    }
    found
}

/// The folder of committed fixtures of this crate.
pub fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/run-dag")
}

/// A small generator with a fixed seed (SplitMix64), for tests that need many random inputs.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

//! Ingestion: a sweep finds sources, one executor takes them into a dictionary, step by step and
//! resumable; sweeps keep it clean; it can be reset.

mod executor;
mod maintenance;
mod malformed;
mod prepare;
mod report;
mod reset;
mod specialists;
mod survey;
mod sweep;
mod working;

pub use executor::{Executor, ExecutorOptions};
pub use maintenance::{
    ArtifactSweep, MaintenanceOptions, MalformedSpecialist, OrphanSweep, PurgedEntry,
    ShutdownReport,
};
pub use malformed::{MalformedName, malformed_name};
pub use report::{DrainReport, FailedSource};
pub use reset::ResetMode;
pub use specialists::{DensityOptions, SpawnReport, SpecialistProposal};
pub use survey::{CENTRE_SAMPLE, Survey, survey};
pub use sweep::SweepReport;

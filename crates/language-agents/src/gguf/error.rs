//! Why a model file can't be used.

/// Why a GGUF file was not loaded. Each names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GgufError {
    /// The file could not be read.
    #[error("the model file {path} could not be read: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no GGUF file at all.
    #[error("{path} is no GGUF file: it does not start with the letters GGUF")]
    NotGguf {
        /// The file.
        path: String,
    },
    /// It ends before something that its header promises.
    #[error(
        "the model file {path} is truncated: {what} needs bytes up to {needed}, the file has {size}"
    )]
    Truncated {
        /// The file.
        path: String,
        /// What does not fit.
        what: String,
        /// Where it would end.
        needed: u64,
        /// Bytes of the file.
        size: u64,
    },
    /// Something in it contradicts the format or itself.
    #[error("the model file {path} is damaged at byte {at}: {what}")]
    Damaged {
        /// The file.
        path: String,
        /// Where, in bytes from its start.
        at: u64,
        /// What is wrong.
        what: String,
    },
    /// A key or a tensor that the model needs is not in it.
    #[error("the model file {path} lacks {what}")]
    Missing {
        /// The file.
        path: String,
        /// What it lacks.
        what: String,
    },
    /// A model that this agent can't run.
    #[error("the model file {path} can't be run here: {what} is {found}; accepted is {accepted}")]
    Unsupported {
        /// The file.
        path: String,
        /// What is not supported.
        what: String,
        /// What the file says.
        found: String,
        /// What would do.
        accepted: String,
    },
    /// The numeric library refused the tensors, or no thread could be started.
    #[error("the model of {path} could not be built: {reason}")]
    Model {
        /// The file.
        path: String,
        /// What was said.
        reason: String,
    },
}

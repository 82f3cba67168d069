//! Any OpenAI-compatible chat endpoint: OpenAI, Ollama, vLLM, llama.cpp's server and others.
//!
//! One thread a call and no runtime: the future works on any executor, and dropping it closes the
//! connection. Nothing outlasts [`OpenAiOptions::deadline`]. Redirects are not followed, no proxy
//! is read from the environment, no connection is kept.
//!
//! A key is read from the environment ([`OpenAi::with_key_from_env`]), sent in one header and shown
//! nowhere: not by `Debug`, not in an error (a server's text loses every word that has a part of it),
//! not in a log (the HTTP client logs bytes at its finest level; it is kept from seeing the key). A key
//! that a server sends back is asterisks. It is sent over TLS only, or to this machine.

mod events;
mod key;
mod retry_after;
mod transport;
mod wire;

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::http::{HeaderMap, Uri};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, DefaultConnector};

use crate::reply::{Reply, reply};
use crate::{Agent, AgentError, BoxFuture, Completion, Prompt};
use events::Events;
use key::Key;
use transport::Veiling;
use wire::Assembly;

/// The variable that [`OpenAi::with_key_from_env`] reads when told none.
pub const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// At most so much of an error's body is read.
const MAX_ERROR_BODY: u64 = 64 * 1024;

/// By which name the cap on generated tokens is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TokenLimit {
    /// `max_tokens`, which every server knows.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models ask for.
    MaxCompletionTokens,
}

/// How an endpoint is asked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OpenAiOptions {
    /// Whether the reply comes as a stream: a stall is then seen after [`OpenAiOptions::silence`],
    /// not only at the deadline.
    pub stream: bool,
    /// The time for the name, the connection and TLS.
    pub connect: Duration,
    /// The longest silence while a reply is read. A reply that is not streamed is silent until the
    /// model has ended: allow for that.
    pub silence: Duration,
    /// The time for the whole call.
    pub deadline: Duration,
    /// The largest reply that is read, in bytes.
    pub max_bytes: u64,
    /// Whether a prompt's schema is sent as `response_format`. A server that refuses the field is
    /// asked again without it, in the same call, and not sent it again.
    pub structured: bool,
    /// The sampling temperature; 0 by default; none is sent for models that refuse it.
    pub temperature: Option<f64>,
    /// The sampling seed, for servers that have one.
    pub seed: Option<u64>,
    /// The name of the cap on tokens.
    pub token_limit: TokenLimit,
}

impl Default for OpenAiOptions {
    /// A stream; 10 s to connect, 60 s of silence, 300 s in all; 4 MiB; structured; temperature 0.
    fn default() -> Self {
        Self {
            stream: true,
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(60),
            deadline: Duration::from_secs(300),
            max_bytes: 4 << 20,
            structured: true,
            temperature: Some(0.0),
            seed: None,
            token_limit: TokenLimit::default(),
        }
    }
}

/// An agent over a chat endpoint.
#[derive(Debug)]
pub struct OpenAi {
    endpoint: Arc<Endpoint>,
}

#[derive(Debug)]
struct Endpoint {
    url: Uri,
    model: String,
    key: Option<Key>,
    options: OpenAiOptions,
    roots: Option<RootCerts>,
    /// The server has refused `response_format` once.
    plain: AtomicBool,
}

fn configuration(reason: impl Into<String>) -> AgentError {
    AgentError::Configuration {
        reason: reason.into(),
    }
}

impl OpenAi {
    /// An endpoint by its base URL (`http://localhost:11434/v1`; `/chat/completions` is added where
    /// it is not there) and the model to ask for. No key is sent.
    ///
    /// # Errors
    /// [`AgentError::Configuration`] where the URL is not http or https, has no host, or has a user
    /// or password in it.
    pub fn new(url: &str, model: &str, options: OpenAiOptions) -> Result<Self, AgentError> {
        Ok(Self {
            endpoint: Arc::new(Endpoint {
                url: chat_url(url)?,
                model: model.to_owned(),
                key: None,
                options,
                roots: None,
                plain: AtomicBool::new(false),
            }),
        })
    }

    /// Sends the key that an environment variable holds ([`KEY_VARIABLE`] is the usual one).
    ///
    /// # Errors
    /// [`AgentError::Configuration`] where the variable is not set, is no key, or the key would be
    /// sent in the clear to another machine.
    pub fn with_key_from_env(self, variable: &str) -> Result<Self, AgentError> {
        let key = std::env::var(variable).map_err(|_| {
            configuration(format!("the variable {variable} is not set, or not UTF-8"))
        })?;
        self.with_key(&key)
    }

    /// Sends a key from elsewhere (a secret store).
    ///
    /// # Errors
    /// As [`OpenAi::with_key_from_env`].
    pub fn with_key(self, key: &str) -> Result<Self, AgentError> {
        let key = Key::new(key)?;
        let url = &self.endpoint.url;
        if url.scheme_str() != Some("https") && !is_this_machine(url.host().unwrap_or("")) {
            return Err(configuration(
                "a key is sent over https only, or to this machine (localhost, 127.0.0.1, ::1)",
            ));
        }
        Ok(self.rebuild(|e| e.key = Some(key)))
    }

    /// Trusts these certificates (PEM) and no others: a server of one's own.
    ///
    /// # Errors
    /// [`AgentError::Configuration`] where there is none in the text.
    pub fn with_certificates(self, pem: &[u8]) -> Result<Self, AgentError> {
        let found: Vec<Certificate<'static>> = ureq::tls::parse_pem(pem)
            .filter_map(Result::ok)
            .filter_map(|item| match item {
                ureq::tls::PemItem::Certificate(certificate) => Some(certificate),
                _ => None,
            })
            .collect();
        if found.is_empty() {
            return Err(configuration("there is no PEM certificate in the text"));
        }
        Ok(self.rebuild(|e| e.roots = Some(RootCerts::new_with_certs(&found))))
    }

    fn rebuild(self, change: impl FnOnce(&mut Endpoint)) -> Self {
        let old = &self.endpoint;
        let mut new = Endpoint {
            url: old.url.clone(),
            model: old.model.clone(),
            key: old.key.clone(),
            options: old.options.clone(),
            roots: old.roots.clone(),
            plain: AtomicBool::new(old.plain.load(Ordering::Relaxed)),
        };
        change(&mut new);
        Self {
            endpoint: Arc::new(new),
        }
    }
}

/// The address of the chat call. Errors do not repeat the URL: it may hold a secret.
fn chat_url(base: &str) -> Result<Uri, AgentError> {
    let (path, query) = match base.split_once('?') {
        Some((path, query)) => (path, format!("?{query}")),
        None => (base, String::new()),
    };
    let path = path.trim_end_matches('/');
    let call = if path.ends_with("/chat/completions") {
        ""
    } else {
        "/chat/completions"
    };
    let accepted = "http://HOST/v1 or https://HOST/v1";
    let url: Uri = format!("{path}{call}{query}")
        .parse()
        .map_err(|_| configuration(format!("the endpoint is no URL; {accepted} is expected")))?;
    if !matches!(url.scheme_str(), Some("http" | "https")) || url.host().unwrap_or("").is_empty() {
        let reason = format!("the endpoint is no http URL; {accepted} is expected");
        return Err(configuration(reason));
    }
    if url.authority().is_some_and(|a| a.as_str().contains('@')) {
        return Err(configuration(
            "the endpoint has a user or password in it; a key is given by the environment",
        ));
    }
    Ok(url)
}

fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || address
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

impl Agent for OpenAi {
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        let endpoint = Arc::clone(&self.endpoint);
        let called = Instant::now();
        let (reply, pending) = reply();
        // A thread that can't be started drops the reply, which ends the future with an error.
        let started = std::thread::Builder::new()
            .name("openai".to_owned())
            .spawn(move || {
                let outcome = endpoint.complete(&prompt, called, &reply);
                reply.send(outcome);
            });
        drop(started);
        Box::pin(pending)
    }
}

/// A response of the server, whatever its status.
type Response = ureq::http::Response<ureq::Body>;

impl Endpoint {
    fn complete(
        &self,
        prompt: &Prompt,
        called: Instant,
        reply: &Reply,
    ) -> Result<Completion, AgentError> {
        let mut structured = self.options.structured
            && prompt.output_schema.is_some()
            && !self.plain.load(Ordering::Relaxed);
        loop {
            let response = self.send(prompt, structured, called, reply)?;
            let status = response.status().as_u16();
            if status == 200 {
                let done = self.read(response, called)?;
                return match &self.key {
                    Some(key) if key.is_in(&done.text) || key.is_in(&done.model_id) => {
                        Err(AgentError::Malformed {
                            reason: "the reply repeats the key".to_owned(),
                        })
                    }
                    _ => Ok(done),
                };
            }
            let (headers, body) = self.error_body(response);
            if structured && matches!(status, 400 | 422) && refuses_format(&body) {
                self.plain.store(true, Ordering::Relaxed);
                structured = false;
                continue;
            }
            return Err(self.refused(status, &headers, &body));
        }
    }

    fn left(&self, called: Instant) -> Result<Duration, AgentError> {
        let left = self.options.deadline.saturating_sub(called.elapsed());
        if left.is_zero() {
            return Err(self.timeout(self.options.deadline));
        }
        Ok(left)
    }

    fn timeout(&self, after: Duration) -> AgentError {
        AgentError::Timeout {
            after_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn send(
        &self,
        prompt: &Prompt,
        structured: bool,
        called: Instant,
        reply: &Reply,
    ) -> Result<Response, AgentError> {
        let options = &self.options;
        let mut tls = TlsConfig::builder();
        if let Some(roots) = &self.roots {
            tls = tls.root_certs(roots.clone());
        }
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .max_idle_connections(0)
            .tls_config(tls.build())
            .timeout_global(Some(self.left(called)?))
            .timeout_resolve(Some(options.connect))
            .timeout_connect(Some(options.connect))
            .timeout_per_read(Some(options.silence))
            .timeout_per_write(Some(options.silence))
            .build();
        let agent = match &self.key {
            None => ureq::Agent::new_with_config(config),
            Some(key) => {
                let connector = DefaultConnector::default().chain(Veiling(key.clone()));
                ureq::Agent::with_parts(config, connector, DefaultResolver::default())
            }
        };
        let at_drop = agent.clone();
        reply.on_drop(move || at_drop.shutdown());
        let body = wire::request(&self.model, prompt, options, structured).to_string();
        let mut request = agent
            .post(&self.url)
            .header("content-type", "application/json")
            .header(
                "accept",
                if options.stream {
                    "text/event-stream"
                } else {
                    "application/json"
                },
            );
        if let Some(key) = &self.key {
            request = request.header("authorization", key.header());
        }
        request.send(body).map_err(|e| self.lost(&e))
    }

    /// A reply with status 200, as a stream or whole, whichever the server chose.
    fn read(&self, mut response: Response, called: Instant) -> Result<Completion, AgentError> {
        let streamed = response
            .headers()
            .get("content-type")
            .and_then(|value| value.to_str().ok())
            .is_some_and(|kind| kind.trim_start().starts_with("text/event-stream"));
        let max = self.options.max_bytes;
        let mut reader = response.body_mut().with_config().limit(u64::MAX).reader();
        let (mut events, mut assembly) = (Events::default(), Assembly::default());
        let (mut whole, mut count) = (Vec::new(), 0_u64);
        let mut buffer = [0_u8; 8192];
        loop {
            self.left(called)?;
            let n = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => n,
                Err(error) => return Err(self.broken(&error, count)),
            };
            count += n as u64;
            if count > max {
                return Err(AgentError::Malformed {
                    reason: format!("more than {max} bytes"),
                });
            }
            let bytes = buffer.get(..n).unwrap_or_default();
            if !streamed {
                whole.extend(bytes);
                continue;
            }
            for data in events.push(bytes) {
                assembly.take(&data).map_err(|e| self.redacted(e))?;
            }
            if assembly.has_ended() {
                break;
            }
        }
        if !streamed {
            assembly.take(&whole).map_err(|e| self.redacted(e))?;
        } else if let Some(data) = events.finish()
            && !assembly.has_ended()
        {
            // A last event that is cut is a stream that is cut, not a server that errs.
            if assembly.take(&data).is_err() {
                return Err(truncated(count));
            }
        }
        let done = assembly.complete(&self.model, streamed);
        done.map_err(|e| self.redacted(e))
    }

    /// An error's headers and as much of its body as is there.
    fn error_body(&self, mut response: Response) -> (HeaderMap, String) {
        let mut bytes = Vec::new();
        let reader = response.body_mut().with_config().limit(u64::MAX).reader();
        // What can't be read is not shown; the status says enough.
        let _ = reader.take(MAX_ERROR_BODY).read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (response.headers().clone(), text)
    }

    /// What a status other than 200 means.
    fn refused(&self, status: u16, headers: &HeaderMap, body: &str) -> AgentError {
        let json: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        let error = json.get("error").unwrap_or(&json);
        let said = self.redact(&wire::message(error));
        let code = |name: &str| ["code", "type"].iter().any(|k| error[*k] == name);
        let wish = retry_after::milliseconds(headers);
        match status {
            401 | 403 => configuration(format!(
                "the server refuses the key, or asks for one (status {status})"
            )),
            429 if code("insufficient_quota") => AgentError::Refused {
                reason: "the account's quota is used up".to_owned(),
            },
            429 => AgentError::RateLimited {
                retry_after_ms: wish,
            },
            503 if wish.is_some() => AgentError::RateLimited {
                retry_after_ms: wish,
            },
            300..=399 => configuration(format!(
                "the server redirects (status {status}), which is not followed; name the endpoint itself"
            )),
            404 | 405 => configuration(format!(
                "no such endpoint or model (status {status}): {said}"
            )),
            408 | 500.. => AgentError::Transport {
                reason: format!("the server failed (status {status}): {said}"),
            },
            _ => match (error["n_prompt_tokens"].as_u64(), error["n_ctx"].as_u64()) {
                (Some(tokens), Some(limit)) => AgentError::PromptTooLong { tokens, limit },
                _ => AgentError::Refused {
                    reason: format!("status {status}: {said}"),
                },
            },
        }
    }

    /// What went wrong before there was a response.
    fn lost(&self, error: &ureq::Error) -> AgentError {
        match error {
            ureq::Error::Timeout(kind) => self.timeout(self.allowed(*kind)),
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
                AgentError::Malformed {
                    reason: self.redact(&format!("no HTTP response: {error}")),
                }
            }
            other => AgentError::Transport {
                reason: self.redact(&other.to_string()),
            },
        }
    }

    /// What went wrong in the midst of a body.
    fn broken(&self, error: &std::io::Error, count: u64) -> AgentError {
        let inner = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<ureq::Error>());
        match inner {
            Some(ureq::Error::Timeout(kind)) => self.timeout(self.allowed(*kind)),
            Some(ureq::Error::Protocol(_)) => AgentError::Malformed {
                reason: format!("no HTTP body after {count} bytes"),
            },
            _ if error.kind() == std::io::ErrorKind::TimedOut => self.timeout(self.options.silence),
            _ => truncated(count),
        }
    }

    fn allowed(&self, kind: ureq::Timeout) -> Duration {
        match kind {
            ureq::Timeout::Connect | ureq::Timeout::Resolve => self.options.connect,
            ureq::Timeout::PerRead | ureq::Timeout::PerWrite => self.options.silence,
            _ => self.options.deadline,
        }
    }

    fn redact(&self, text: &str) -> String {
        match &self.key {
            Some(key) => key.redact(text),
            None => text.to_owned(),
        }
    }

    fn redacted(&self, error: AgentError) -> AgentError {
        match error {
            AgentError::Failed { reason } => AgentError::Failed {
                reason: self.redact(&reason),
            },
            AgentError::Refused { reason } => AgentError::Refused {
                reason: self.redact(&reason),
            },
            other => other,
        }
    }
}

fn truncated(count: u64) -> AgentError {
    AgentError::Truncated {
        reason: format!("the connection ended in the midst of the reply, after {count} bytes"),
    }
}

/// Whether a server's refusal is about the field for structured output.
fn refuses_format(body: &str) -> bool {
    ["response_format", "json_schema", "guided_json"]
        .iter()
        .any(|name| body.contains(name))
}

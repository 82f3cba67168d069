//! The chat protocol against a server that speaks it by hand, well and badly.
#![cfg(feature = "openai")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::executor::block_on;
use language_agents::openai::{OpenAiOptions, TokenLimit};
use language_agents::{
    Agent, AgentError, Backoff, Completion, FinishReason, ManualTimer, OpenAi, Prompt, Retrying,
};
use serde_json::{Value, json};

const KEY: &str = "sk-test-0123456789abcdefXYZ";

/// What the server does on one connection after it has read the request.
#[derive(Clone)]
enum Act {
    Say(Vec<u8>),
    Wait(u64),
    /// Says nothing until the other side is gone, and notes that.
    Stall,
    /// Says the bytes again and again until the other side is gone.
    Flood(Vec<u8>),
    /// Closes without the courtesy of an end.
    Reset,
}

struct Server {
    url: String,
    /// Heads and bodies of the requests.
    seen: Arc<Mutex<Vec<(String, String)>>>,
    gone: Arc<Mutex<Vec<Instant>>>,
}

fn serve(connections: Vec<Vec<Act>>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (seen, gone) = (Arc::default(), Arc::default());
    let server = Server {
        url,
        seen: Arc::clone(&seen),
        gone: Arc::clone(&gone),
    };
    std::thread::spawn(move || {
        for acts in connections {
            let Ok((stream, _)) = listener.accept() else {
                return;
            };
            let (seen, gone) = (Arc::clone(&seen), Arc::clone(&gone));
            std::thread::spawn(move || {
                seen.lock().unwrap().push(read_request(&stream));
                acts.into_iter().for_each(|act| play(&stream, act, &gone));
            });
        }
    });
    server
}

fn read_request(stream: &TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

fn play(mut stream: &TcpStream, act: Act, gone: &Mutex<Vec<Instant>>) {
    match act {
        Act::Say(bytes) => {
            let _ = stream.write_all(&bytes);
        }
        Act::Wait(ms) => std::thread::sleep(Duration::from_millis(ms)),
        Act::Stall => {
            stream
                .set_read_timeout(Some(Duration::from_secs(20)))
                .unwrap();
            let _ = stream.read(&mut [0]);
            gone.lock().unwrap().push(Instant::now());
        }
        Act::Flood(bytes) => {
            while stream.write_all(&bytes).is_ok() {}
            gone.lock().unwrap().push(Instant::now());
        }
        Act::Reset => {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

fn say(text: &str) -> Act {
    Act::Say(text.as_bytes().to_vec())
}

fn response(status: u16, headers: &str, body: &str) -> Act {
    let length = body.len();
    say(&format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    ))
}

fn reply(content: &str) -> Act {
    let body = json!({"id": "1", "model": "served", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}});
    response(200, "", &body.to_string())
}

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n";

fn event(delta: &Value, finish: Option<&str>) -> Act {
    let chunk = json!({"model": "served", "choices": [{"delta": delta, "finish_reason": finish}]});
    say(&format!("data: {chunk}\n\n"))
}

fn part(text: &str) -> Act {
    event(&json!({"content": text}), None)
}

fn options() -> OpenAiOptions {
    let mut options = OpenAiOptions::default();
    options.connect = Duration::from_secs(2);
    options.silence = Duration::from_millis(400);
    options.deadline = Duration::from_millis(1500);
    options
}

fn agent(server: &Server, change: impl FnOnce(&mut OpenAiOptions)) -> OpenAi {
    let mut options = options();
    change(&mut options);
    OpenAi::new(&server.url, "m", options)
        .unwrap()
        .with_key(KEY)
        .unwrap()
}

/// Asks once; whatever comes, it comes within the deadline and holds no part of the key.
fn ask(connections: Vec<Vec<Act>>, stream: bool) -> Result<Completion, AgentError> {
    let server = serve(connections);
    let agent = agent(&server, |o| o.stream = stream);
    let start = Instant::now();
    let outcome = block_on(agent.complete(Prompt::new("q")));
    assert!(
        start.elapsed() < Duration::from_millis(2500),
        "{:?}",
        start.elapsed()
    );
    let shown = format!(
        "{agent:?} {outcome:?} {}",
        serde_json::to_string(&outcome.clone().err()).unwrap()
    );
    assert!(
        !shown.contains(&KEY[..10]) && !shown.contains("456789"),
        "{shown}"
    );
    outcome
}

fn once(acts: Vec<Act>) -> Result<Completion, AgentError> {
    ask(vec![acts], true)
}

#[test]
fn a_whole_reply_is_read_and_the_request_is_the_protocols() {
    let server = serve(vec![vec![reply("Hé [E1]")]]);
    let agent = agent(&server, |o| {
        o.stream = false;
        o.token_limit = TokenLimit::MaxCompletionTokens;
    });
    let done = block_on(agent.complete(Prompt::new("q").with_system("s"))).unwrap();
    assert_eq!(
        (done.text.as_str(), done.model_id.as_str()),
        ("Hé [E1]", "served")
    );
    assert_eq!(
        (done.tokens_in, done.tokens_out, done.finish),
        (12, 3, FinishReason::Stop)
    );
    let (head, body) = server.seen.lock().unwrap()[0].clone();
    assert!(
        head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(head.contains(&format!("Bearer {KEY}")), "the key is sent");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        body["messages"][0],
        json!({"role": "system", "content": "s"})
    );
    assert_eq!(
        (&body["stream"], &body["max_completion_tokens"]),
        (&json!(false), &json!(512))
    );
}

#[test]
fn a_stream_is_put_together_however_it_is_cut() {
    let all = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n: ping\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"L’au\"}}]}\r\n\r\n\
        data: {\"choices\":[{\"delta\":{\"content\":\" 96\"},\"finish_reason\":\"length\"}]}\n\n\
        data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
    for width in [1, 7, 50, 10_000] {
        let mut acts = vec![say(STREAM)];
        acts.extend(all.as_bytes().chunks(width).map(|c| Act::Say(c.to_vec())));
        // Nothing waits for a server that keeps the connection open after its end.
        acts.push(Act::Stall);
        let done = once(acts).unwrap();
        assert_eq!(
            (done.text.as_str(), done.finish),
            ("L’au 96", FinishReason::Length)
        );
        assert_eq!(
            (done.tokens_in, done.tokens_out, done.model_id.as_str()),
            (7, 2, "m")
        );
    }
    let chunked =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let data =
        "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n";
    let chunk = format!("{:x}\r\n{data}\r\n0\r\n\r\n", data.len());
    assert_eq!(
        once(vec![say(chunked), say(&chunk)]).unwrap().text,
        "x",
        "no [DONE], but a reason"
    );
    // A server that does not stream, though asked.
    assert_eq!(once(vec![reply("whole")]).unwrap().text, "whole");
}

#[test]
fn a_rate_limit_says_how_long_and_retrying_waits_that_long() {
    let limited = || vec![response(429, "retry-after: 2\r\n", "{}")];
    assert_eq!(
        once(limited()),
        Err(AgentError::RateLimited {
            retry_after_ms: Some(2000)
        })
    );
    assert_eq!(
        once(vec![response(429, "", "x")]),
        Err(AgentError::RateLimited {
            retry_after_ms: None
        })
    );
    assert_eq!(
        once(vec![response(503, "retry-after-ms: 70\r\n", "")]),
        Err(AgentError::RateLimited {
            retry_after_ms: Some(70)
        })
    );
    let server = serve(vec![
        limited(),
        vec![response(500, "", "{}")],
        vec![reply("at last")],
    ]);
    let timer = Arc::new(ManualTimer::new());
    let retrying = Retrying::new(
        agent(&server, |_| ()),
        Arc::clone(&timer),
        Backoff::default(),
    );
    assert_eq!(
        block_on(retrying.complete(Prompt::new("q"))).unwrap().text,
        "at last"
    );
    assert_eq!(
        timer.waits(),
        [Duration::from_secs(2), Duration::from_secs(1)]
    );
    let used_up = r#"{"error":{"code":"insufficient_quota","message":"m"}}"#;
    let error = once(vec![response(429, "", used_up)]).unwrap_err();
    assert!(matches!(&error, AgentError::Refused { reason } if reason.contains("quota")));
}

#[test]
fn each_status_has_its_error() {
    let said = r#"{"error":{"message":"the thing\nbroke"}}"#;
    for (status, retryable, part) in [
        (500, true, "status 500): the thing broke"),
        (502, true, "status 502"),
        (400, false, "status 400: the thing broke"),
        (404, false, "no such endpoint or model"),
        (418, false, "status 418"),
    ] {
        let error = once(vec![response(status, "", said)]).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(error.is_retryable(), retryable, "{error}");
    }
    let long = r#"{"error":{"code":400,"type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#;
    assert_eq!(
        once(vec![response(400, "", long)]),
        Err(AgentError::PromptTooLong {
            tokens: 9000,
            limit: 4096
        })
    );
}

#[test]
fn a_key_that_the_server_echoes_is_not_passed_on() {
    let masked = format!("{}***{}", &KEY[..12], &KEY[18..]);
    for body in [
        format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}."}}}}"#),
        format!(r#"{{"error":{{"message":"Incorrect API key provided: {masked}"}}}}"#),
        format!("<html>{KEY}</html>"),
    ] {
        for status in [400, 401, 403, 404, 500] {
            let error = once(vec![response(status, "", &body)]).unwrap_err();
            let configuration = matches!(error, AgentError::Configuration { .. });
            assert_eq!(configuration, matches!(status, 401 | 403 | 404), "{error}");
        }
        let inside = format!("data: {}\n\n", json!({"error": {"message": body}}));
        let error = once(vec![say(STREAM), say(&inside)]).unwrap_err();
        assert!(
            error.to_string().contains(if body.contains("***") {
                "[key]"
            } else {
                "****"
            }),
            "{error}"
        );
    }
    let done = once(vec![reply(&format!("your key is {KEY}"))]).unwrap();
    assert_eq!(done.text, format!("your key is {}", "*".repeat(KEY.len())));
    // In two pieces it is not seen on its way, and is no reply.
    let (a, b) = KEY.split_at(9);
    let parts = vec![
        say(STREAM),
        part(a),
        Act::Wait(50),
        part(b),
        event(&json!({}), Some("stop")),
    ];
    let error = once(parts).unwrap_err();
    assert!(error.to_string().contains("repeats the key"), "{error}");
    let location = format!("location: http://127.0.0.1:1/{KEY}\r\n");
    assert!(once(vec![response(302, &location, "")]).is_err());
}

#[test]
fn a_redirect_is_an_error_and_is_not_followed() {
    let other = serve(vec![vec![reply("never")]]);
    for status in [301, 302, 307, 308] {
        let location = format!("location: {}/chat/completions\r\n", other.url);
        let error = once(vec![response(status, &location, "")]).unwrap_err();
        assert!(error.to_string().contains("redirects"), "{error}");
    }
    assert!(other.seen.lock().unwrap().is_empty());
}

#[test]
fn a_connection_that_drops_is_an_error_wherever_it_does() {
    // Before, in and after the head; in a body with a length; in a stream, also within an event.
    let half = r#"{"choices":[{"message":{"content":"The bridge"#;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n";
    for acts in [
        vec![Act::Reset],
        vec![say("HTTP/1.1 200 OK\r\ncont"), Act::Reset],
        vec![say(head), Act::Reset],
        vec![say(head), say(half), Act::Reset],
    ] {
        let error = once(acts).unwrap_err();
        assert!(
            error.is_retryable() && !matches!(error, AgentError::Timeout { .. }),
            "{error}"
        );
    }
    for last in [
        vec![],
        vec![say("data: {\"choices\":[{\"del")],
        vec![say("da")],
    ] {
        let mut acts = vec![say(STREAM), part("The bridge is")];
        acts.extend(last);
        acts.push(Act::Reset);
        let error = once(acts).unwrap_err();
        assert!(matches!(error, AgentError::Truncated { .. }), "{error}");
    }
    // Nobody listens.
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let agent = OpenAi::new(&format!("http://{free}/v1"), "m", options()).unwrap();
    let error = block_on(agent.complete(Prompt::new("q"))).unwrap_err();
    assert!(matches!(error, AgentError::Transport { .. }), "{error}");
}

#[test]
fn a_stall_ends_with_the_silence_allowed() {
    for acts in [
        vec![Act::Stall],
        vec![say("HTTP/1.1 200 OK\r\n"), Act::Stall],
        vec![say(STREAM), Act::Stall],
        vec![say(STREAM), part("x"), Act::Stall],
    ] {
        let start = Instant::now();
        let error = once(acts).unwrap_err();
        assert_eq!(error, AgentError::Timeout { after_ms: 400 });
        assert!(
            start.elapsed() < Duration::from_millis(1200),
            "{:?}",
            start.elapsed()
        );
    }
}

#[test]
fn a_stream_that_drips_for_ever_ends_with_the_deadline() {
    let mut acts = vec![say(STREAM)];
    for _ in 0..100 {
        acts.extend([part("x"), Act::Wait(100)]);
    }
    assert_eq!(once(acts), Err(AgentError::Timeout { after_ms: 1500 }));
    let mut head: Vec<Act> = vec![say("HTTP/1.1 200 OK\r\n")];
    for i in 0..100 {
        head.extend([say(&format!("x-{i}: y\r\n")), Act::Wait(100)]);
    }
    assert_eq!(once(head), Err(AgentError::Timeout { after_ms: 1500 }));
}

#[test]
fn endless_replies_are_cut_off() {
    let flood = |bytes: &str| Act::Flood(bytes.as_bytes().to_vec());
    let plain = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    for acts in [
        vec![say(plain), flood(&" ".repeat(4096))],
        vec![say(STREAM), flood(&"data: x".repeat(500))],
        vec![say(STREAM), flood(": nothing\n\n")],
        vec![say("HTTP/1.1 200 OK\r\n"), flood("x-header: y\r\n")],
    ] {
        let server = serve(vec![acts]);
        let agent = agent(&server, |o| o.max_bytes = 100_000);
        let error = block_on(agent.complete(Prompt::new("q"))).unwrap_err();
        assert!(matches!(error, AgentError::Malformed { .. }), "{error}");
    }
    // An error's body is not read past its cap either.
    let server = serve(vec![vec![say("HTTP/1.1 500 X\r\n\r\n"), flood("x")]]);
    let error = block_on(agent(&server, |_| ()).complete(Prompt::new("q"))).unwrap_err();
    assert!(matches!(error, AgentError::Transport { .. }), "{error}");
}

#[test]
fn what_is_no_reply_is_malformed() {
    let mut latin = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"caf".to_vec();
    latin.extend(b"\xe9\"}}]}");
    for (acts, part) in [
        (
            vec![response(200, "", "{\"choices\": [")],
            "no JSON of a chat reply",
        ),
        (vec![response(200, "", "<html>")], "no JSON of a chat reply"),
        (vec![response(200, "", "[1]")], "no JSON of a chat reply"),
        (vec![response(200, "", "{}")], "no message with text"),
        (
            vec![response(200, "", r#"{"choices":[]}"#)],
            "no message with text",
        ),
        (
            vec![response(
                200,
                "",
                r#"{"choices":[{"message":{"content":null}}]}"#,
            )],
            "no message with text",
        ),
        (vec![response(200, "", "")], "no JSON of a chat reply"),
        (vec![Act::Say(latin)], "not UTF-8"),
        (
            vec![
                say(STREAM),
                Act::Say(b"data: {\"a\":\"\xff\"}\n\n".to_vec()),
            ],
            "not UTF-8",
        ),
        (
            vec![say(STREAM), say("data: {nonsense}\n\n")],
            "no JSON of a chat reply",
        ),
        (vec![say("SSH-2.0-OpenSSH_9.2\r\n\r\n")], "no HTTP response"),
    ] {
        let error = once(acts).unwrap_err();
        assert!(matches!(error, AgentError::Malformed { .. }), "{error}");
        assert!(error.to_string().contains(part), "{part}: {error}");
    }
    let refusal = r#"{"choices":[{"message":{"content":null,"refusal":"I won't"}}]}"#;
    assert_eq!(
        once(vec![response(200, "", refusal)]),
        Err(AgentError::Refused {
            reason: "I won't".into()
        })
    );
    let inside = response(200, "", r#"{"error":{"message":"overloaded"}}"#);
    assert!(
        once(vec![inside])
            .unwrap_err()
            .to_string()
            .contains("overloaded")
    );
}

#[test]
fn a_schema_is_sent_and_left_out_where_the_server_refuses_it() {
    let refusal = r#"{"error":{"message":"unknown field response_format"}}"#;
    let server = serve(vec![
        vec![response(400, "", refusal)],
        vec![reply("{}")],
        vec![reply("{}")],
    ]);
    let agent = agent(&server, |_| ());
    let prompt = Prompt::new("q").with_schema(json!({"type": "object"}));
    for _ in 0..2 {
        assert_eq!(block_on(agent.complete(prompt.clone())).unwrap().text, "{}");
    }
    let sent: Vec<bool> = server
        .seen
        .lock()
        .unwrap()
        .iter()
        .map(|(_, body)| body.contains("json_schema"))
        .collect();
    assert_eq!(sent, [true, false, false]);
}

#[test]
fn a_dropped_future_closes_its_connection() {
    let server = serve(vec![vec![say(STREAM), part("x"), Act::Stall]]);
    let agent = agent(&server, |o| {
        o.silence = Duration::from_secs(15);
        o.deadline = Duration::from_secs(15);
    });
    let future = agent.complete(Prompt::new("q"));
    std::thread::sleep(Duration::from_millis(300));
    let dropped = Instant::now();
    drop(future);
    while server.gone.lock().unwrap().is_empty() && dropped.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(
        !server.gone.lock().unwrap().is_empty(),
        "the connection is still open"
    );
}

#[test]
fn endpoints_and_keys_are_checked_without_being_shown() {
    for url in [
        "",
        "localhost",
        "ftp://h/v1",
        "http://",
        "http:///v1",
        "http://u:secret@h/v1",
        "file:///etc",
    ] {
        let error = OpenAi::new(url, "m", options()).unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
    for (url, allowed) in [
        ("http://localhost:1/v1", true),
        ("http://127.0.0.1:1/v1", true),
        ("http://[::1]:1/v1/", true),
        ("https://api.example.org/v1", true),
        ("http://api.example.org/v1", false),
        ("http://localhost.example.org/v1", false),
        ("http://127.0.0.1.example.org/v1", false),
    ] {
        let agent = OpenAi::new(url, "m", options()).unwrap();
        assert_eq!(agent.with_key(KEY).is_ok(), allowed, "{url}");
    }
    let agent = OpenAi::new("http://localhost/v1", "m", options()).unwrap();
    let error = agent.with_key_from_env("CANDOR_NO_SUCH_KEY").unwrap_err();
    assert!(error.to_string().contains("CANDOR_NO_SUCH_KEY"), "{error}");
    let agent = OpenAi::new("http://localhost/v1", "m", options()).unwrap();
    assert!(agent.with_certificates(b"none").is_err());
}

/// Collects all that any library logs, at the finest level.
struct Log(Mutex<String>);

impl log::Log for Log {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{} {}\n", record.target(), record.args());
        self.0.lock().unwrap().push_str(&line);
    }

    fn flush(&self) {}
}

static LOG: Log = Log(Mutex::new(String::new()));

#[test]
fn no_log_has_the_key() {
    log::set_logger(&LOG).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
    let server = serve(vec![
        vec![reply("x")],
        vec![response(401, &format!("x-echo: {KEY}\r\n"), KEY)],
        vec![response(302, &format!("location: /{KEY}\r\n"), "")],
    ]);
    let agent = agent(&server, |_| ());
    for _ in 0..3 {
        let _ = block_on(agent.complete(Prompt::new("q")));
    }
    let logged = LOG.0.lock().unwrap().clone();
    assert!(logged.contains("ureq"), "the client logs");
    assert!(
        !logged.contains(&KEY[..10]) && !logged.contains("456789"),
        "{logged}"
    );
}

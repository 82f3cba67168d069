//! Server-sent events (WHATWG HTML, section 9.2): the `data` of each event.

/// Cuts a stream of bytes into events, however the bytes arrive.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The last byte was a carriage return: a line feed now belongs to it.
    after_return: bool,
}

impl Events {
    /// Takes bytes; hands out the data of the events that they complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut events = Vec::new();
        for byte in bytes {
            let joined = std::mem::replace(&mut self.after_return, *byte == b'\r');
            match byte {
                b'\n' if joined => {}
                b'\n' | b'\r' => self.end_line(&mut events),
                _ => self.line.push(*byte),
            }
        }
        events
    }

    fn end_line(&mut self, events: &mut Vec<Vec<u8>>) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            if std::mem::take(&mut self.has_data) {
                events.push(std::mem::take(&mut self.data));
            }
            return;
        }
        let (field, value) = match line.iter().position(|b| *b == b':') {
            Some(at) => line.split_at(at),
            None => (line.as_slice(), &b""[..]),
        };
        if field != b"data" {
            return;
        }
        let value = value.strip_prefix(b":").unwrap_or(value);
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend(value.strip_prefix(b" ").unwrap_or(value));
    }

    /// What an end without an empty line leaves: an event that some servers never close.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        let mut events = Vec::new();
        if !self.line.is_empty() {
            self.end_line(&mut events);
        }
        self.has_data.then_some(self.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_however_they_are_cut() {
        let stream = "\u{feff}: hello\ndata: {\"a\":1}\n\ndata: é\r\ndata:two\r\n\r\nevent: x\nid: 1\n\ndata\r\rdata: last";
        let bytes = stream.as_bytes();
        let all = |width: usize| {
            let mut events = Events::default();
            let mut out: Vec<Vec<u8>> = bytes.chunks(width).flat_map(|c| events.push(c)).collect();
            out.extend(events.finish());
            out
        };
        let expected: Vec<Vec<u8>> = ["{\"a\":1}", "é\ntwo", "", "last"]
            .map(|s| s.as_bytes().to_vec())
            .to_vec();
        for width in 1..=bytes.len() {
            assert_eq!(all(width), expected, "{width}");
        }
    }
}

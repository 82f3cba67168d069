//! The key goes into the bytes below the HTTP client and comes out of them there.
//!
//! The client logs the bytes of its requests and responses at the level `trace`. It therefore gets
//! to see asterisks of the key's length; the bytes that leave carry the key, and a key that comes
//! back is asterisks again before the client reads it.

use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};

use super::key::Key;

/// Bytes of each buffer.
const BUFFER: usize = 64 * 1024;

/// Puts [`Veil`] around a connection.
#[derive(Debug)]
pub(super) struct Veiling(pub(super) Key);

impl<In: Transport> Connector<In> for Veiling {
    type Out = Veil<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Veil<In>>, Error> {
        Ok(chained.map(|inner| Veil {
            inner,
            buffers: LazyBuffers::new(BUFFER, BUFFER),
            key: self.0.clone(),
            sent: false,
        }))
    }
}

/// A connection whose user never sees the key.
#[derive(Debug)]
pub(super) struct Veil<T> {
    inner: T,
    buffers: LazyBuffers,
    key: Key,
    sent: bool,
}

impl<T: Transport> Transport for Veil<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        let mut rest = self
            .buffers
            .output()
            .get(..amount)
            .unwrap_or_default()
            .to_vec();
        if !self.sent {
            self.sent = self.key.unveil(&mut rest);
        }
        while !rest.is_empty() {
            let out = self.inner.buffers().output();
            let n = rest.len().min(out.len());
            if n == 0 {
                return Err(Error::Io(std::io::ErrorKind::WriteZero.into()));
            }
            let (now, later) = rest.split_at(n);
            for (to, from) in out.iter_mut().zip(now) {
                *to = *from;
            }
            let later = later.to_vec();
            self.inner.transmit_output(n, timeout)?;
            rest = later;
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        if self.inner.buffers().input().is_empty() {
            let more = self.inner.await_input(timeout)?;
            if !more && self.inner.buffers().input().is_empty() {
                return Ok(false);
            }
        }
        let mut bytes = self.inner.buffers().input().to_vec();
        self.key.veil(&mut bytes);
        let room = self.buffers.input_append_buf();
        let n = bytes.len().min(room.len());
        for (to, from) in room.iter_mut().zip(&bytes) {
            *to = *from;
        }
        self.buffers.input_appended(n);
        self.inner.buffers().input_consume(n);
        Ok(n > 0)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

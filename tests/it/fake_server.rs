//! A server that only says what it is, for kinds of servers that cannot be had.

use mongodb::bson::{Document, RawDocument, doc};
use std::{
    io::{self, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

pub struct FakeServer {
    port: u16,
}

const OP_REPLY: u32 = 1;
const OP_QUERY: u32 = 2004;
const OP_MSG: u32 = 2013;

impl FakeServer {
    /// `hello` is added to what it says of itself.
    pub fn start(hello: Document, version: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let hello = hello.clone();
                thread::spawn(move || answer_all(stream.unwrap(), &hello, version));
            }
        });
        Self { port }
    }

    pub fn uri(&self) -> String {
        format!("mongodb://127.0.0.1:{}", self.port)
    }
}

/// Until the client goes.
fn answer_all(mut stream: TcpStream, hello: &Document, version: &str) -> io::Result<()> {
    loop {
        let mut head = [0; 16];
        stream.read_exact(&mut head)?;
        let field = |at: usize| u32::from_le_bytes(*head[at..].first_chunk().unwrap());
        let mut body = vec![0; field(0) as usize - head.len()];
        stream.read_exact(&mut body)?;
        let legacy = field(12) == OP_QUERY;
        // Behind flags: a name and two numbers, or the kind of the section.
        let at = if legacy { 4 + body[4..].iter().position(|byte| *byte == 0).unwrap() + 9 } else { 5 };
        let length = u32::from_le_bytes(*body[at..].first_chunk().unwrap()) as usize;
        let command = RawDocument::from_bytes(&body[at..at + length]).unwrap();
        let name = command.iter().next().unwrap().unwrap().0.as_str().to_owned();
        let document = answer(&name, hello, version).to_vec().unwrap();
        let before: &[u8] =
            if legacy { &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0] } else { &[0; 5] };
        let opcode = if legacy { OP_REPLY } else { OP_MSG };
        let bytes = u32::try_from(head.len() + before.len() + document.len()).unwrap();
        let reply = [bytes, 0, field(4), opcode].map(u32::to_le_bytes).concat();
        stream.write_all(&[&reply, before, &document].concat())?;
    }
}

fn answer(command: &str, hello: &Document, version: &str) -> Document {
    match command {
        "hello" | "isMaster" | "ismaster" => {
            let mut answer = doc! {
                "isWritablePrimary": true, "ismaster": true, "helloOk": true, "minWireVersion": 0,
                "maxBsonObjectSize": 16 << 20, "maxMessageSizeBytes": 48_000_000, "maxWriteBatchSize": 100_000,
                "ok": 1,
            };
            answer.extend(hello.clone());
            answer
        }
        "buildInfo" => doc! { "version": version, "ok": 1 },
        _ => doc! { "ok": 0, "code": 13, "codeName": "Unauthorized", "errmsg": "not here" },
    }
}

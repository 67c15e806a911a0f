import assert from "node:assert/strict";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { test } from "node:test";
import fc from "fast-check";
import { type AnswerHead, AnswerParser, ViolationError } from "./answer-parser.ts";

interface Read {
  readonly status: number;
  readonly body: string;
}

/** Feeds a response in pieces, then its end. Null when the parser refuses it or it is not whole. */
function read(pieces: readonly Buffer[]): (Read & { head: AnswerHead }) | null {
  let last: AnswerHead | null = null;
  let body = "";
  let isWhole = false;
  const parser = new AnswerParser({
    onHead: (head) => {
      last = head;
    },
    onBody: (piece) => {
      body += piece.toString("latin1");
    },
    onEnd: () => {
      isWhole = true;
    },
  });
  try {
    for (const piece of pieces) parser.read(piece);
    parser.readEnd();
  } catch (error) {
    assert.ok(error instanceof ViolationError, String(error));
    return null;
  }
  const head = last as AnswerHead | null;
  return isWhole && head !== null ? { status: head.status, body, head } : null;
}

const readText = (text: string) => read([Buffer.from(text, "latin1")]);

const IGNORED = { onHead: () => {}, onBody: () => {}, onEnd: () => {} };

/** Counts the bytes that Buffer methods copy or scan again, which a clock would measure only roughly. */
function countCopiedBytes(work: () => void): number {
  const { copy } = Buffer.prototype;
  const { concat } = Buffer;
  let copied = 0;
  Buffer.prototype.copy = function (...args: Parameters<Buffer["copy"]>) {
    const bytes = copy.apply(this, args);
    copied += bytes;
    return bytes;
  };
  Buffer.concat = (...args) => {
    const joined = concat(...args);
    copied += joined.length;
    return joined;
  };
  try {
    work();
  } finally {
    Buffer.prototype.copy = copy;
    Buffer.concat = concat;
  }
  return copied;
}

/** The response as Node's own parser reads it; null when that refuses it. */
function readByNode(bytes: Buffer): Promise<Read | null> {
  return new Promise((resolve) => {
    let isSent = false;
    const socket = new Duplex({
      read() {},
      write(_piece, _encoding, done) {
        done();
        if (isSent) return;
        isSent = true;
        this.push(bytes);
        this.push(null);
      },
    });
    let isAnswered = false;
    const request = httpRequest({ createConnection: () => socket, method: "POST", path: "/" });
    const onResponse = (response: IncomingMessage) => {
      isAnswered = true;
      let body = "";
      response.setEncoding("latin1").on("data", (text: string) => {
        body += text;
      });
      response.on("error", () => resolve(null));
      response.on("close", () =>
        resolve(response.complete ? { status: response.statusCode ?? 0, body } : null),
      );
    };
    request.on("response", onResponse).on("error", () => resolve(null));
    request.on("close", () => {
      if (!isAnswered) resolve(null);
    });
    request.on("upgrade", () => resolve(null));
    request.end("{}");
  });
}

const bytesOf = (text: string) => Buffer.from(text, "latin1");
const latin1 = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes).toString("latin1"));

/** `chunks` in the chunked coding, each with the extension beside it. */
function inChunks(chunks: readonly (readonly [string, string])[], trailer: string): string {
  const text = chunks
    .filter(([chunk]) => chunk !== "")
    .map(([chunk, extension]) => `${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`);
  return `${text.join("")}0\r\n${trailer}\r\n`;
}

/** Header lines that frame a body, and the framed body. */
const framed: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  latin1(400).map((body) => [`Content-Length: ${body.length}\r\n`, body] as const),
  latin1(400).map((body) => ["", body] as const),
  fc
    .tuple(
      fc.constantFrom("chunked", "Chunked"),
      fc.array(fc.tuple(latin1(100), fc.constantFrom("", "", ";name=value")), { maxLength: 5 }),
      fc.constantFrom("", "", "x-trailer: 1\r\n"),
    )
    .map(
      ([coding, chunks, trailer]) =>
        [`Transfer-Encoding: ${coding}\r\n`, inChunks(chunks, trailer)] as const,
    ),
);

const valid: fc.Arbitrary<Buffer> = fc
  .record({
    early: fc.constantFrom("", "", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
    status: fc.constantFrom(200, 200, 201, 204, 304, 308, 400, 404, 500),
    reason: fc.constantFrom(" OK", " ", " Not Found"),
    headers: fc.subarray([
      "Date: Sun, 15 Nov 2026 08:00:00 GMT",
      "X-Empty:",
      "Set-Cookie: a=1",
      "x-1:  é  ",
    ]),
    framed,
  })
  .map(({ early, status, reason, headers, framed: [framing, body] }) => {
    const lines = headers.map((line) => `${line}\r\n`).join("");
    const hasBody = status !== 204 && status !== 304;
    return bytesOf(
      `${early}HTTP/1.1 ${status}${reason}\r\n${lines}${framing}\r\n${hasBody ? body : ""}`,
    );
  });

const WRONG = [
  "\r",
  "\n",
  "\r\n",
  " ",
  "\t",
  ":",
  ";",
  "0",
  "f",
  "-",
  "\0",
  "é",
  "chunked",
  "\r\n\r\n",
];

/** A valid response with stretches inserted, removed or repeated. */
const mutated: fc.Arbitrary<Buffer> = fc
  .tuple(
    valid,
    fc.array(
      fc.record({
        at: fc.nat(),
        removed: fc.nat(3),
        put: fc.oneof(fc.constantFrom(...WRONG), fc.nat(30)),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([bytes, edits]) =>
    edits.reduce((before, edit) => {
      const at = edit.at % (before.length + 1);
      const put =
        typeof edit.put === "string" ? bytesOf(edit.put) : before.subarray(at, at + edit.put);
      return Buffer.concat([before.subarray(0, at), put, before.subarray(at + edit.removed)]);
    }, bytes),
  );

const arbitrary = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes));
const sizes = fc.array(fc.oneof(fc.constant(1), fc.nat(20), fc.nat(500)), { maxLength: 40 });

/** Cuts bytes into pieces of these sizes, used over and over; single bytes where they are all 0. */
function split(bytes: Buffer, wanted: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = wanted[turn % wanted.length] || 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

const shown = (bytes: Buffer) => JSON.stringify(bytes.toString("latin1"));
const essence = (answer: Read | null) => answer && { status: answer.status, body: answer.body };

test("the parser agrees with node:http on valid responses in arbitrary pieces", async () => {
  await fc.assert(
    fc.asyncProperty(valid, sizes, async (bytes, pieces) => {
      const ours = essence(read(split(bytes, pieces)));
      assert.ok(ours, shown(bytes));
      assert.deepEqual(ours, await readByNode(bytes), shown(bytes));
    }),
    { numRuns: 600 },
  );
});

test("the parser refuses mutated responses or agrees with node:http", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(mutated, sizes, async (bytes, pieces) => {
      const ours = essence(read(split(bytes, pieces)));
      if (ours === null) return;
      taken += 1;
      assert.deepEqual(ours, await readByNode(bytes), shown(bytes));
    }),
    { numRuns: 1_500 },
  );
  assert.ok(taken > 100 && taken < 1_400, `${taken} were taken`);
});

test("arbitrary bytes give the same result however they are split, within bounds", () => {
  fc.assert(
    fc.property(fc.oneof(arbitrary, mutated), sizes, (bytes, pieces) => {
      const whole = read([bytes]);
      assert.deepEqual(read(split(bytes, pieces)), whole, shown(bytes));
      assert.ok(whole === null || whole.body.length <= bytes.length);
    }),
    { numRuns: 3_000 },
  );
});

test("endless heads and lines end at 16 KB, sent byte by byte in linear time", () => {
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const endless = [
    "",
    "HTTP/1.1 200 ",
    "HTTP/1.1 200 OK\r\nx: ",
    `${chunked}1;`,
    `${chunked}0\r\nx: `,
  ];
  for (const start of endless) {
    const parser = new AnswerParser(IGNORED);
    parser.read(bytesOf(start));
    const copied = countCopiedBytes(() => {
      let fed = 0;
      const feed = () => {
        for (; fed < 20_000; fed += 1) parser.read(Buffer.from("x"));
      };
      assert.throws(feed, ViolationError, start);
      assert.ok(fed <= 16_400, `${fed} bytes after ${JSON.stringify(start)}`);
    });
    assert.ok(copied < 100_000, `${copied} bytes were copied after ${JSON.stringify(start)}`);
  }
});

test("the parser refuses ambiguous responses", () => {
  const refused = [
    "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\n folded: 1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nx: a\rb\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nx: a\0b\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.0 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/2 200\r\n\r\n",
    "HTTP/1.1 20 OK\r\n\r\n",
    "HTTP/1.1 2000 OK\r\n\r\n",
    "220 smtp ready\r\n\r\n",
  ];
  for (const text of refused) assert.equal(readText(text), null, JSON.stringify(text));
});

test("a trailer and the lines of chunks are limited, a body of many chunks is not", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  assert.equal(readText(`${head}0\r\n${"x: y\r\n".repeat(5_000)}\r\n`), null);
  assert.equal(readText(`${head}1;${"x".repeat(20_000)}\r\na\r\n0\r\n\r\n`), null);
  assert.equal(readText(`${head}${"1\r\na\r\n".repeat(30_000)}0\r\n\r\n`)?.body.length, 30_000);
});

test("a connection is kept as long as its answer allows", () => {
  const idleMs = (headers: string, version = "1.1") =>
    readText(`HTTP/${version} 200 OK\r\n${headers}\r\n`)?.head.idleMsMax;
  assert.equal(idleMs("content-length: 0\r\n"), 4_000);
  assert.equal(idleMs("content-length: 0\r\nKeep-Alive: timeout=5, max=100\r\n"), 4_000);
  assert.equal(idleMs("content-length: 0\r\nKeep-Alive: timeout=3\r\n"), 2_000);
  assert.equal(idleMs("content-length: 0\r\nKeep-Alive: timeout=1\r\n"), 0);
  assert.equal(idleMs("content-length: 0\r\nConnection: foo, Close\r\n"), 0);
  assert.equal(idleMs("content-length: 0\r\n", "1.0"), 0);
  assert.equal(idleMs(""), 0, "its end is the connection's");
});

test("a header may have any name", () => {
  const answer = readText(
    "HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\ncontent-length: 0\r\n\r\n",
  );
  assert.deepEqual(Object.entries(answer?.head.headers ?? {}), [
    ["__proto__", "x"],
    ["constructor", "y"],
    ["content-length", "0"],
  ]);
});

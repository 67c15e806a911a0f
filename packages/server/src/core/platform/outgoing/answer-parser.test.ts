import assert from "node:assert/strict";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { type AnswerHead, AnswerParser } from "./answer-parser.ts";

interface Read {
  readonly status: number;
  readonly body: string;
}

/** What we make of an answer that comes in these pieces, then ends. Null when it is refused or not whole. */
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
  } catch {
    return null;
  }
  const head = last as AnswerHead | null;
  return isWhole && head !== null ? { status: head.status, body, head } : null;
}

const readText = (text: string) => read([Buffer.from(text, "latin1")]);

/** What Node's own parser makes of it. */
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

/** A small generator: the same answers on every run. */
function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

type Dice = (sides: number) => number;

function pick<T>(dice: Dice, list: readonly T[]): T {
  return list[dice(list.length)] as T;
}

function makeAnswer(dice: Dice): Buffer {
  const status = pick(dice, [200, 200, 201, 204, 304, 400, 404, 500, 308]);
  const length = dice(3) === 0 ? 0 : dice(400);
  const body = Array.from({ length }, () => String.fromCharCode(dice(256))).join("");
  const more = ["Date: Sun, 15 Nov 2026 08:00:00 GMT", "X-Empty:", "Set-Cookie: a=1", "x-1:  é  "];
  const headers = more.filter(() => dice(2) === 0);
  const framing = pick(dice, ["length", "chunked", "close"] as const);
  if (framing === "length") headers.push(`Content-Length: ${body.length}`);
  if (framing === "chunked")
    headers.push(`Transfer-Encoding: ${pick(dice, ["chunked", "Chunked"])}`);
  const early = dice(5) === 0 ? "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" : "";
  const reason = pick(dice, [" OK", " ", " Not Found"]);
  const head = `${early}HTTP/1.1 ${status}${reason}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
  const hasBody = status !== 204 && status !== 304;
  const text = framing === "chunked" ? inChunks(dice, body) : body;
  return Buffer.from(hasBody ? head + text : head, "latin1");
}

function inChunks(dice: Dice, body: string): string {
  let text = "";
  for (let at = 0; at < body.length; ) {
    const chunk = body.slice(at, at + 1 + dice(100));
    at += chunk.length;
    text += `${chunk.length.toString(16)}${pick(dice, ["", "", ";name=value"])}\r\n${chunk}\r\n`;
  }
  return `${text}0\r\n${pick(dice, ["", "", "x-trailer: 1\r\n"])}\r\n`;
}

function cut(dice: Dice, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + dice(pick(dice, [2, 20, 2_000]));
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

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

/** Puts something in, takes something out, or says something twice. */
function spoil(dice: Dice, bytes: Buffer): Buffer {
  const at = dice(bytes.length);
  const put =
    dice(2) === 0 ? Buffer.from(pick(dice, WRONG), "latin1") : bytes.subarray(at, at + dice(30));
  return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + dice(4))]);
}

test("however an answer is cut, it is read as Node reads it", async () => {
  const dice = createDice(1);
  for (let round = 0; round < 600; round += 1) {
    const bytes = makeAnswer(dice);
    const ours = read(cut(dice, bytes));
    const context = JSON.stringify(bytes.toString("latin1"));
    assert.deepEqual(
      ours && { status: ours.status, body: ours.body },
      await readByNode(bytes),
      context,
    );
    assert.ok(ours, context);
  }
});

test("a spoilt answer is refused, or read as Node reads it", async () => {
  const dice = createDice(2);
  let taken = 0;
  for (let round = 0; round < 1_500; round += 1) {
    const bytes = spoil(dice, makeAnswer(dice));
    const ours = read(cut(dice, bytes));
    if (ours === null) continue;
    taken += 1;
    const node = await readByNode(bytes);
    const context = JSON.stringify(bytes.toString("latin1"));
    assert.deepEqual({ status: ours.status, body: ours.body }, node, context);
  }
  assert.ok(taken > 200 && taken < 1_300, `${taken} were taken`);
});

test("what two readers could read differently is refused", () => {
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

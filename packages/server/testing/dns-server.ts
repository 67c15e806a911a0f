/** DNS server on a local UDP port, whose answers a test scripts per query. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import ipaddr from "ipaddr.js";
import type { Scope } from "./fake-internet.ts";

export interface DnsQuestion {
  readonly name: string;
  readonly type: "A" | "AAAA";
}

export interface DnsAnswer {
  /** Addresses; those of the family that was not asked for are left out. */
  readonly addresses: readonly string[];
  readonly ttlSeconds?: number;
  /** Canonical name of the addresses, sent as a CNAME. */
  readonly alias?: string;
}

/** Null: no response, so that the client times out. "nxdomain": the name does not exist. */
export type DnsScript = (question: DnsQuestion) => DnsAnswer | "nxdomain" | null;

export interface DnsServer {
  /** `address:port`, as `Resolver.setServers` takes it. */
  readonly address: string;
  queryCount: number;
}

const TYPE_A = 1;
const TYPE_CNAME = 5;
const TYPE_AAAA = 28;

/** Starts a server that closes when the test ends, or the file with `{ after }` of node:test. */
export async function startDnsServer(scope: Scope, script: DnsScript): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const server: DnsServer = {
    get address() {
      return `127.0.0.1:${socket.address().port}`;
    },
    queryCount: 0,
  };
  socket.on("message", (query, from) => {
    server.queryCount += 1;
    const question = readQuestion(query);
    const answer = script(question);
    if (answer !== null) socket.send(buildReply(query, question, answer), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  scope.after(async () => {
    socket.close();
    await once(socket, "close");
  });
  return server;
}

interface ReadQuestion extends DnsQuestion {
  readonly endsAt: number;
}

function readQuestion(query: Buffer): ReadQuestion {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("ascii", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1) === TYPE_AAAA ? "AAAA" : "A";
  return { name: labels.join(".").toLowerCase(), type, endsAt: at + 5 };
}

function buildReply(query: Buffer, question: ReadQuestion, answer: DnsAnswer | "nxdomain"): Buffer {
  const records = answer === "nxdomain" ? [] : buildRecords(question, answer);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(answer === "nxdomain" ? 0x81_83 : 0x81_80, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(12, question.endsAt), ...records]);
}

function buildRecords(question: DnsQuestion, answer: DnsAnswer): Buffer[] {
  const ttlSeconds = answer.ttlSeconds ?? 0;
  const kind = question.type === "A" ? "ipv4" : "ipv6";
  const type = question.type === "A" ? TYPE_A : TYPE_AAAA;
  const asked = encodeName(question.name);
  const owner = answer.alias === undefined ? asked : encodeName(answer.alias);
  const records = answer.addresses
    .map((address) => ipaddr.parse(address))
    .filter((address) => address.kind() === kind)
    .map((address) => record(owner, type, ttlSeconds, Buffer.from(address.toByteArray())));
  return answer.alias === undefined
    ? records
    : [record(asked, TYPE_CNAME, ttlSeconds, owner), ...records];
}

function record(owner: Buffer, type: number, ttlSeconds: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttlSeconds, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split(".").map((label) => {
    const bytes = Buffer.from(label, "ascii");
    return Buffer.concat([Buffer.of(bytes.length), bytes]);
  });
  return Buffer.concat([...labels, Buffer.of(0)]);
}

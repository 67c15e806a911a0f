import { once } from "node:events";
import type { TestContext } from "node:test";
import { Worker } from "node:worker_threads";

/**
 * Peer on its own thread, which runs while the test's thread is suspended. Accepts any bind. Keeps
 * other requests until a PDU of `command` arrives, notifies the test, and responds to all of them
 * 100 ms later.
 */
const PEER = `
const { createServer } = require("node:net");
const { parentPort, workerData } = require("node:worker_threads");
const BIND_TRANSCEIVER = 0x09;
const answerTo = (pdu) => {
  const command = pdu.readUInt32BE(4);
  const body = Buffer.from(command === 0x04 ? "1\\0" : command === BIND_TRANSCEIVER ? "\\0" : "");
  const head = Buffer.from(pdu.subarray(0, 16));
  head.writeUInt32BE(16 + body.length, 0);
  head.writeUInt32BE((command | 0x80000000) >>> 0, 4);
  return Buffer.concat([head, body]);
};
const server = createServer((socket) => {
  let read = Buffer.alloc(0);
  let kept = [];
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    read = Buffer.concat([read, chunk]);
    while (read.length >= 4 && read.length >= read.readUInt32BE(0)) {
      const pdu = read.subarray(0, read.readUInt32BE(0));
      read = read.subarray(pdu.length);
      const command = pdu.readUInt32BE(4);
      if (command === BIND_TRANSCEIVER) socket.write(answerTo(pdu));
      else if (command < 0x80000000) kept.push(pdu);
      if (command !== workerData.command) continue;
      parentPort.postMessage("came");
      setTimeout(() => {
        for (const one of kept) socket.write(answerTo(one));
        kept = [];
      }, 100);
    }
  });
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

/** Starts the peer; `came` resolves when the command arrives. */
export async function startWorkerPeer(
  t: TestContext,
  command: number,
): Promise<{ port: number; came: Promise<unknown> }> {
  const peer = new Worker(PEER, { eval: true, workerData: { command } });
  t.after(() => peer.terminate());
  const [port] = (await once(peer, "message")) as [number];
  return { port, came: once(peer, "message") };
}

/** Blocks this thread like SIGSTOP; input stays in its sockets. */
export function suspendThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

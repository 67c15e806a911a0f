import { once } from "node:events";
import type { TestContext } from "node:test";
import { Worker } from "node:worker_threads";

/** Blocks this thread as SIGSTOP does: nothing runs, and incoming data waits in its sockets. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Starts a server on another thread, which runs while the test's thread is blocked; returns its port. */
export async function serveApart(t: TestContext, script: string): Promise<number> {
  const apart = new Worker(
    `const { parentPort } = require("node:worker_threads");
     ${script}
     server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  t.after(() => apart.terminate());
  const [port] = (await once(apart, "message")) as [number];
  return port;
}

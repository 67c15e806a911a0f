import { setTimeout as sleep } from "node:timers/promises";
import { type Check, defineBench } from "./define.ts";
import { MEMORY_MEASURE_MS, memoryChecks } from "./memory.bench.ts";
import {
  LIVE_NUMBER,
  type LiveServer,
  liveLoad,
  liveServer,
  sandboxSending,
} from "./message-load.ts";
import { printed, startScript, stop } from "./processes.ts";
import type { Stage } from "./stage.ts";

/** Window of the bind: outstanding submits. */
const WINDOW = 50;
/** Accepted statuses; 202 is a message that waited for a window slot longer than the request does. */
const STATUSES = [201, 202];
const RECIPIENTS = 10_000;
const BATCHES = 3;
const BATCH_PER_SECOND_MIN = 1_500;
const REBIND_MS_MAX = 5_000;
const POLL_MS = 20;
const RESTARTS = 3;

/** An SMSC that can be stopped and started on the same port. */
interface TestSmsc {
  readonly port: number;
  restart(): Promise<void>;
}

async function startSmsc(stage: Stage): Promise<TestSmsc> {
  const start = async (port: number) => {
    const child = startScript("smsc.ts", { port });
    const [, at] = await printed(child, /^ready (\d+)$/m);
    return { child, port: Number(at) };
  };
  let running = await start(0);
  stage.atEnd(() => stop(running.child));
  return {
    port: running.port,
    async restart() {
      await stop(running.child);
      running = await start(running.port);
    },
  };
}

let shared: Promise<{ live: LiveServer; smsc: TestSmsc }> | null = null;

/** One server and one SMSC for rows and checks. */
function startedOn(stage: Stage) {
  shared ??= (async () => {
    const smsc = await startSmsc(stage);
    const carrier = {
      name: "wire",
      type: "smpp",
      host: "127.0.0.1",
      port: smsc.port,
      system_id: "us",
      password: "secret",
      window: WINDOW,
    };
    return { smsc, live: await liveServer(stage, carrier, { LONGWAVE_BATCH_PACE: "0" }) };
  })();
  return shared;
}

/** Live messages over SMPP to a local SMSC, with receipts for all. */
export const bench = defineBench({
  title: "Live messages over SMPP",
  async rows(stage) {
    const { live } = await startedOn(stage);
    return [
      {
        ours: liveLoad(stage, live, `POST /v1/messages, live over SMPP, window ${WINDOW}`, {
          statuses: STATUSES,
        }),
        other: sandboxSending(stage, live.server, "the same server, sandbox"),
        floor: 0.5,
      },
    ];
  },
  async checks(stage) {
    const { live, smsc } = await startedOn(stage);
    const load = liveLoad(stage, live, "live over SMPP", {
      statuses: STATUSES,
      measureMs: MEMORY_MEASURE_MS,
    });
    return [
      await batchCheck(live),
      await rebindCheck(live, smsc),
      ...(await memoryChecks(live.server, load)),
    ];
  },
});

async function batchCheck(live: LiveServer): Promise<Check> {
  const rates: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) rates.push(await batchRate(live));
  const [, median = 0] = rates.sort((a, b) => a - b);
  return {
    name: `A batch of ${RECIPIENTS} over SMPP, 201 to complete`,
    measured: `${median.toFixed(0)}/s`,
    limit: `${BATCH_PER_SECOND_MIN}/s`,
    holds: median >= BATCH_PER_SECOND_MIN,
  };
}

interface BatchRead {
  readonly id: string;
  readonly status: string;
  readonly completed_at: string;
  readonly counts: { readonly sent: number };
}

async function batchRate({ server, key }: LiveServer): Promise<number> {
  const body = {
    from: LIVE_NUMBER,
    body: "Hello {{name}}, your table is ready.",
    recipients: Array.from({ length: RECIPIENTS }, (_, index) => ({
      to: `+1415${2_000_000 + index}`,
      variables: { name: `Guest ${index}` },
    })),
  };
  const { id } = await server.request<BatchRead>("POST", "/v1/batches", { key, body });
  const answeredAt = Date.now();
  for (;;) {
    const batch = await server.request<BatchRead>("GET", `/v1/batches/${id}`, { key });
    if (batch.status === "complete") {
      if (batch.counts.sent < RECIPIENTS) throw new Error(`${batch.counts.sent} were sent.`);
      return (RECIPIENTS * 1_000) / (Date.parse(batch.completed_at) - answeredAt);
    }
    await sleep(POLL_MS);
  }
}

/** Time from the SMSC's restart until the bind is up. */
async function rebindCheck({ server }: LiveServer, smsc: TestSmsc): Promise<Check> {
  const state = async () => {
    const { data } = await server.operator<{ data: { state: string }[] }>("GET", "/carriers");
    return data[0]?.state;
  };
  let slowestMs = 0;
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    await smsc.restart();
    const startedMs = performance.now();
    // The server notices the closed socket at once.
    while ((await state()) !== "up") await sleep(POLL_MS);
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
  }
  return {
    name: `Bound again after a restart of the SMSC, slowest of ${RESTARTS}`,
    measured: `${(slowestMs / 1_000).toFixed(2)} s`,
    limit: `${REBIND_MS_MAX / 1_000} s`,
    holds: slowestMs <= REBIND_MS_MAX,
  };
}

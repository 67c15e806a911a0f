import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../testing/until.ts";
import { startWorkerPeer, suspendThread } from "../testing/worker-peer.ts";
import { type SessionTimes, SmppClient } from "./index.ts";

const SUBMIT_SM = 0x04;
const ENQUIRE_LINK = 0x15;
/** Longer than every timeout below. */
const SUSPENDED_MS = 3_000;

interface Suspension {
  readonly name: string;
  /** Command that the process sent last before its suspension. */
  readonly command: number;
  readonly times: Partial<SessionTimes>;
}

const CASES: readonly Suspension[] = [
  {
    name: "while an enquire_link was unanswered",
    command: ENQUIRE_LINK,
    times: { enquireLinkMs: 200, enquireAnswerMs: 1_000 },
  },
  {
    name: "for longer than the response timeout and the slot timeout",
    command: SUBMIT_SM,
    times: { answerMs: 500, stuckMs: 1_000 },
  },
];

for (const { name, command, times } of CASES) {
  test(`a process suspended ${name} reads pending responses before it times them out`, async (t) => {
    const { port, came } = await startWorkerPeer(t, command);
    const client = new SmppClient({
      hosts: [{ host: "127.0.0.1", port }],
      systemId: "us",
      password: "secret",
      onDelivery: async () => 0,
      times,
    });
    t.after(() => client.stop());
    client.start();
    await until("the link is up", () => client.state().state === "up");
    const outcome = client.submit({ destination_addr: "14155550101" });
    await came;
    suspendThread(SUSPENDED_MS);
    assert.equal((await outcome).kind, "answered");
    assert.equal(client.state().state, "up");
  });
}

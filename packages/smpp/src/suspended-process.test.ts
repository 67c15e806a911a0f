import assert from "node:assert/strict";
import test from "node:test";
import { standStill, startPeerApart } from "../testing/peer-apart.ts";
import { until } from "../testing/until.ts";
import { type SessionTimes, SmppClient } from "./index.ts";

const SUBMIT_SM = 0x04;
const ENQUIRE_LINK = 0x15;
/** Longer than anything is waited for below. */
const STOPPED_MS = 3_000;

interface Stopped {
  readonly name: string;
  /** What the process has just sent when it is stopped. */
  readonly command: number;
  readonly times: Partial<SessionTimes>;
}

const CASES: readonly Stopped[] = [
  {
    name: "while the peer was asked whether it lives",
    command: ENQUIRE_LINK,
    times: { enquireLinkMs: 200, enquireAnswerMs: 1_000 },
  },
  {
    name: "for longer than answers are waited for, and than they hold their places",
    command: SUBMIT_SM,
    times: { answerMs: 500, stuckMs: 1_000 },
  },
];

for (const { name, command, times } of CASES) {
  test(`a process that was stopped ${name} reads the answers that came meanwhile before it gives them up`, async (t) => {
    const { port, came } = await startPeerApart(t, command);
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
    standStill(STOPPED_MS);
    assert.equal((await outcome).kind, "answered");
    assert.equal(client.state().state, "up");
  });
}

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import type { SubmitOutcome } from "../../network/carriers/index.ts";

const FROM = "+14155550100";
const LINK = "test-link";
const ATTEMPTS_MAX = 6;
const RUNS = 15;

type PeerAnswer = "accept" | "busy" | "refuse" | "silence";
type Step = "next_attempt" | "delivered" | "failed" | "intermediate" | "again";

/** Invariants of a message in every state: the state table again, as independent code. */
class Model {
  status = "queued";
  failure: string | null = null;
  readonly events: string[] = [];
  attempts = 0;
  waitsFor: "attempt" | "decision" = "attempt";
  /** The first final receipt that arrived before the carrier's acceptance. */
  early: "delivered" | "failed" | null = null;

  attempt(answer: PeerAnswer): void {
    this.attempts += 1;
    if (answer === "silence") this.waitsFor = "decision";
    else if (answer === "refuse") this.fail("carrier_rejected");
    else if (answer === "accept") this.accept();
    else if (this.attempts === ATTEMPTS_MAX) this.fail("carrier_unavailable");
  }

  receipt(state: "delivered" | "failed"): void {
    if (this.status === "queued") this.early ??= state;
    if (this.status !== "sent") return;
    if (state === "failed") {
      this.fail("unreachable");
      return;
    }
    this.status = "delivered";
    this.events.push("message.delivered");
  }

  fail(code: string): void {
    this.status = "failed";
    this.failure = code;
    this.events.push("message.failed");
  }

  private accept(): void {
    this.status = "sent";
    this.events.push("message.sent");
    if (this.early) this.receipt(this.early);
  }
}

test("for any answers and receipts of carriers, a message follows its state table", async (t) => {
  const carriers = createTestCarrier(LINK);
  const kit = await startKit(t, {}, { carriers });
  await goLive(kit, 10);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  let runs = 0;

  const run = async (script: readonly PeerAnswer[], steps: readonly Step[]) => {
    runs += 1;
    const to = `+1415556${String(1_000 + runs)}`;
    const answerOf = (attempt: number) => script[attempt - 1] ?? (script.at(-1) as PeerAnswer);
    carriers.answers = [(text) => outcomeOf(answerOf(text.attempt), text.to)];
    const model = new Model();
    model.attempt(answerOf(1));
    const body = { to, from: FROM, body: "Hello" };
    const sent = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
    const id = sent.body.id ?? sent.body.message_id;
    await check(kit, id, model);
    let brought = 0;
    for (const step of steps) {
      if (step === "next_attempt") await passAttempt(kit, id, model, answerOf);
      else {
        // A repeated receipt is identical, and is stored once.
        if (step !== "again") brought += 1;
        const state = step === "again" ? "intermediate" : step;
        const raw = `${state} ${brought}`;
        const receipt = { reference: `ref-${to}`, state, raw, carrierCode: null } as const;
        await carriers.sink().receipt({ carrier: LINK, ...receipt });
        if (state !== "intermediate") model.receipt(state);
      }
      await kit.advance(1);
      await check(kit, id, model);
    }
  };

  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<PeerAnswer>("accept", "accept", "busy", "refuse", "silence"), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.array(
        fc.constantFrom<Step>("next_attempt", "delivered", "failed", "intermediate", "again"),
        { maxLength: 8 },
      ),
      run,
    ),
    {
      numRuns: RUNS,
      includeErrorInReport: true,
      // Contradictory receipts before the answer, all retries, and a retry without an answer.
      examples: [
        [
          ["busy", "accept"],
          ["failed", "delivered", "next_attempt", "delivered"],
        ],
        [
          ["busy", "accept"],
          ["delivered", "failed", "next_attempt"],
        ],
        [["busy"], Array.from({ length: ATTEMPTS_MAX }, () => "next_attempt" as const)],
        [["silence"], ["next_attempt", "delivered"]],
        [
          ["busy", "silence"],
          ["next_attempt", "intermediate", "next_attempt"],
        ],
      ],
    },
  );
  await assertMessagesWhole(kit.rows);
});

function outcomeOf(answer: PeerAnswer, to: string): SubmitOutcome {
  if (answer === "silence") return { kind: "unknown" };
  if (answer === "accept") return { kind: "accepted", references: [`ref-${to}`] };
  return { kind: "refused", isTemporary: answer === "busy", carrierCode: answer };
}

/** Advances to the next attempt, or to the decision. */
async function passAttempt(
  kit: Kit,
  id: string,
  model: Model,
  answerOf: (attempt: number) => PeerAnswer,
): Promise<void> {
  const { body } = await kit.request("GET", `/v1/messages/${id}`);
  const waitMs = Date.parse(body.next_attempt_at ?? "") - kit.deps.clock.now();
  await kit.advance(Number.isNaN(waitMs) ? 60 : Math.max(1, Math.ceil(waitMs / 1_000)));
  if (model.status !== "queued") return;
  if (model.waitsFor === "decision") model.fail("outcome_unknown");
  else model.attempt(answerOf(model.attempts + 1));
}

async function check(kit: Kit, id: string, model: Model): Promise<void> {
  const { body } = await kit.request("GET", `/v1/messages/${id}`);
  assert.equal(body.status, model.status);
  assert.equal(body.failure?.code ?? null, model.failure);
  assert.equal(body.next_attempt_at !== null, model.status === "queued");
  const rows = await kit.rows(
    "select type from events where data->>'message_id' = $1 order by seq",
    [id],
  );
  assert.deepEqual(
    rows.map((row) => row.type),
    model.events,
  );
}

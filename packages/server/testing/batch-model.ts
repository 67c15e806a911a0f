import assert from "node:assert/strict";
import fc from "fast-check";
import { fromApiId } from "../src/core/platform/ids.ts";
import type { OutboundMessage, SubmitOutcome } from "../src/network/carriers/index.ts";
import { assertAddsUp, control, makeBatch, phones, recipientsOf } from "./batches.ts";
import { giveNumber } from "./give-number.ts";
import { type Kit, type Lifetime, startKit } from "./kit.ts";
import { goLive } from "./live.ts";
import { accepted, createTestCarrier, type TestCarrier } from "./test-carrier.ts";
import { until } from "./until.ts";

const FROM = "+14155550100";
const RECIPIENTS = 80;
/** Recipients whom the carrier answers late or never: three last digits of ten. */
const SLOW = (RECIPIENTS * 3) / 10;
const WINDOW = 7;
const ANSWER_MS_MAX = 4;
/** Longer than the last retry after temporary refusals, and than any unknown outcome stays open. */
const SETTLED_SECONDS = 4 * 3_600;

type Status = "scheduled" | "sending" | "paused" | "complete" | "canceled";
type Action = "pause" | "resume" | "cancel" | "retry";
type Counts = Readonly<
  Record<"total" | "queued" | "paused" | "sent" | "failed" | "skipped" | "canceled", number>
>;

/** States that allow an action, and the state it leads to. */
const TABLE: Readonly<Record<Action, { from: readonly Status[]; to: Status }>> = {
  pause: { from: ["scheduled", "sending"], to: "paused" },
  resume: { from: ["paused"], to: "sending" },
  cancel: { from: ["scheduled", "sending", "paused"], to: "canceled" },
  retry: { from: ["complete"], to: "sending" },
};

/** Expected state of the batch. Without actions it moves only from `sending` to `complete`. */
interface Model {
  status: Status;
  counts: Counts;
  /** Upper bound of submitted messages while the batch is paused or canceled; null otherwise. */
  submittedMax: number | null;
}

/** A batch sent by a real worker, and the count of messages that the carrier received. */
interface Real {
  readonly kit: Kit;
  readonly id: string;
  submitted(): number;
}

/** Runs random sequences of actions on one batch each, while a worker sends it. */
export async function checkControl(t: Lifetime, numRuns: number, seed?: number): Promise<void> {
  const carrier = createTestCarrier();
  carrier.window = WINDOW;
  carrier.answers = [answerOf];
  const env = { LONGWAVE_BATCH_PACE: "0" };
  const kit = await startKit(t, env, { carriers: carrier });
  await goLive(kit, 1_000);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  let runs = 0;
  const commands = fc.commands(COMMANDS, { maxCommands: 12, size: "max" });
  const property = fc.asyncProperty(commands, async (history) => {
    runs += 1;
    const start = runs * RECIPIENTS;
    await fc.asyncModelRun(() => begin(kit, carrier, start), history);
    await finish(kit, carrier, start);
  });
  const seeded = seed === undefined ? {} : { seed };
  await fc.assert(property, { numRuns, endOnFailure: true, includeErrorInReport: true, ...seeded });
}

async function begin(kit: Kit, carrier: TestCarrier, start: number) {
  const to = phones(RECIPIENTS, start);
  const own = new Set(to);
  const made = await makeBatch(kit, to, { from: FROM }, { key: kit.liveKey });
  const model: Model = { status: "sending", counts: made.counts, submittedMax: null };
  const submitted = () => submitsOf(carrier, own).size;
  return { model, real: { kit, id: made.id, submitted } };
}

/** After any history, every recipient reaches a final state and gets at most one message. */
async function finish(kit: Kit, carrier: TestCarrier, start: number): Promise<void> {
  const { body } = await kit.request("GET", "/v1/batches?limit=1");
  const [{ id, status }] = body.data as [{ id: string; status: Status }];
  if (status === "paused") await control(kit, id, "resume");
  await kit.advance(SETTLED_SECONDS);
  const batch = (await kit.request("GET", `/v1/batches/${id}`)).body;
  assertAddsUp(batch);
  assert.equal(batch.status, status === "canceled" ? "canceled" : "complete");
  assert.equal(batch.counts.queued + batch.counts.paused, 0);
  const rows = await recipientsOf(kit, id);
  const taken = takenOf(carrier, new Set(phones(RECIPIENTS, start)));
  for (const { to, status: outcome, failure } of rows) {
    const times = taken.get(to) ?? 0;
    assert.ok(times <= 1, `${to} was texted ${times} times`);
    const mayHaveIt = outcome === "sent" || failure?.code === "outcome_unknown";
    assert.equal(times === 1, mayHaveIt, `${to} is ${outcome}, and has ${times} texts`);
  }
  for (const [name, count] of Object.entries(batch.counts as Counts)) {
    const found = rows.filter((row) => name === "total" || row.status === name).length;
    assert.equal(found, count, `${count} are counted as ${name}`);
  }
  await checkResults(kit, id);
}

/** Batch results must equal a recount of the newest message per recipient, canceled ones excluded. */
async function checkResults(kit: Kit, id: string): Promise<void> {
  const { body } = await kit.request("GET", `/v1/batches/${id}/results`);
  const messages = await kit.rows(
    "select to_number, status, failure_code, price_micros from messages where batch_id = $1 order by id",
    [fromApiId("batch", id)],
  );
  const newest = [...new Map(messages.map((row) => [row.to_number, row])).values()];
  const counted = newest.filter((row) => row.failure_code !== "canceled");
  const count = (status: string) => counted.filter((row) => row.status === status).length;
  const failures = new Map<string, number>();
  for (const { status, failure_code } of counted) {
    if (status === "failed") failures.set(failure_code, (failures.get(failure_code) ?? 0) + 1);
  }
  const recount = {
    delivered: count("delivered"),
    failed: count("failed"),
    pending: count("sent"),
    attempted: count("delivered") + count("failed") + count("sent"),
    failures: Object.fromEntries(failures),
    spentMicros: messages.reduce((sum, row) => sum + row.price_micros, 0),
  };
  const { delivered, failed, pending, attempted } = body;
  const failureCounts = body.failures.map((one: { code: string; count: number }) => [
    one.code,
    one.count,
  ]);
  const spentMicros = Math.round(body.spent_usd * 1_000_000);
  const byCode = Object.fromEntries(failureCounts);
  assert.deepEqual(
    { delivered, failed, pending, attempted, failures: byCode, spentMicros },
    recount,
  );
  assert.equal(body.partial, false);
  assert.ok(body.no_receipt <= pending);
}

/** Outcome by the phone's last digit; most messages are accepted. */
async function answerOf({ to, attempt }: OutboundMessage): Promise<SubmitOutcome> {
  await new Promise((resolve) => setTimeout(resolve, Number(to.at(-2)) % ANSWER_MS_MAX));
  const temporary = { kind: "refused", isTemporary: true, carrierCode: "88" } as const;
  switch (to.at(-1)) {
    case "1":
      return attempt === 1 ? temporary : accepted();
    case "2":
      return temporary;
    case "3":
      return { kind: "refused", isTemporary: false, carrierCode: "11" };
    case "4":
      return { kind: "unknown" };
    default:
      return accepted();
  }
}

/** Messages per recipient that the carrier accepted, or may have accepted. */
function takenOf(carrier: TestCarrier, own: ReadonlySet<string>): Map<string, number> {
  const taken = new Map<string, number>();
  for (const { to, attempt } of carrier.submitted) {
    const digit = to.at(-1) ?? "";
    const isRefused = "23".includes(digit) || (digit === "1" && attempt === 1);
    if (own.has(to) && !isRefused) taken.set(to, (taken.get(to) ?? 0) + 1);
  }
  return taken;
}

/** Distinct submits by message and attempt. */
function submitsOf(carrier: TestCarrier, own: ReadonlySet<string>): Set<string> {
  const keys = new Set<string>();
  for (const { to, messageId, attempt } of carrier.submitted) {
    if (own.has(to)) keys.add(`${messageId} ${attempt}`);
  }
  return keys;
}

type Step = fc.AsyncCommand<Model, Real>;

/** Compares GET /batches/{id} with the model. */
async function read(model: Model, real: Real): Promise<void> {
  const { body } = await real.kit.request("GET", `/v1/batches/${real.id}`);
  assertAddsUp(body);
  const moves = model.status === body.status;
  assert.ok(
    moves || (model.status === "sending" && body.status === "complete"),
    `${model.status} became ${body.status} by itself`,
  );
  const { counts: before } = model;
  for (const name of ["sent", "failed", "skipped"] as const) {
    assert.ok(body.counts[name] >= before[name], `${name} went down without a retry`);
  }
  assert.equal(body.counts.canceled, before.canceled);
  model.status = body.status;
  model.counts = body.counts;
  if (model.submittedMax !== null) {
    assert.ok(
      real.submitted() <= model.submittedMax,
      `${real.submitted()} submitted, of ${model.submittedMax} that could`,
    );
  }
}

class Read implements Step {
  check = () => true;
  run = read;
  toString = () => "read";
}

class Wait implements Step {
  readonly #texts: number;
  constructor(texts: number) {
    this.#texts = texts;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const enough = real.submitted() + this.#texts;
    await until(async () => {
      await read(model, real);
      const isOver = model.status !== "sending" || model.counts.queued <= SLOW;
      return isOver || real.submitted() >= enough;
    });
  }
  toString = () => `wait(${this.#texts})`;
}

class Advance implements Step {
  readonly #seconds: number;
  constructor(seconds: number) {
    this.#seconds = seconds;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    await real.kit.advance(this.#seconds);
    await read(model, real);
  }
  toString = () => `advance(${this.#seconds})`;
}

class Act implements Step {
  readonly #action: Action;
  constructor(action: Action) {
    this.#action = action;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    await read(model, real);
    const maybe: Status[] = model.status === "sending" ? ["sending", "complete"] : [model.status];
    const { from } = TABLE[this.#action];
    const answer = await control(real.kit, real.id, this.#action);
    if (answer.status === 409) {
      assert.ok(maybe.some((status) => !from.includes(status)));
      return read(model, real);
    }
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.ok(maybe.some((status) => from.includes(status)));
    assert.equal(answer.body.sweep_complete, true);
    checkAction(this.#action, model, real, answer.body);
    await read(model, real);
  }
  toString = () => this.#action;
}

/** Checks the response of a successful action: `affected` must match the counts. */
function checkAction(
  action: Action,
  model: Model,
  real: Real,
  batch: { status: Status; counts: Counts; affected: number },
): void {
  assertAddsUp(batch);
  const { counts, affected, status } = batch;
  const isNothing = action === "retry" && affected === 0;
  assert.equal(status, isNothing ? "complete" : TABLE[action].to);
  if (action === "pause") assert.equal(counts.paused, affected);
  if (action === "cancel") assert.equal(counts.canceled, affected);
  if (action === "resume") assert.equal(counts.paused, 0);
  if (action === "retry") {
    assert.equal(counts.queued, affected);
    // A batch read as complete had no open recipients that could still fail before the retry.
    if (model.status === "complete") assert.equal(counts.failed, model.counts.failed - affected);
  }
  model.status = status;
  model.counts = counts;
  // Recipients already reserved for the carrier may still be submitted.
  const stopsSending = action === "pause" || action === "cancel";
  model.submittedMax = stopsSending ? real.submitted() + counts.queued : null;
}

/** Concurrent actions: each succeeds or is refused with 409, as some serial order of the table allows. */
class Storm implements Step {
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const actions: readonly Action[] = ["pause", "resume", "pause", "retry", "resume", "pause"];
    const answers = await Promise.all(actions.map((each) => control(real.kit, real.id, each)));
    const done = (action: Action) =>
      answers.filter((answer, index) => actions[index] === action && answer.status === 200).length;
    for (const { status, body } of answers) {
      assert.ok(status === 200 || status === 409, JSON.stringify(body));
      if (status === 200) assertAddsUp(body);
    }
    assert.ok(Math.abs(done("pause") - done("resume")) <= 1);
    const { body } = await real.kit.request("GET", `/v1/batches/${real.id}`);
    model.status = body.status;
    model.counts = body.counts;
    model.submittedMax = null;
    await read(model, real);
  }
  toString = () => "storm";
}

const action = (name: Action) => fc.constant<Step>(new Act(name));

const COMMANDS: fc.Arbitrary<Step>[] = [
  fc.constant(new Read()),
  fc.integer({ min: 1, max: 40 }).map((texts) => new Wait(texts)),
  fc.integer({ min: 1, max: 40 }).map((texts) => new Wait(texts)),
  fc.constantFrom(1, 31, 900, SETTLED_SECONDS).map((seconds) => new Advance(seconds)),
  fc.constant(new Storm()),
  action("pause"),
  action("pause"),
  action("resume"),
  action("resume"),
  action("retry"),
  action("cancel"),
];

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
/** Those whom the carrier answers late, if at all: three last digits of ten. */
const SLOW = (RECIPIENTS * 3) / 10;
const WINDOW = 7;
const ANSWER_MS_MAX = 4;
/** Longer than the last retry of a carrier that always refuses, and than any doubt lasts. */
const SETTLED_SECONDS = 4 * 3_600;

type Status = "scheduled" | "sending" | "paused" | "complete" | "canceled";
type Action = "pause" | "resume" | "cancel" | "retry";
type Counts = Readonly<
  Record<"total" | "queued" | "paused" | "sent" | "failed" | "skipped" | "canceled", number>
>;

/** From where an action is allowed, and where it leads. */
const TABLE: Readonly<Record<Action, { from: readonly Status[]; to: Status }>> = {
  pause: { from: ["scheduled", "sending"], to: "paused" },
  resume: { from: ["paused"], to: "sending" },
  cancel: { from: ["scheduled", "sending", "paused"], to: "canceled" },
  retry: { from: ["complete"], to: "sending" },
};

/** What is known of the batch without asking: it moves by itself from sending to complete only. */
interface Model {
  status: Status;
  counts: Counts;
  /** Who may have left by then: once it is canceled or while it is paused, nobody else does. */
  leftMax: number | null;
}

/** One batch under a real worker, and the carrier that is its witness. */
interface Real {
  readonly kit: Kit;
  readonly id: string;
  left(): number;
}

/** Runs random histories of one batch each, against a worker that sends it meanwhile. */
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
  const mine = new Set(to);
  const made = await makeBatch(kit, to, { from: FROM }, { key: kit.liveKey });
  const model: Model = { status: "sending", counts: made.counts, leftMax: null };
  const left = () => namesOf(carrier, mine).size;
  return { model, real: { kit, id: made.id, left } };
}

/** Whatever happened, everybody comes to an end, and nobody was texted twice. */
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
  const kept = takenOf(carrier, new Set(phones(RECIPIENTS, start)));
  for (const { to, status: outcome, failure } of rows) {
    const times = kept.get(to) ?? 0;
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

/** The results are what a recount comes to: each recipient by its newest text, without those canceled. */
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
  const told = body.failures.map((one: { code: string; count: number }) => [one.code, one.count]);
  const spentMicros = Math.round(body.spent_usd * 1_000_000);
  const byCode = Object.fromEntries(told);
  assert.deepEqual(
    { delivered, failed, pending, attempted, failures: byCode, spentMicros },
    recount,
  );
  assert.equal(body.partial, false);
  assert.ok(body.no_receipt <= pending);
}

/** By the number's last digit: most are taken, the others are what carriers do besides. */
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

/** How many texts of each recipient a carrier took, or may have taken. */
function takenOf(carrier: TestCarrier, mine: ReadonlySet<string>): Map<string, number> {
  const taken = new Map<string, number>();
  for (const { to, attempt } of carrier.submitted) {
    const digit = to.at(-1) ?? "";
    const isRefused = "23".includes(digit) || (digit === "1" && attempt === 1);
    if (mine.has(to) && !isRefused) taken.set(to, (taken.get(to) ?? 0) + 1);
  }
  return taken;
}

/** Every text that left, by message: a retry by the carrier's leave is the same text. */
function namesOf(carrier: TestCarrier, mine: ReadonlySet<string>): Set<string> {
  const names = new Set<string>();
  for (const { to, messageId, attempt } of carrier.submitted) {
    if (mine.has(to)) names.add(`${messageId} ${attempt}`);
  }
  return names;
}

type Step = fc.AsyncCommand<Model, Real>;

/** GET /batches/{id}, held against what is known. */
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
  if (model.leftMax !== null) {
    assert.ok(real.left() <= model.leftMax, `${real.left()} left, of ${model.leftMax} that could`);
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
    const enough = real.left() + this.#texts;
    await until(async () => {
      await read(model, real);
      const isOver = model.status !== "sending" || model.counts.queued <= SLOW;
      return isOver || real.left() >= enough;
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
    acted(this.#action, model, real, answer.body);
    await read(model, real);
  }
  toString = () => this.#action;
}

/** What an action that was done did: `affected` is true to the counts. */
function acted(
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
    // Only a batch that was read as complete had nobody left to fail before the retry.
    if (model.status === "complete") assert.equal(counts.failed, model.counts.failed - affected);
  }
  model.status = status;
  model.counts = counts;
  // Those that are with the carrier may still be on their way to it.
  const holds = action === "pause" || action === "cancel";
  model.leftMax = holds ? real.left() + counts.queued : null;
}

/** All at once: those that the table allows in some order are done, the others are refused. */
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
    model.leftMax = null;
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

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { assertAddsUp, phones } from "../../testing/batches.ts";
import { assertMoneyAddsUp } from "../../testing/ledger-invariants.ts";
import { assertMessagesWhole } from "../../testing/message-invariants.ts";
import type { Program } from "../../testing/program.ts";
import { until } from "../../testing/until.ts";
import { openSmppStage, type SmppKillStage } from "./smpp-stage.ts";
import { FROM, type KillStage, killHard, openStage } from "./stage.ts";

/** Window of the carrier: the maximum number of messages whose outcome a kill makes unknown. */
export const WINDOW = 10;
const READ_EVERY_MS = 50;
const COUNT_EVERY_MS = 5;
const RETRY_MS = 50;
const SENT_MS_MAX = 180_000;
/** Maximum pause of a batch after a kill. */
const PAUSE_MS_MAX = 60_000;
/** Longer than the last retry after temporary refusals, and than any unknown outcome stays open. */
const SETTLED_SECONDS = 4 * 3_600;
/** Phones with special outcomes: refused once, always temporarily refused, permanently refused. */
export const SPECIAL = ["+15005550002", "+15005550003", "+15005550004"] as const;

type Victim = "worker" | "api" | "postgres" | "connection";

export interface KillPlan {
  readonly recipients: number;
  /** Number of kills of each, at moments that the seed spreads over the batch. */
  readonly kills: Readonly<Partial<Record<Victim, number>>>;
  readonly seed: number;
  /** Sends over SMPP to the test's SMSC instead of the simulator. */
  readonly isSmpp?: boolean;
}

/**
 * Sends a live batch while its worker, API and PostgreSQL are killed with SIGKILL. The simulator writes its
 * journal to disk before any response, so the journal is the reference: no duplicate, none lost, and unknown
 * outcomes are reported as such and bounded by the window.
 */
export async function batchUnderKills(t: TestContext, plan: KillPlan): Promise<void> {
  const options = {
    window: WINDOW,
    ownPostgres: (plan.kills.postgres ?? 0) > 0,
    env: { LONGWAVE_TEST_CLOCK: "1" },
  };
  const smpp = plan.isSmpp ? await openSmppStage(t, options) : null;
  const stage = smpp ?? (await openStage(t, options));
  const processes = await startProcesses(stage);
  const key = await stage.prepare();
  const to = [...SPECIAL, ...phones(plan.recipients - SPECIAL.length)];
  const kills = killsOf(plan);
  const isApiKilled = kills.some((kill) => kill.victim === "api");
  const id = await create(stage, processes, key, to, isApiKilled);
  await processes.start("worker");

  const killedAtMs: number[] = [];
  const done = new AbortController();
  const reading = readUntil(stage, key, id, done.signal);
  const losesOutcomes = ({ victim }: Kill) => victim !== "api";
  const killCount = () => kills.slice(0, killedAtMs.length).filter(losesOutcomes).length;
  const watching = watchUnsettled(stage, killCount, done.signal);
  try {
    let apiStarts = Promise.resolve();
    for (const { victim, atShare } of kills) {
      await untilJournal(stage, atShare * plan.recipients);
      killedAtMs.push(performance.timeOrigin + performance.now());
      if (victim === "postgres") await stage.killPostgres();
      else if (victim === "connection") stage.resetLines();
      // The worker continues while the API restarts; without the worker nothing does.
      else if (victim === "api") apiStarts = apiStarts.then(() => processes.killAndStart("api"));
      else await processes.killAndStart("worker");
    }
    await apiStarts;
    const hasLeft = async () =>
      (await stage.rows("select waiting from batches").catch(() => []))[0]?.waiting === 0;
    await until(hasLeft, SENT_MS_MAX);
  } finally {
    done.abort();
  }
  const reads = await reading;
  assert.ok(reads > kills.length, `only ${reads} reads saw the batch in progress`);
  t.diagnostic(await watching);
  if (smpp) await until(() => smpp.smsc.undelivered === 0, SENT_MS_MAX);
  await settle(stage, SETTLED_SECONDS);
  await check(stage, key, id, to, kills.filter(losesOutcomes).length);
  if (smpp) {
    await checkReceipts(smpp);
    t.diagnostic(`the longest pause after a kill took ${checkPauses(smpp, killedAtMs)} ms`);
  }
  t.diagnostic(`${kills.length} kills, ${reads} reads, seed ${plan.seed}`);
}

const ADVANCES_MAX = 5;
const STARTS_MAX = 5;
/**
 * Start failures because the database went away or takes too long to return. Supervisors restart such a
 * process with growing pauses.
 */
const DATABASE_GONE =
  /The database went away while Longwave was starting|cannot be used: (the database system is|connect )/;

/** Advances the test clock. Repeats a failed advance, because a link may not be up again yet. */
export async function settle(stage: KillStage, seconds: number): Promise<void> {
  for (let advance = 1; ; advance += 1) {
    try {
      await stage.operator("POST", "/clock/advance", { seconds });
      return;
    } catch (error) {
      if (advance === ADVANCES_MAX) throw error;
    }
  }
}

/** Asserts that every sent message has its receipt, whichever process was killed when it arrived. */
export async function checkReceipts({ smsc, rows }: SmppKillStage): Promise<void> {
  assert.ok(
    smsc.journal.mostOutstanding() <= WINDOW,
    `${smsc.journal.mostOutstanding()} were outstanding`,
  );
  const [counts] = await rows(
    `select count(*) filter (where status = 'sent')::int as without,
            count(*) filter (where status = 'delivered')::int as delivered from messages`,
  );
  assert.equal(counts.without, 0, "sent messages without a receipt");
  assert.ok(counts.delivered > 0);
}

/** Asserts that the batch continues soon after every kill; returns the longest pause. */
function checkPauses({ smsc }: SmppKillStage, killedAtMs: readonly number[]): number {
  const submitted = smsc.journal.submits().map((one) => one.atMs);
  const pauses = killedAtMs.map((killed) => {
    const next = submitted.find((at) => at > killed);
    return next === undefined ? 0 : next - killed;
  });
  const longest = Math.round(Math.max(...pauses));
  assert.ok(longest <= PAUSE_MS_MAX, `nothing was submitted for ${longest} ms after a kill`);
  return longest;
}

/** Starts the installation's processes; a killed one is restarted. */
export async function startProcesses(stage: KillStage) {
  const running = new Map<Victim, Program>();
  const start = async (role: "api" | "worker") => {
    for (let tries = 1; ; tries += 1) {
      try {
        running.set(role, await stage.start({ LONGWAVE_ROLES: role }));
        return;
      } catch (error) {
        // Restarts a process that lost its database during the start, as a supervisor would.
        if (tries === STARTS_MAX || !DATABASE_GONE.test((error as Error).message)) throw error;
      }
    }
  };
  await start("api");
  return {
    start,
    async killAndStart(role: "api" | "worker") {
      await killHard(running.get(role) as Program);
      await start(role);
    },
  };
}

interface Kill {
  readonly victim: Victim;
  /** Share of the expected journal after which the kill happens. */
  readonly atShare: number;
}

function killsOf({ kills, seed, recipients }: KillPlan): Kill[] {
  const victims = (Object.entries(kills) as [Victim, number][]).flatMap(([victim, count]) =>
    Array.from({ length: count }, () => victim),
  );
  const moments = fc.sample(fc.noBias(fc.integer({ min: 1, max: recipients - 1 })), {
    seed,
    numRuns: victims.length,
  });
  return victims
    .map((victim, index) => ({ victim, atShare: (moments[index] as number) / recipients }))
    .sort((a, b) => a.atShare - b.atShare);
}

/** Repeats POST /batches until it succeeds. Optionally kills the API during the first request. */
export async function create(
  stage: KillStage,
  processes: Awaited<ReturnType<typeof startProcesses>>,
  key: string,
  to: readonly string[],
  isApiKilled: boolean,
): Promise<string> {
  const body = JSON.stringify({
    from: FROM,
    body: "Hello {{n}}",
    recipients: to.map((number, index) => ({ to: number, variables: { n: String(index) } })),
  });
  const post = () =>
    fetch(`${stage.url}/v1/batches`, {
      method: "POST",
      body,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": "one batch",
      },
    }).catch(() => null);
  const first = post();
  if (isApiKilled) {
    await sleep(100);
    await processes.killAndStart("api");
  }
  await first;
  for (;;) {
    const answer = await post();
    if (answer?.status === 201) return ((await answer.json()) as { id: string }).id;
    await sleep(RETRY_MS);
  }
}

/** Reads the batch continuously; the counts of every response must add up. */
export async function readUntil(
  stage: KillStage,
  key: string,
  id: string,
  signal: AbortSignal,
): Promise<number> {
  let reads = 0;
  while (!signal.aborted) {
    const answer = await get(stage, key, `/batches/${id}`).catch(() => null);
    if (answer) {
      assertAddsUp(answer as Parameters<typeof assertAddsUp>[0]);
      reads += 1;
    }
    await sleep(READ_EVERY_MS);
  }
  return reads;
}

const UNSETTLED =
  "select count(*)::int as messages from messages where status = 'queued' and awaiting_carrier";

/**
 * Continuously counts submitted messages without a stored outcome; kills and outstanding submits bound their
 * number.
 */
async function watchUnsettled(
  stage: KillStage,
  killCount: () => number,
  signal: AbortSignal,
): Promise<string> {
  let [counts, most] = [0, 0];
  while (!signal.aborted) {
    const [seen] = await stage.rows(UNSETTLED).catch(() => []);
    if (seen) {
      const kills = killCount();
      const { messages } = seen;
      assert.ok(
        messages <= (kills + 1) * WINDOW,
        `${messages} were unsettled after ${kills} kills`,
      );
      counts += 1;
      most = Math.max(most, messages - kills * WINDOW);
    }
    await sleep(COUNT_EVERY_MS);
  }
  return `${counts} counts; at most ${most} unsettled messages beyond those of kills`;
}

async function get(stage: KillStage, key: string, path: string) {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${stage.url}/v1${path}`, { headers });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  return answer.json() as Promise<any>;
}

/** Waits until the journal has so many submits. */
export async function untilJournal(stage: KillStage, submits: number): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    if ((await stage.submitCount()) >= submits) return;
    if (performance.now() - startedAt > SENT_MS_MAX)
      throw new Error("The batch makes no progress.");
    await sleep(1);
  }
}

interface Recipient {
  readonly to: string;
  readonly status: string;
  readonly failure: { readonly code: string } | null;
  readonly message_id: string | null;
}

async function recipientsOf(stage: KillStage, key: string, id: string): Promise<Recipient[]> {
  const all: Recipient[] = [];
  for (let cursor = ""; ; ) {
    const page = await get(stage, key, `/batches/${id}/recipients?limit=500${cursor}`);
    all.push(...page.data);
    if (!page.has_more) return all;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

export async function check(
  stage: KillStage,
  key: string,
  id: string,
  to: readonly string[],
  kills: number,
): Promise<void> {
  const batch = await get(stage, key, `/batches/${id}`);
  assert.equal(batch.status, "complete");
  assertAddsUp(batch);
  const recipients = await recipientsOf(stage, key, id);
  assert.deepEqual(
    recipients.map((row) => row.to),
    to,
  );
  const taken = new Map<string, number>();
  for (const submit of await stage.submits()) {
    if (submit.answer === "accept") taken.set(submit.to, (taken.get(submit.to) ?? 0) + 1);
  }
  const twice = [...taken].filter(([, times]) => times > 1);
  assert.deepEqual(twice, [], "recipients with two accepted messages");
  const isUnknown = (row: Recipient) => row.failure?.code === "outcome_unknown";
  const lost = recipients.filter((row) => row.status === "sent" && !taken.has(row.to));
  assert.deepEqual(lost, [], "sent recipients that were never submitted");
  const denied = recipients.filter(
    (row) => row.status !== "sent" && !isUnknown(row) && taken.has(row.to),
  );
  assert.deepEqual(denied, [], "submitted recipients with another outcome");
  const unknown = recipients.filter(isUnknown).length;
  assert.ok(unknown <= kills * WINDOW, `${unknown} unknown outcomes after ${kills} kills`);
  const [always, refused] = [recipients[1], recipients[2]] as [Recipient, Recipient];
  const codes = ["outcome_unknown", "carrier_unavailable", "carrier_rejected"];
  for (const row of [always, refused]) assert.ok(codes.includes(row.failure?.code ?? ""), row.to);
  const settled = recipients.filter((row) => row.status === "sent").length + unknown + 2;
  assert.ok(settled >= to.length && settled <= to.length + 2, "every recipient has an outcome");

  // Separate queries: Citus does not count several tables in one statement.
  const [messages] = await stage.rows(
    `select count(*)::int as all, count(distinct to_number)::int as phones
       from messages where direction = 'outbound'`,
  );
  assert.deepEqual(messages, { all: to.length, phones: to.length });
  const [batches] = await stage.rows("select count(*)::int as all from batches");
  assert.equal(batches.all, 1);
  const [completions] = await stage.rows(
    "select count(*)::int as all from events where type = 'broadcast.complete'",
  );
  assert.equal(completions.all, 1);
  await assertMoneyAddsUp(stage.rows);
  await assertMessagesWhole(stage.rows);
}

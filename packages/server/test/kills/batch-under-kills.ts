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

/** A kill leaves at most a window of texts in the dark. */
export const WINDOW = 10;
const READ_EVERY_MS = 50;
const LOOK_EVERY_MS = 5;
const RETRY_MS = 50;
const SENT_MS_MAX = 180_000;
/** What a kill may cost a batch beside the time it takes to send. */
const PAUSE_MS_MAX = 60_000;
/** Longer than the last retry of a carrier that always refuses, and than any doubt lasts. */
const SETTLED_SECONDS = 4 * 3_600;
/** Refused at first and taken then; refused for ever; refused for good. */
export const SPECIAL = ["+15005550002", "+15005550003", "+15005550004"] as const;

type Victim = "worker" | "api" | "postgres" | "line";

export interface KillPlan {
  readonly recipients: number;
  /** How often each is killed, at moments that the seed spreads over the batch. */
  readonly kills: Readonly<Partial<Record<Victim, number>>>;
  readonly seed: number;
  /** Over SMPP, to an SMSC of the test's own, instead of the simulator. */
  readonly isSmpp?: boolean;
}

/**
 * A live batch whose worker, API and PostgreSQL are killed with SIGKILL while it is sent. The
 * simulator's journal, on disk before any answer, is the witness: nobody is texted twice, nobody
 * is forgotten, and what a kill left in the dark is told as such and stays within the window.
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
  const leavesDark = ({ victim }: Kill) => victim !== "api";
  const killCount = () => kills.slice(0, killedAtMs.length).filter(leavesDark).length;
  const looking = watchDark(stage, killCount, done.signal);
  try {
    let apiStarts = Promise.resolve();
    for (const { victim, atShare } of kills) {
      await untilJournal(stage, atShare * plan.recipients);
      killedAtMs.push(performance.timeOrigin + performance.now());
      if (victim === "postgres") await stage.killPostgres();
      else if (victim === "line") stage.resetLines();
      // The worker goes on while the API comes back; without the worker nothing does.
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
  assert.ok(reads > kills.length, `only ${reads} reads saw the batch on its way`);
  t.diagnostic(await looking);
  if (smpp) await until(() => smpp.smsc.undelivered === 0, SENT_MS_MAX);
  await settle(stage, SETTLED_SECONDS);
  await check(stage, key, id, to, kills.filter(leavesDark).length);
  if (smpp) {
    await checkReceipts(smpp);
    t.diagnostic(`the longest pause after a kill took ${checkPauses(smpp, killedAtMs)} ms`);
  }
  t.diagnostic(`${kills.length} kills, ${reads} reads, seed ${plan.seed}`);
}

const ADVANCES_MAX = 5;
const STARTS_MAX = 5;
/**
 * It broke off, or takes longer to come back than a start waits for it: one that ends again and
 * again is itself started with longer and longer pauses between.
 */
const DATABASE_GONE =
  /The database went away while Longwave was starting|cannot be used: (the database system is|connect )/;

/** Moves the clock; one that stands still, because a link is not up again yet, goes on from there. */
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

/** Every text that is known to have been taken has its receipt, whoever was killed when it came. */
export async function checkReceipts({ smsc, rows }: SmppKillStage): Promise<void> {
  assert.ok(smsc.journal.mostOutstanding() <= WINDOW, `${smsc.journal.mostOutstanding()} were out`);
  const [counts] = await rows(
    `select count(*) filter (where status = 'sent')::int as without,
            count(*) filter (where status = 'delivered')::int as delivered from messages`,
  );
  assert.equal(counts.without, 0, "texts that were sent and have no receipt");
  assert.ok(counts.delivered > 0);
}

/** After every kill the batch goes on soon; answers how long the longest pause was. */
function checkPauses({ smsc }: SmppKillStage, killedAtMs: readonly number[]): number {
  const submitted = smsc.journal.submits().map((one) => one.atMs);
  const pauses = killedAtMs.map((killed) => {
    const next = submitted.find((at) => at > killed);
    return next === undefined ? 0 : next - killed;
  });
  const longest = Math.round(Math.max(...pauses));
  assert.ok(longest <= PAUSE_MS_MAX, `nothing left for ${longest} ms after a kill`);
  return longest;
}

/** The processes of the installation; a killed one is started again. */
export async function startProcesses(stage: KillStage) {
  const running = new Map<Victim, Program>();
  const start = async (role: "api" | "worker") => {
    for (let tries = 1; ; tries += 1) {
      try {
        running.set(role, await stage.start({ LONGWAVE_ROLES: role }));
        return;
      } catch (error) {
        // Whoever watches over processes starts one again that the database left alone meanwhile.
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
  /** When so much of the journal is written, as a share of the whole. */
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

/** POST /batches until it is answered; the API is killed while the first request is on its way. */
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

/** Reads the batch all the time; whenever it is answered, the counts add up. */
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

const IN_THE_DARK =
  "select count(*)::int as texts from messages where status = 'queued' and awaiting_carrier";

/** Looks all the time at what is out and nothing is written of: what every kill may leave so, and what is out now. */
async function watchDark(
  stage: KillStage,
  killCount: () => number,
  signal: AbortSignal,
): Promise<string> {
  let [looks, most] = [0, 0];
  while (!signal.aborted) {
    const [seen] = await stage.rows(IN_THE_DARK).catch(() => []);
    if (seen) {
      const kills = killCount();
      const { texts } = seen;
      assert.ok(texts <= (kills + 1) * WINDOW, `${texts} were in the dark after ${kills} kills`);
      looks += 1;
      most = Math.max(most, texts - kills * WINDOW);
    }
    await sleep(LOOK_EVERY_MS);
  }
  return `${looks} looks; beside what kills may leave there were ${most} texts in the dark at most`;
}

async function get(stage: KillStage, key: string, path: string) {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${stage.url}/v1${path}`, { headers });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  return answer.json() as Promise<any>;
}

/** Waits until so many have left us. */
export async function untilJournal(stage: KillStage, submits: number): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    if ((await stage.submitCount()) >= submits) return;
    if (performance.now() - startedAt > SENT_MS_MAX) throw new Error("The batch stands still.");
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
  assert.deepEqual(twice, [], "recipients whom a carrier took two texts for");
  const isUnknown = (row: Recipient) => row.failure?.code === "outcome_unknown";
  const forgotten = recipients.filter((row) => row.status === "sent" && !taken.has(row.to));
  assert.deepEqual(forgotten, [], "recipients that are sent and were never submitted");
  const denied = recipients.filter(
    (row) => row.status !== "sent" && !isUnknown(row) && taken.has(row.to),
  );
  assert.deepEqual(denied, [], "recipients that were submitted and are told to be something else");
  const unknown = recipients.filter(isUnknown).length;
  assert.ok(unknown <= kills * WINDOW, `${unknown} unknown outcomes after ${kills} kills`);
  const [always, refused] = [recipients[1], recipients[2]] as [Recipient, Recipient];
  const codes = ["outcome_unknown", "carrier_unavailable", "carrier_rejected"];
  for (const row of [always, refused]) assert.ok(codes.includes(row.failure?.code ?? ""), row.to);
  const settled = recipients.filter((row) => row.status === "sent").length + unknown + 2;
  assert.ok(settled >= to.length && settled <= to.length + 2, "everybody has an outcome");

  // Asked one by one: Citus does not count several tables in one statement.
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

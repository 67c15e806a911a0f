import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../testing/free-port.ts";
import { type RawAnswer, rawConnection } from "../../testing/raw-http.ts";
import { FROM, type KillStage, killHard, openStage } from "./stage.ts";

const WINDOW = 1_000;
/** Number of keys whose requests are open at once. */
const KEYS_PER_WAVE = 10;
const RETRY_MS = 100;
const ALMOST_A_DAY_SECONDS = 24 * 3_600 - 60;

/** Request of one key, and the query of what it created. */
interface Use {
  readonly key: string;
  readonly path: string;
  readonly body: Readonly<Record<string, string>>;
  readonly otherBody: Readonly<Record<string, string>>;
  readonly made: { readonly text: string; readonly value: string };
}

/**
 * Sends many identical requests to two processes, their last bytes at once, and kills one process meanwhile.
 * Each key must act exactly once.
 */
export async function stormOfKeys(t: TestContext, keys: number, requests: number): Promise<void> {
  const stage = await openStage(t, { window: WINDOW, env: { LONGWAVE_TEST_CLOCK: "1" } });
  const secondPort = String(await freePort());
  const secondUrl = `http://127.0.0.1:${secondPort}`;
  await stage.start();
  let second = await stage.start({ PORT: secondPort });
  const apiKey = await stage.prepare();
  const uses = usesOf(keys);
  await addNumbers(stage, uses);

  for (let start = 0; start < uses.length; start += KEYS_PER_WAVE) {
    const isKilled = start === Math.floor(uses.length / 2 / KEYS_PER_WAVE) * KEYS_PER_WAVE;
    const wave = uses.slice(start, start + KEYS_PER_WAVE).map((use) => ({
      use,
      answers: storm([stage.url, secondUrl], apiKey, use, requests),
    }));
    if (isKilled) {
      await Promise.race(wave.map(({ answers }) => answers));
      await killHard(second);
    }
    for (const { use, answers } of wave) checkAnswers(use, await answers);
    if (isKilled) second = await stage.start({ PORT: secondPort });
  }
  for (const use of uses) await checkAfterwards(stage, [stage.url, secondUrl], apiKey, use);
  await checkEnd(stage, apiKey, uses);
}

function usesOf(keys: number): Use[] {
  return Array.from({ length: keys }, (_, n): Use => {
    const key = `storm-${n}`;
    // Few and dissimilar phones, because fraud rules count verifications and neighbouring phones.
    if (n % 5 === 1 && n < 15) {
      const phone = `+1${["415", "212", "305"][(n - 1) / 5]}555${String(2_100 + n * 37)}`;
      return {
        key,
        path: "/v1/verify",
        body: { phone },
        otherBody: { phone, app_name: "Other" },
        made: { text: "select 1 from verifications where phone = $1 and sends = 1", value: phone },
      };
    }
    if (n % 5 === 2 && n < 25) {
      const phone = `+1206555${String(1_000 + n)}`;
      return {
        key,
        path: "/v1/numbers",
        body: { phone_number: phone },
        otherBody: { phone_number: "+12065551999" },
        made: { text: "select 1 from numbers where phone_number = $1", value: phone },
      };
    }
    const body = { to: `+1415556${String(1_000 + n)}`, from: FROM, body: key };
    return {
      key,
      path: "/v1/messages",
      body,
      otherBody: { ...body, body: "something else" },
      made: { text: "select 1 from messages where body = $1", value: key },
    };
  });
}

async function addNumbers(stage: KillStage, uses: readonly Use[]): Promise<void> {
  const numbers = uses
    .filter((use) => use.path === "/v1/numbers")
    .map((use) => ({ phone_number: use.body["phone_number"], type: "local" }));
  if (numbers.length > 0) await stage.operator("POST", "/inventory", { numbers });
}

function requestText(url: string, apiKey: string, use: Use, body: object): string {
  const text = JSON.stringify(body);
  return [
    `POST ${use.path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${apiKey}`,
    `Idempotency-Key: ${use.key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
    "",
    text,
  ].join("\r\n");
}

/** Writes every request but its last byte, then all last bytes. */
async function storm(
  urls: readonly string[],
  apiKey: string,
  use: Use,
  requests: number,
): Promise<RawAnswer[]> {
  const open = await Promise.all(
    Array.from({ length: requests }, async (_, n) => {
      const url = urls[n % urls.length] as string;
      const text = requestText(url, apiKey, use, use.body);
      const connection = await rawConnection(url);
      connection.write(text.slice(0, -1));
      return { connection, lastByte: text.slice(-1) };
    }),
  );
  for (const { connection, lastByte } of open) connection.write(lastByte);
  const answers = await Promise.all(
    open.map(({ connection }) =>
      connection
        .next()
        .catch(() => null)
        .finally(() => connection.socket.destroy()),
    ),
  );
  return answers.filter((answer) => answer !== null);
}

/** Asserts at most one original response; all others are replays or 409. */
function checkAnswers(use: Use, answers: readonly RawAnswer[]): void {
  const good = answers.filter((answer) => answer.status < 300);
  const others = answers.filter((answer) => answer.status >= 300);
  for (const answer of others) {
    assert.equal(answer.body?.error.code, "idempotency_in_progress", JSON.stringify(answer));
  }
  assert.ok(good.filter((answer) => !("idempotent-replayed" in answer.headers)).length <= 1);
  const ids = new Set(good.map((answer) => answer.body.id ?? answer.body.phone_number));
  assert.ok(ids.size <= 1, `${use.key} made ${[...ids].join(", ")}`);
}

/** Asserts that the same request is a replay everywhere, and another body is refused everywhere. */
async function checkAfterwards(
  stage: KillStage,
  urls: readonly string[],
  apiKey: string,
  use: Use,
): Promise<void> {
  for (const url of urls) {
    const again = await settled(url, apiKey, use, use.body);
    assert.ok(again.status < 300, `${use.key}: ${JSON.stringify(again.body)}`);
    const other = await settled(url, apiKey, use, use.otherBody);
    assert.equal(other.status, 409);
    assert.equal(other.body.error.code, "idempotency_conflict");
  }
  const made = await stage.rows(use.made.text, [use.made.value]);
  assert.equal(made.length, 1, `${use.key} made ${made.length}`);
}

/** First response other than the 409 of a request in progress. */
async function settled(url: string, apiKey: string, use: Use, body: object): Promise<RawAnswer> {
  for (;;) {
    const connection = await rawConnection(url);
    connection.write(requestText(url, apiKey, use, body));
    const answer = await connection.next();
    connection.socket.destroy();
    if (answer.body?.error?.code !== "idempotency_in_progress") return answer;
    await sleep(RETRY_MS);
  }
}

/** Asserts that nothing was submitted twice, a key lives for a day, and a failed request leaves its key free. */
async function checkEnd(stage: KillStage, apiKey: string, uses: readonly Use[]): Promise<void> {
  const times = new Map<string, number>();
  for (const { to } of await stage.submits()) times.set(to, (times.get(to) ?? 0) + 1);
  assert.deepEqual(
    [...times].filter(([, count]) => count > 1),
    [],
    "messages submitted twice",
  );
  const refused: Use = {
    ...(uses[0] as Use),
    key: "storm-refused",
    body: { to: "+15005550004", from: FROM, body: "refused" },
  };
  const first = await settled(stage.url, apiKey, refused, refused.body);
  assert.equal(first.status, 502);
  const better = { ...refused.body, to: "+14155562999" };
  assert.equal((await settled(stage.url, apiKey, refused, better)).status, 201);

  const [use] = uses as [Use];
  const advance = (seconds: number) => stage.operator("POST", "/clock/advance", { seconds });
  const count = async () => (await stage.rows(use.made.text, [use.made.value])).length;
  await advance(ALMOST_A_DAY_SECONDS);
  const late = await settled(stage.url, apiKey, use, use.body);
  assert.equal(late.headers["idempotent-replayed"], "true");
  await advance(120);
  const tooLate = await settled(stage.url, apiKey, use, use.body);
  assert.ok(tooLate.status < 300 && !("idempotent-replayed" in tooLate.headers));
  assert.equal(await count(), 2);
}

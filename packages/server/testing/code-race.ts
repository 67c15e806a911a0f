import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { FREE_VERIFICATIONS_PER_MONTH, VERIFY_CHECKS_MAX } from "@longwave/contract";
import { type Kit, startKit, startKitOn } from "./kit.ts";
import { goLive } from "./live.ts";
import { type RawAnswer, type RawConnection, rawConnection } from "./raw-http.ts";
import { createTestCarrier } from "./test-carrier.ts";

const GUESSES = 1_000;
const CREDIT_USD = 100;
const ENV = {
  LONGWAVE_VERIFY_NUMBERS: "+12065550150",
  // The test races the check, not the fraud rules.
  LONGWAVE_VERIFY_RULES: '{"record_only":true}',
};

/** Index of the right code among the guesses of a round; every third round has none. */
const rightAtOf = (round: number) => (round % 3 === 2 ? null : (round * 389) % GUESSES);

/**
 * A thousand checks of one code over two processes, at most one with the right code. All bytes but the last
 * of each request are sent first; the last bytes leave together, so that only the database decides the order.
 * In every other round the code is sent again meanwhile. In any order, at most five codes are checked, at
 * most one is right, and at most one is charged.
 */
export async function raceCodes(t: TestContext, rounds: number): Promise<void> {
  const carrier = createTestCarrier();
  const kit = await startKit(t, ENV, { carriers: carrier });
  const second = await startKitOn(t, kit.connection, ENV, { carriers: createTestCarrier() });
  await goLive(kit, CREDIT_USD);
  await kit.rows(
    "update account_counters set verifications_used = $1, allowance_month = date_trunc('month', $2::timestamptz)::date",
    [FREE_VERIFICATIONS_PER_MONTH, new Date(kit.deps.clock.now())],
  );
  const sockets = await Promise.all(
    Array.from({ length: GUESSES }, (_, index) =>
      rawConnection([kit, second][index % 2]?.url ?? ""),
    ),
  );
  t.after(() => {
    for (const { socket } of sockets) socket.destroy();
  });
  let approvals = 0;
  for (let round = 0; round < rounds; round += 1) {
    approvals += await raceOnce(kit, sockets, round, () => carrier.submitted.at(-1)?.body ?? "");
  }
  const billed = await kit.rows("select 1 from ledger_entries where kind = 'verification'");
  assert.equal(billed.length, approvals, "what was approved was billed, once each");
}

/** Returns the number of approved checks. */
async function raceOnce(
  kit: Kit,
  sockets: readonly RawConnection[],
  round: number,
  lastText: () => string,
): Promise<number> {
  const phone = `+1415${String(5_552_000 + round)}`;
  const start = () => kit.request("POST", "/v1/verify", { key: kit.liveKey, body: { phone } });
  const { body, status } = await start();
  assert.equal(status, 201, JSON.stringify(body));
  const code = /\d{6}/.exec(lastText())?.[0] ?? "";
  const rightAt = rightAtOf(round);
  const requests = sockets.map((_, index) =>
    checkRequest(kit.liveKey, phone, index === rightAt ? code : wrongCode(code, index)),
  );
  for (const [index, one] of sockets.entries()) one.write(requests[index]?.slice(0, -1) ?? "");
  const answers = sockets.map((one) => one.next());
  const middle = Math.floor(sockets.length / 2);
  const last = (from: number, to: number) => {
    for (const [index, one] of sockets.slice(from, to).entries())
      one.write(requests[from + index]?.slice(-1) ?? "");
  };
  last(0, middle);
  const resent = round % 2 === 0 ? start() : null;
  last(middle, sockets.length);
  const approved = await assertRound(kit, body.id, await Promise.all(answers), rightAt !== null);
  await resent;
  return approved;
}

async function assertRound(
  kit: Kit,
  id: string,
  answers: readonly RawAnswer[],
  hasRight: boolean,
): Promise<number> {
  const approved = answers.filter((answer) => answer.body.verified === true);
  const charged = answers.filter((answer) => answer.body.charged === true);
  const { body: now } = await kit.request("GET", `/v1/verify/${id}`, { key: kit.liveKey });
  const checkEvents = await kit.rows(
    `select 1 from events where data->>'verification_id' = $1
        and type in ('verification.failed', 'verification.approved')`,
    [id],
  );
  assert.ok(now.attempts <= VERIFY_CHECKS_MAX, `${now.attempts} codes were checked`);
  assert.equal(checkEvents.length, now.attempts, "one event for every checked code");
  assert.ok(approved.length <= (hasRight ? 1 : 0), `${approved.length} were approved`);
  assert.equal(charged.length, approved.length);
  const answered = answers.filter((answer) => answer.status !== 503).length;
  // On a busy machine some checks get 503 and may be retried.
  const isOpen = now.attempts < VERIFY_CHECKS_MAX && answered === now.attempts;
  const ended = isOpen ? "pending" : "max_attempts";
  assert.equal(now.status, approved.length === 1 ? "approved" : ended);
  return approved.length;
}

function wrongCode(code: string, index: number): string {
  return String((Number(code) + 1 + index) % 1_000_000).padStart(code.length, "0");
}

function checkRequest(key: string, phone: string, code: string): string {
  const body = JSON.stringify({ phone, code });
  return [
    "POST /v1/verify/check HTTP/1.1",
    "host: localhost",
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
}

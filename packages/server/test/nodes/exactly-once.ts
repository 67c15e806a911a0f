import assert from "node:assert/strict";
import type { SmppKillStage } from "../kills/smpp-stage.ts";
import type { Acknowledged } from "./clients.ts";

type Rows = (text: string) => Promise<{ body: string; status: string; n: number }[]>;

/**
 * Asserts that every acknowledged message exists once, and that the carrier's journal has no duplicate. Looks at
 * messages of the clients alone (clients.ts): a database may have older ones.
 */
export async function assertNothingLostOrDoubled(
  rows: Rows,
  stage: Pick<SmppKillStage, "submits">,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const stored = await rows(
    "select body, min(status) as status, count(*)::int as n from messages where direction = 'outbound' and body like 'client % text %' group by body",
  );
  const bodies = new Set(stored.map((row) => row.body));
  const missing = acknowledged.filter(({ text }) => !bodies.has(text));
  assert.deepEqual(missing, [], "acknowledged messages that do not exist");
  const doubled = stored.filter((row) => row.n > 1);
  assert.deepEqual(doubled, [], "messages that exist twice");
  const times = new Map<string, number>();
  for (const { body } of await stage.submits()) times.set(body, (times.get(body) ?? 0) + 1);
  const twice = [...times].filter(([, count]) => count > 1);
  assert.deepEqual(twice, [], "messages submitted twice");
  const neverSubmitted = stored.filter(
    (row) => ["sent", "delivered"].includes(row.status) && !times.has(row.body),
  );
  assert.deepEqual(neverSubmitted, [], "sent messages that were never submitted");
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { messageMachine } from "@longwave/contract";
import { startKit } from "../../../testing/kit.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import { listStep } from "./list.ts";
import type { Filters } from "./list-filters.ts";

const OWN = "+15005550100";
const PHONE = "+14155552671";

test("a customer's messages of one number are read along their index, even with a plan made on an empty table", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const customerId = kit.deps.ids.make();
  const pair: Filters = {
    mode: "test",
    statuses: messageMachine.states,
    to: null,
    from: OWN,
    number: null,
    customerId,
    simulated: null,
    batchId: null,
    failureCode: null,
    carrier: null,
    metadata: [],
    fromId: firstUuidAt(0),
    toId: firstUuidAt(kit.deps.clock.now()),
  };
  const { statement, values } = await listStep(kit.deps, kit.account, pair, 50);
  const { text } = statement;
  const asked = (explain: string) =>
    kit.deps.db.query<Record<string, string>>(
      { ...statement, name: "explain_list", text: `${explain} ${text}` },
      values,
    );
  const lines = async (explain: string) =>
    (await asked(explain)).map((row) => row["QUERY PLAN"]).join("\n");
  const plan = await lines("explain (costs off)");
  const walks = plan.match(/Index Cond: .*hashtextextended.*/g) ?? [];
  assert.ok(walks.length > 0, plan);
  for (const walk of walks) {
    assert.match(walk, /shard = .*account_id = .*hashtextextended.*id >= .*id < /, plan);
  }
  // The customer has very many messages from another number, and one from this number: the oldest.
  await kit.rows(
    `insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
       segments, price_micros, billing, simulated, customer_id, created_at, sent_at)
     select $1, $2, (lpad(to_hex($3::bigint + n), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid,
            'outbound', 'delivered', 'test', case n when 1 then $4 else '+15005550101' end, $5, 'x', 'gsm7', 1, 0, 'none', true,
            $6, now(), now()
       from generate_series(1, 20000) as n`,
    [kit.account.shard, kit.account.id, kit.deps.clock.now() - 60_000, OWN, PHONE, customerId],
  );
  await kit.rows("analyze messages");
  const run = await lines("explain (analyze, buffers, costs off, timing off, summary off)");
  assert.match(run, /actual rows=1\.00/, run);
  const [pages = 0] = [...run.matchAll(/Buffers: shared hit=(\d+)/g)].map((found) =>
    Number(found[1]),
  );
  assert.ok(pages < 100, `${pages} pages were read\n${run}`);
});

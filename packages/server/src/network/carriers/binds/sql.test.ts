import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../../testing/kit.ts";
import { releaseBind, renewBind, takeBind } from "./sql.ts";

const CARRIER = "wire";
const OWNER = "018f0000-0000-7000-8000-000000000001";

test("a bind keeps the time since which it is up or not up, however often it reconnects", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const { db } = kit.deps;
  const since = async (): Promise<string> => {
    const [row] = await kit.rows("select since::text from carrier_binds where carrier = $1", [
      CARRIER,
    ]);
    return row.since;
  };
  const take = () => db.query<{ lease_epoch: number }>(takeBind, [CARRIER, 1, OWNER, "host:1"]);
  const report = async (state: string, epoch: number): Promise<string> => {
    await db.query(renewBind, [CARRIER, 1, OWNER, epoch, state, 0, null, null]);
    return since();
  };
  const [taken] = await take();
  const epoch = taken?.lease_epoch ?? 0;
  const upSince = await report("up", epoch);
  assert.equal(await report("up", epoch), upSince);
  const downSince = await report("down", epoch);
  assert.notEqual(downSince, upSince);
  for (const state of ["connecting", "down", "connecting"]) {
    assert.equal(await report(state, epoch), downSince, state);
  }
  await db.query(releaseBind, [CARRIER, 1, OWNER, epoch]);
  assert.equal(await since(), downSince, "released");
  const [again] = await take();
  assert.equal(await since(), downSince, "taken over");
  assert.notEqual(await report("up", again?.lease_epoch ?? 0), downSince);
});

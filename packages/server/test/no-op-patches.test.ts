import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../testing/kit.ts";

test("the audit entry of a PATCH has only the changed fields, and a repeated PATCH has none", async (t) => {
  const kit = await startKit(t);
  const made = await kit.request("POST", "/v1/customers", {
    body: { name: "Acme", metadata: { plan: "gold", seats: "3" } },
  });
  const path = `/v1/customers/${made.body.id}`;
  const body = { name: "Acme Dental", external_id: null, metadata: { seats: "3", plan: "gold" } };
  assert.equal((await kit.request("PATCH", path, { body })).status, 200);
  // no-op-patches.slow.test.ts repeats the PATCH of every route.
  assert.equal((await kit.request("PATCH", path, { body })).status, 200);
  const [entry, ...others] = await kit.rows(
    "select changes from audit_log where action = 'customer.updated'",
  );
  assert.equal(entry.changes.name.to, "Acme Dental");
  assert.deepEqual(others, []);
});

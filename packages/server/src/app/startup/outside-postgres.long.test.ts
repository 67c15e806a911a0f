import assert from "node:assert/strict";
import { test } from "node:test";
import { prepareTemplate, runTestsOn } from "../../../testing/cluster.ts";
import { findPostgres, startOutsidePostgres } from "../../../testing/external-postgres.ts";

const available = await findPostgres();
const skip = "missing" in available ? available.missing : false;

test("every API example works on an installed PostgreSQL", { skip }, async (t) => {
  if ("missing" in available) return;
  const outside = await startOutsidePostgres(available.bin, { max_connections: "60" });
  t.after(() => outside.stop());
  const cluster = await prepareTemplate({
    host: outside.socketFolder,
    port: outside.port,
    user: outside.user,
  });
  const { code, output } = await runTestsOn(
    cluster,
    "packages/server/test/examples-walk.slow.test.ts",
  );
  assert.equal(code, 0, output);
  assert.match(output, /^# pass [1-9]/m);
});

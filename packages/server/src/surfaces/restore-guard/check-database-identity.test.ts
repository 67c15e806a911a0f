import assert from "node:assert/strict";
import { test } from "node:test";
import type { LastSeen } from "../../core/db/driver/database-identity.ts";
import { type IdentityRow, whyGuarded } from "./check-database-identity.ts";

const SEEN: LastSeen = { home: "7/1", timeline: 2, lastHeartbeatAtMs: 1_000 };
const ROW: IdentityRow = { home: "7/1", timeline: 2, held_reason: null };
const FOUND = { row: ROW, seen: SEEN, stamp: null, madeAt: null };

test("the guard stays open for the same database, not older than last seen", () => {
  assert.equal(whyGuarded(FOUND), null);
  assert.equal(whyGuarded({ ...FOUND, row: { ...ROW, home: null, timeline: null } }), null, "new");
  assert.equal(whyGuarded({ ...FOUND, stamp: SEEN }), null);
  assert.equal(
    whyGuarded({ ...FOUND, stamp: { ...SEEN, home: "8/1", lastHeartbeatAtMs: 9_000 } }),
    null,
  );
});

test("the guard is set for a backup, a dump on another cluster, and a database that went back in time", () => {
  assert.match(
    String(whyGuarded({ ...FOUND, madeAt: "2026-01-01T00:00:00.000Z" })),
    /from a backup of/,
  );
  assert.match(String(whyGuarded({ ...FOUND, row: { ...ROW, home: "7/2" } })), /from a dump/);
  assert.match(
    String(whyGuarded({ ...FOUND, stamp: { ...SEEN, lastHeartbeatAtMs: 1_001 } })),
    /older than what this machine last saw/,
  );
});

test("a promoted standby is no restore if its last heartbeat was seen", () => {
  const row = { ...ROW, timeline: 1 };
  assert.equal(whyGuarded({ ...FOUND, row, stamp: { ...SEEN, timeline: 1 } }), null);
  assert.match(
    String(whyGuarded({ ...FOUND, row })),
    /while nothing of Longwave ran that could tell/,
  );
});

test("a replaced primary is never used again", () => {
  assert.throws(() => whyGuarded({ ...FOUND, stamp: { ...SEEN, timeline: 3 } }), {
    name: "StartFailure",
    message: /names a primary that has been replaced/,
  });
});

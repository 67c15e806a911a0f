import assert from "node:assert/strict";
import { test } from "node:test";
import { idTimeMs } from "./id-time.ts";

test("an id contains its time", () => {
  // An id from a server's answer of 2026-11-16T01:13.
  const at = idTimeMs("req_01m7gypdgne13tdcqqpmwh2jb1");
  assert.equal(new Date(at ?? 0).toISOString().slice(0, 10), "2026-11-16");
  assert.equal(idTimeMs("evt_short"), null);
  assert.equal(idTimeMs("evt_01m7gypdgne13tdcqqpmwh2jbu"), null);
});

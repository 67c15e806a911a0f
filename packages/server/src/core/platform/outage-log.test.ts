import assert from "node:assert/strict";
import { Writable } from "node:stream";
import test from "node:test";
import { createLog } from "./log.ts";
import { logOutage } from "./outage-log.ts";

test("an outage is one line at once, and one a minute with a count", () => {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = createLog({ level: "info", destination });
  const full = Object.assign(new Error("could not extend file"), { code: "53100" });
  const error = new Error("The database cannot be used right now.", { cause: full });
  for (let n = 0; n < 500; n += 1) logOutage(log, "the database cannot be used", error, n);
  assert.equal(lines.length, 1);
  logOutage(log, "something else", error, 500);
  assert.equal(lines.length, 2);
  logOutage(log, "the database cannot be used", error, 60_000);
  const said = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    said.map((line) => [line.msg, line.count]),
    [
      ["the database cannot be used", 1],
      ["something else", 1],
      ["the database cannot be used", 500],
    ],
  );
  assert.deepEqual([said[2].reason, said[2].sql_state], ["could not extend file", "53100"]);
  assert.ok(lines.every((line) => !line.includes("stack")));
});

import assert from "node:assert/strict";
import test from "node:test";
import { StartFailure } from "../../core/platform/assert.ts";
import { explainFailure } from "./failure.ts";

const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });

test("a start failure says how to fix it, or that it is a bug", () => {
  assert.equal(explainFailure(new StartFailure("The port is taken.")), "The port is taken.");
  assert.equal(
    explainFailure(withCode("read ECONNRESET", "ECONNRESET")),
    "The database went away while Longwave was starting (read ECONNRESET). Start it again.",
  );
  const ours = /^Longwave could not start, by a fault of its own:\nError: /;
  assert.match(explainFailure(withCode("no such file", "ENOENT")), ours);
  assert.match(explainFailure(new Error("A thing that cannot be.")), ours);
});

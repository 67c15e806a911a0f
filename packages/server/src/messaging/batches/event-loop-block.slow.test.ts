import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { before, describe, it } from "node:test";
import { BATCH_RECIPIENTS_MAX, LARGE_BODY_BYTES_MAX } from "@longwave/contract";
import { BATCH_FROM, phones } from "../../../testing/batches.ts";
import { assertHoldsNobodyUp } from "../../../testing/event-loop-blocking.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { suiteKit } from "../../../testing/suite.ts";

const EVERYBODY = phones(BATCH_RECIPIENTS_MAX);

interface Shape {
  readonly body: string;
  readonly recipients: readonly object[];
}

/** The slowest batches to validate. Reviews add their findings here. */
const SHAPES: Readonly<Record<string, Shape>> = {
  "long bodies of many segments": {
    body: `${"Hi {{name}} ✓ ".repeat(40)}{{name}}`,
    recipients: EVERYBODY.map((to, index) => ({ to, variables: { name: `n${index}` } })),
  },
  "the longest bodies": {
    body: `${"{{name}}".repeat(3)}${"’".repeat(200)}`,
    recipients: EVERYBODY.map((to) => ({ to, variables: { name: "“".repeat(200) } })),
  },
  "as many variables as a body has room for": {
    body: "{{a}}".repeat(320),
    recipients: EVERYBODY.map((to) => ({ to, variables: { a: "é✓" } })),
  },
  "malformed numbers only": {
    body: "Hi",
    recipients: EVERYBODY.map((_, index) => ({ to: `"${"\\".repeat(250)}${index % 10}` })),
  },
  "the same number in every row": {
    body: "Hi",
    recipients: EVERYBODY.map(() => ({ to: " (212) 200-0000 " })),
  },
};

describe("validation of a batch does not block the event loop", () => {
  const kit = suiteKit();
  before(() => giveNumber(kit()));
  for (const [name, shape] of Object.entries(SHAPES)) {
    it(`with ${name}`, async () => {
      const batch = { from: BATCH_FROM, dry_run: true, ...shape };
      const bytes = Buffer.from(JSON.stringify(batch));
      assert.ok(bytes.length <= LARGE_BODY_BYTES_MAX, `${bytes.length} bytes`);
      await assertHoldsNobodyUp(() => post(kit(), bytes));
    });
  }
});

/** Posts a batch and discards the answer: parsing it would block the measured event loop. */
async function post({ url, testKey }: Kit, bytes: Buffer): Promise<void> {
  const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };
  const call = request(`${url}/v1/batches`, { method: "POST", headers, agent: false });
  call.end(bytes);
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  answer.resume();
  await once(answer, "end");
}

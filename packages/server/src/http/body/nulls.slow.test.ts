import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  DAILY_LIVE_QUOTA_DEFAULT_MESSAGES,
  type RouteName,
  type RouteSpec,
  routes,
} from "@longwave/contract";
import { makeStage } from "../../../testing/example-fixtures.ts";
import { exampleRequest } from "../../../testing/example-request.ts";
import { suiteKit } from "../../../testing/suite.ts";

/** Value of a cleared field, where it is not null: the field's default. */
const CLEARED: Readonly<Partial<Record<RouteName, Readonly<Record<string, unknown>>>>> = {
  "account.update": { phrase_opt_out: "opt_out", smart_encoding: false, opt_in_required: false },
  "contacts.update": { tags: [], attributes: {}, metadata: {} },
  "customers.update": { metadata: {} },
  "hooks.update": { recipients: [] },
  "numbers.update": { tags: [] },
  // Null follows the installation's default, which the answer shows.
  "operator.accounts.update": { daily_message_quota: DAILY_LIVE_QUOTA_DEFAULT_MESSAGES },
  "spendLimit.update": { alert_thresholds: [50, 80, 100] },
  "webhooks.update": { events: ["*"], modes: ["test", "live"] },
};

interface Field {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Field[];
}

function takesNull(field: Field): boolean {
  return (
    field.type === "null" ||
    (Array.isArray(field.type) && field.type.includes("null")) ||
    (field.enum?.includes(null) ?? false) ||
    (field.anyOf?.some(takesNull) ?? false)
  );
}

const changes = (Object.entries(routes) as [RouteName, RouteSpec][]).filter(
  ([, spec]) => spec.method === "PATCH",
);

describe("null in a PATCH", () => {
  const kit = suiteKit();

  for (const [name, spec] of changes) {
    const fields = (spec.body as { properties: Record<string, Field> }).properties;
    for (const [field, schema] of Object.entries(fields)) {
      const clears = takesNull(schema);
      it(`${name}: null ${clears ? "clears" : "is refused for"} ${field}, and never leaves it unchanged`, async () => {
        const { path, body, key } = await exampleRequest(await makeStage(kit()), name, spec);
        const answer = await kit().request("PATCH", path, {
          key,
          body: { ...(body as object), [field]: null },
        });
        if (clears) {
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          assert.deepEqual(answer.body[field], CLEARED[name]?.[field] ?? null);
        } else {
          assert.equal(answer.status, 400, JSON.stringify(answer.body));
          assert.equal(answer.body.error.param, field);
        }
      });
    }
  }
});

import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { Problem, type RouteSpec, routes } from "@longwave/contract";
import { Ajv } from "ajv";
import { compileSchema, plainSchema } from "./validate.ts";

/** The server compiles schemas without validating them. */
test("the schemas of all calls are valid schemas", () => {
  const ajv = new Ajv({ strict: false });
  const specs = Object.entries(routes) as [string, RouteSpec][];
  const schemas = specs.flatMap(([name, { query, body, answers }]) =>
    [query, body, ...Object.values(answers)].map((schema) => ({ name, schema })),
  );
  let checked = 0;
  for (const { name, schema } of schemas) {
    if (!schema) continue;
    assert.ok(ajv.validateSchema(plainSchema(schema)), `${name}: ${ajv.errorsText(ajv.errors)}`);
    checked += 1;
  }
  assert.ok(checked > specs.length);
});

/** Refusal of a body: the field at fault, and the sentence. */
function refusalOf(name: keyof typeof routes, body: unknown): [string | null, string] | null {
  const validate = compileSchema((routes[name] as RouteSpec).body as object);
  try {
    validate(body);
    return null;
  } catch (error) {
    assert.ok(error instanceof Problem);
    return [error.details.param ?? null, error.message];
  }
}

describe("errors of fields", () => {
  const text = { to: "+14155552671", from: "+15005550100", body: "Hello" };
  const quiet_hours = { start: "21:00", end: "08:00", zone_source: "area_code" };
  const refused = (more: object) => refusalOf("messages.send", { ...text, ...more });

  it("name the field inside an object that may be null", () => {
    assert.equal(refused({ quiet_hours }), null);
    assert.equal(refused({ quiet_hours: null }), null);
    const param = (more: object) => refused({ quiet_hours: { ...quiet_hours, ...more } })?.[0];
    assert.equal(param({ x: 1 }), "quiet_hours.x");
    assert.equal(param({ end: 5 }), "quiet_hours.end");
    assert.equal(param({ start: "24:00" }), "quiet_hours.start");
    assert.equal(param({ zone_source: "zip" }), "quiet_hours.zone_source");
    const [missing] = refused({ quiet_hours: { end: "08:00" } }) ?? [];
    assert.equal(missing, "quiet_hours.start");
    const [whole, sentence] = refused({ quiet_hours: "night" }) ?? [];
    assert.deepEqual([whole, sentence], ["quiet_hours", "quiet_hours must be an object or null."]);
  });

  it("list the types of a choice, or name the fault of the matching one", () => {
    const moment = /^scheduled_at must be an ISO 8601 time .* or epoch milliseconds\.$/;
    assert.match(refused({ scheduled_at: true })?.[1] ?? "", moment);
    assert.equal(refused({ scheduled_at: "" })?.[1], "scheduled_at must not be empty.");
    const tracked = (value: unknown) =>
      refusalOf("automations.track", {
        phone_number: text.to,
        event: "e",
        properties: { a: value },
      });
    assert.equal(tracked(1), null);
    assert.deepEqual(tracked([]), [
      "properties.a",
      "properties.a must be a string or a number or true or false.",
    ]);
    assert.match(tracked("x".repeat(100_000))?.[1] ?? "", /^properties\.a must have at most/);
  });

  it("say what form a string must have", () => {
    const said = (name: keyof typeof routes, body: object) => refusalOf(name, body)?.[1];
    const site = { business_name: "Hillside", website: "https://a.example", use_case: "mixed" };
    assert.equal(
      said("registrations.create", { ...site, support_email: "nobody" }),
      "support_email must be an email address such as ada@example.com.",
    );
    assert.equal(
      said("customers.create", { name: "two\nlines" }),
      "name must be on one line, without control characters.",
    );
    assert.equal(
      refused({ quiet_hours: { ...quiet_hours, end: "9:00" } })?.[1],
      "quiet_hours.end must be a time of day such as 21:00.",
    );
  });

  it("name a key, and not the object around it", () => {
    const body = { phone_number: text.to };
    const upsert = (attributes: object) => refusalOf("contacts.upsert", { ...body, attributes });
    assert.deepEqual(upsert({ "": "1" }), ["attributes", "A key of attributes must not be empty."]);
    assert.deepEqual(upsert({ ["k".repeat(41)]: "1" }), [
      "attributes",
      "A key of attributes must have at most 40 characters.",
    ]);
  });

  it("names the limit of an object with too many fields", () => {
    const variables = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`v${n}`, "x"]));
    const body = { from: text.from, body: "Hi", recipients: [{ to: text.to, variables }] };
    assert.deepEqual(refusalOf("batches.create", body), [
      "recipients[0].variables",
      "recipients[0].variables must have at most 100 fields.",
    ]);
  });
});

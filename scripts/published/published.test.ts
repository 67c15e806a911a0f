import assert from "node:assert/strict";
import { test } from "node:test";
import { document } from "../generate/sdk-calls.ts";
import { breaksOf, type Document, factsOf, publishedFacts } from "./facts.ts";

test("no published operation is broken", () => {
  const breaks = breaksOf(publishedFacts(), factsOf(document as unknown as Document));
  assert.deepEqual(
    breaks,
    [],
    "Programs that use the interface as published would break. If that is meant, say so in CHANGELOG.md and run: npm run openapi:publish",
  );
});

const BEFORE = {
  paths: {
    "/v1/things": {
      post: {
        operationId: "thingsMake",
        parameters: [{ name: "kind", in: "query", schema: { type: "string", enum: ["a", "b"] } }],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/ThingBody" } } },
        },
        responses: {
          "201": {
            content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      ThingBody: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, note: { type: ["string", "null"] } },
      },
      Thing: { type: "object", properties: { id: { type: "string" }, size: { type: "integer" } } },
    },
  },
};

// biome-ignore lint/suspicious/noExplicitAny: a test changes the document freely
type Change = (document: any) => void;

function breaksAfter(change: Change): string[] {
  const after = structuredClone(BEFORE);
  change(after);
  return breaksOf(factsOf(BEFORE as unknown as Document), factsOf(after as unknown as Document));
}

test("a change that removes something, or requires more, is reported", () => {
  const post = "/v1/things";
  // biome-ignore format: one change per line, read as a table
  const cases: [RegExp, Change][] = [
    [/no longer offers POST \/v1\/things/, (d) => delete d.paths[post].post],
    [/no longer offers .* as thingsMake/,  (d) => { d.paths[post].post.operationId = "other"; }],
    [/no longer takes .* query kind "b"/,  (d) => d.paths[post].post.parameters[0].schema.enum.pop()],
    [/now needs .* query kind/,            (d) => { d.paths[post].post.parameters[0].required = true; }],
    [/no longer takes ThingBody.note/,     (d) => delete d.components.schemas.ThingBody.properties.note],
    [/no longer takes ThingBody.note/,     (d) => { d.components.schemas.ThingBody.properties.note.type = "string"; }],
    [/now needs ThingBody.note/,           (d) => d.components.schemas.ThingBody.required.push("note")],
    [/no longer has Thing.size integer/,   (d) => { d.components.schemas.Thing.properties.size.type = "string"; }],
    [/no longer answers .* 201/,           (d) => { d.paths[post].post.responses = {}; }],
  ];
  for (const [told, change] of cases) {
    const breaks = breaksAfter(change);
    assert.ok(
      breaks.some((line) => told.test(line)),
      `${told}: ${breaks.join("; ")}`,
    );
  }
});

test("additions break nothing", () => {
  const breaks = breaksAfter((document) => {
    document.components.schemas.Thing.properties.more = { type: "string" };
    document.components.schemas.ThingBody.properties.more = { type: "string" };
    document.components.schemas.ThingBody.properties.note.type = ["string", "integer", "null"];
    document.paths["/v1/things"].post.parameters[0].schema.enum.push("c");
    const { post } = document.paths["/v1/things"];
    document.paths["/v1/more"] = { post: { ...post, operationId: "moreMake" } };
    // A path that begins a published one.
    document.paths["/v1/thing"] = { post: { ...post, operationId: "thingMake" } };
  });
  assert.deepEqual(breaks, []);
});

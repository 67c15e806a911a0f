/** Every length limit on text counts code points, as OpenAPI's maxLength does. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { NAME_CHARS_MAX, type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { checkUrl, URL_CHARS_MAX } from "../src/core/platform/outgoing/url-rules.ts";
import { compileSchema } from "../src/http/body/validate.ts";
import { giveNumber } from "../testing/give-number.ts";
import { type Answer, OPERATOR_TOKEN } from "../testing/kit.ts";
import { suiteKit } from "../testing/suite.ts";

/** One code point, two UTF-16 units, four bytes. */
const FACE = "\u{1F600}";
const FACES_MAX = 3_000;

interface TextSchema {
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
}

/** Every schema with a maximum length below a value, with its path. */
function textsIn(value: unknown, path: string): [string, TextSchema][] {
  if (typeof value !== "object" || value === null) return [];
  const own = value as TextSchema;
  const inner = Object.entries(value).flatMap(([key, part]) => textsIn(part, `${path}.${key}`));
  return typeof own.maxLength === "number" ? [[path, own], ...inner] : inner;
}

const admits = (check: (value: unknown) => void, value: unknown): boolean => {
  try {
    check(value);
    return true;
  } catch {
    return false;
  }
};

describe("lengths of text", () => {
  const kit = suiteKit();
  before(() => giveNumber(kit()));

  it("are code points in every schema of a request", () => {
    let checked = 0;
    for (const [name, spec] of Object.entries(routes) as [RouteName, RouteSpec][]) {
      const texts = [
        ...textsIn(spec.body, `${name} body`),
        ...textsIn(spec.query, `${name} query`),
      ];
      for (const [path, { maxLength = 0, minLength = 0, pattern }] of texts) {
        const takesFaces = pattern === undefined || new RegExp(pattern, "u").test(FACE.repeat(2));
        if (!takesFaces || maxLength > FACES_MAX) continue;
        const schema = { type: "string", maxLength, minLength, ...(pattern ? { pattern } : {}) };
        const check = compileSchema(schema);
        assert.ok(admits(check, FACE.repeat(maxLength)), `${path} refuses ${maxLength} faces`);
        assert.ok(!admits(check, FACE.repeat(maxLength + 1)), `${path} takes one face more`);
        if (minLength > 1) assert.ok(!admits(check, FACE.repeat(minLength - 1)), path);
        checked += 1;
      }
    }
    assert.ok(checked > 50, `only ${checked} limits were found`);
  });

  it("are code points in an address", () => {
    const rules = { allowTargets: [], blockTargets: [], checkAddress: () => null };
    const start = "https://example.com/";
    const fits = start + FACE.repeat(URL_CHARS_MAX - start.length);
    assert.equal(checkUrl(rules, fits).ok, true);
    assert.match(JSON.stringify(checkUrl(rules, fits + FACE)), /longer than/);
  });

  const PHONE = "+14155550123";
  const row = (field: object) => ({ contacts: [{ phone_number: PHONE, ...field }] });
  const batch = (text: string, variables: object) => ({
    ...{ from: "+15005550100", body: text, dry_run: true },
    recipients: [{ to: "+15005550000", variables }],
  });
  const leaf = (field: string, value: string) => ({ filter: { field, op: "is", value } });
  const tagging = (tag: string) => ({
    ...{ name: "Tags", trigger: { event: "signed_up" } },
    steps: [{ type: "add_tags", tags: [tag] }],
  });

  /** Limits that code checks instead of a schema: the path, the limit, and a body with the text. */
  const CHECKED_BY_CODE: readonly (readonly [string, number, (text: string) => unknown])[] = [
    ["/v1/contacts/import", 120, (name) => row({ name })],
    ["/v1/contacts/import", 120, (company) => row({ company })],
    ["/v1/contacts/import", 40, (tag) => row({ tags: [tag] })],
    ["/v1/contacts/import", 500, (value) => row({ attributes: { a: value } })],
    ["/v1/contacts/import", 40, (key) => row({ attributes: { [key]: "a" } })],
    ["/v1/contacts/import", 500, (value) => row({ metadata: { a: value } })],
    ["/v1/contacts/import", 40, (key) => row({ metadata: { [key]: "a" } })],
    ["/v1/segments/preview", 500, (value) => leaf("name", value)],
    ["/v1/segments/preview", 500, (key) => leaf(`attributes.${key}`, "x")],
    ["/v1/batches", 100, (name) => batch(`Hi {{${name}}}`, { [name]: "x" })],
    ["/v1/batches", 1_600, (text) => batch("{{text}}", { text })],
    ["/v1/automations", 40, (tag) => tagging(tag)],
  ];

  const isRefused = ({ status, body }: Answer) =>
    status === 400 || body.skipped?.length === 1 || body.valid === 0;

  for (const [path, limit, body] of CHECKED_BY_CODE) {
    it(`are code points in POST ${path} ${JSON.stringify(body("…"))}`, async () => {
      const fits = await kit().request("POST", path, { body: body(FACE.repeat(limit)) });
      assert.ok(fits.status < 300 && !isRefused(fits), JSON.stringify(fits.body));
      const longer = await kit().request("POST", path, { body: body(FACE.repeat(limit + 1)) });
      assert.ok(isRefused(longer), JSON.stringify(longer.body));
    });
  }

  it("are code points in the numbering file", async () => {
    const load = (carrier: string) =>
      kit().request("POST", "/operator/v1/numbering", {
        ...{ key: OPERATOR_TOKEN, type: "text/csv" },
        body: `npa_nxx,line_type,carrier,locality,region\n415555,mobile,${carrier},,\n`,
      });
    assert.equal((await load(FACE.repeat(NAME_CHARS_MAX))).status, 200);
    assert.equal((await load(FACE.repeat(NAME_CHARS_MAX + 1))).status, 400);
  });
});

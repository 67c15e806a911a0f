/** The collections, as Postman's own library and Bruno's own schema read them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { outputOf, ROOT } from "../packages/packed.ts";

const FOLDER = join(ROOT, "lint/collections");
const theirs = createRequire(join(FOLDER, "package.json"));

interface PostmanRequest {
  readonly method: string;
  readonly url: { getPath(isUnresolved: boolean): string };
  readonly body?: { readonly raw?: string };
  readonly auth?: { readonly type: string };
}
interface PostmanItem {
  readonly name: string;
  readonly request: PostmanRequest;
}

interface Operation {
  readonly summary: string;
  readonly requestBody?: {
    readonly content: Record<string, { readonly examples?: Record<string, { value: unknown }> }>;
  };
}

describe("the collections", () => {
  const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
  const openapi = read("packages/contract/openapi.json");
  const calls = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      name: operation.summary,
      asked: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
      body: operation.requestBody?.content["application/json"]?.examples?.["example"]?.value,
    })),
  );
  before(() => {
    const install =
      'import("./scripts/install.mjs").then(({ ensureInstalled }) => ensureInstalled("lint/collections", "what reads collections"))';
    outputOf(process.execPath, ["-e", install], ROOT);
  });

  test("Postman's library finds every call in its collection, with its body", () => {
    const { Collection } = theirs("postman-collection");
    const collection = new Collection(read("dist/docs/longwave.postman_collection.json"));
    const items: PostmanItem[] = [];
    collection.forEachItem((item: PostmanItem) => items.push(item));
    const shown = items.map(({ request }) => `${request.method} ${request.url.getPath(true)}`);
    assert.deepEqual(new Set(shown), new Set(calls.map(({ asked }) => asked)));
    assert.equal(shown.length, calls.length);
    for (const { name, request } of items) {
      const call = calls.find((one) => one.name === name);
      if (call?.body === undefined) continue;
      assert.deepEqual(JSON.parse(request.body?.raw ?? "null"), call.body, name);
    }
    assert.deepEqual(
      collection.variables.map(({ key }: { key: string }) => key),
      ["baseUrl", "apiKey", "operatorToken"],
    );
  });

  test("Bruno's schema takes its collection, as its importer makes it", async () => {
    const { collectionSchema } = theirs("@usebruno/schema");
    const collection = imported(read("dist/docs/longwave.bruno.json"));
    await collectionSchema.validate(collection, { abortEarly: false }).catch((error: Error) => {
      assert.fail((error as unknown as { errors: string[] }).errors.slice(0, 20).join("\n"));
    });
    // The schema refuses unknown fields, which proves that it was applied.
    await assert.rejects(collectionSchema.validate({ ...collection, unknown: 1 }));
  });
});

let numbers = 0;
function uid(): string {
  numbers += 1;
  return `n${String(numbers).padStart(20, "0")}`;
}

/** Bruno's import of a collection: a 21-character id on every item, and Bruno's own types. */
// biome-ignore lint/suspicious/noExplicitAny: a collection is whatever was made
function imported(collection: any): any {
  // biome-ignore lint/suspicious/noExplicitAny: the same
  const list = (items: any[] | undefined, inside: (one: any) => object = () => ({})) =>
    (items ?? []).map((one) => ({ uid: uid(), ...one, ...inside(one) }));
  return {
    uid: uid(),
    ...collection,
    items: list(collection.items, (folder) => ({
      items: list(folder.items, ({ type, request }) => ({
        type: `${type}-request`,
        request: {
          ...request,
          headers: list(request.headers),
          params: list(request.params),
          assertions: list(request.assertions),
        },
      })),
    })),
    environments: list(collection.environments, ({ variables }) => ({
      variables: list(variables),
    })),
  };
}

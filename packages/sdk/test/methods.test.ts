import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS, openApiDocument, operationIdOf, ROUTE_NAMES } from "@longwave/contract";
import { ERROR_CLASSES, Longwave } from "../src/index.ts";

/** The names of every method below a value: `operator.accounts.create`. */
function methodsOf(value: object, path: readonly string[] = []): string[] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(value))
    .filter((name) => name !== "constructor")
    .map((name) => [...path, name].join("."));
  const below = Object.entries(value).flatMap(([name, child]) =>
    typeof child === "object" && child !== null ? methodsOf(child, [...path, name]) : [],
  );
  return [...own, ...below];
}

test("every operation of the document has a method, and no method lacks one", () => {
  const client = new Longwave({ apiKey: "svc_sk_test_1" });
  const methods = methodsOf(client);
  assert.deepEqual(new Set(methods), new Set<string>(ROUTE_NAMES));
  assert.equal(methods.length, ROUTE_NAMES.length);
  const { paths } = openApiDocument() as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operationIds = Object.values(paths).flatMap((path) =>
    Object.values(path).map((operation) => operation.operationId),
  );
  assert.deepEqual(new Set(methods.map(operationIdOf)), new Set(operationIds));
});

test("every status that the service answers has an error class", () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    assert.ok(ERROR_CLASSES[status], `${code} answers ${status}`);
  }
});

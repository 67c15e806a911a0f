import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS, openApiDocument, operationIdOf, publishedRoutes } from "@longwave/contract";
import { ERROR_CLASSES, List, Longwave } from "../src/index.ts";

/** Names of all methods below a value: `operator.accounts.create`. */
function methodsOf(value: object, path: readonly string[] = []): string[] {
  return Object.entries(value).flatMap(([name, child]) =>
    typeof child === "function" ? [[...path, name].join(".")] : methodsOf(child, [...path, name]),
  );
}

/** Methods that the SDK builds on the API's calls. */
const MADE_OF_CALLS = ["events.listen", "request"];

test("every operation of the document has a method, and vice versa", () => {
  const client = new Longwave({ apiKey: "svc_sk_test_1" });
  const methods = methodsOf(client).filter((name) => !MADE_OF_CALLS.includes(name));
  assert.deepEqual(new Set(methods), new Set(Object.keys(publishedRoutes)));
  assert.equal(methods.length, Object.keys(publishedRoutes).length);
  const { paths } = openApiDocument() as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operationIds = Object.values(paths).flatMap((path) =>
    Object.values(path).map((operation) => operation.operationId),
  );
  assert.deepEqual(new Set(methods.map(operationIdOf)), new Set(operationIds));
});

test("every list is iterable with for await", () => {
  const client = new Longwave({ apiKey: "svc_sk_test_1", operatorToken: "operator" });
  const lists = Object.entries(publishedRoutes).filter(([, { answers }]) => {
    const { properties = {} } = (answers[200] ?? {}) as { properties?: object };
    return "next_cursor" in properties;
  });
  assert.ok(lists.length > 10);
  for (const [name, { path }] of lists) {
    const ids = [...path.matchAll(/\{/g)].map(() => "an_id");
    const steps = name.split(".");
    const method = steps.pop() ?? "";
    // biome-ignore lint/suspicious/noExplicitAny: walked by name
    const owner = steps.reduce((at: any, step) => at[step], client);
    assert.ok(owner[method](...ids) instanceof List, name);
  }
});

test("every error status of the service has an error class", () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    assert.ok(ERROR_CLASSES[status], `${code} answers ${status}`);
  }
});

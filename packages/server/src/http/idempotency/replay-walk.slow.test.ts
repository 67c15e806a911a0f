import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { makeStage } from "../../../testing/example-fixtures.ts";
import { exampleRequest } from "../../../testing/example-request.ts";
import { suiteKit } from "../../../testing/suite.ts";

/** Parts of an answer that a replay must equal byte for byte. */
interface Exact {
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
}

describe("every POST of the API", () => {
  const kit = suiteKit();
  const posts = (Object.entries(routes) as [RouteName, RouteSpec][]).filter(
    ([, spec]) => spec.method === "POST",
  );
  for (const [name, spec] of posts) {
    it(`${name} replays its answer byte for byte`, async () => {
      const stage = await makeStage(kit());
      const { path, body, type, key } = await exampleRequest(stage, name, spec);
      const send = async (): Promise<Exact> => {
        const response = await fetch(kit().url + path, {
          method: "POST",
          headers: {
            authorization: `Bearer ${key}`,
            "idempotency-key": `walk-${name}`,
            ...(body === undefined ? {} : { "content-type": type }),
          },
          ...(body === undefined
            ? {}
            : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        });
        const text = await response.text();
        const isReplay = response.headers.get("idempotent-replayed") === "true";
        return { status: response.status, text, isReplay };
      };
      const first = await send();
      assert.deepEqual(
        { status: first.status, isReplay: first.isReplay },
        {
          status: spec.example.status,
          isReplay: false,
        },
      );
      assert.deepEqual(await send(), { ...first, isReplay: true });
    });
  }
});

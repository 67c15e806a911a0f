import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type RouteSpec, routes, SCOPE_NAMES, type Scope } from "@longwave/contract";
import { createAccount } from "../src/account/accounts/index.ts";
import { createKey } from "../src/account/keys/index.ts";
import { type Answer, type Kit, startKit } from "./kit.ts";
import { assertProblem } from "./problems.ts";

const MODES = ["test", "live"] as const;
type Mode = (typeof MODES)[number];
interface Holder {
  readonly mode: Mode;
  /** null is full access. */
  readonly scope: Scope | null;
  readonly key: string;
}

export const apiRoutes = (Object.entries(routes) as [name: string, spec: RouteSpec][]).filter(
  ([, spec]) => spec.scope !== "operator",
);

/** A request that passes the route's scope and always fails its field checks, so that it has no effect. */
async function probe(kit: Kit, spec: RouteSpec, key: string): Promise<Answer> {
  const path = spec.path.replaceAll(/\{\w+\}/g, "x");
  return kit.request(spec.method, `${path}?no_such_parameter=1`, { key });
}

/** All holders with full access, and a rotating few of the others. */
function rotatingSample(all: readonly Holder[], step: number, few: number): Holder[] {
  const full = all.filter(({ scope }) => scope === null);
  const scoped = all.filter(({ scope }) => scope !== null);
  const next = Array.from(
    { length: few },
    (_, offset) => scoped[(step * few + offset) % scoped.length],
  );
  return [...full, ...(next as Holder[])];
}

/** Scopes with which each route is called. */
interface Extent {
  /** False: the route's own scope, and a rotating one of the others. */
  readonly isWhole: boolean;
}

/** A1: every route × scopes and full access × both modes, from the route table. */
export function testScopes({ isWhole }: Extent): void {
  const few = isWhole ? 4 : 1;
  const chosenFor = (all: readonly Holder[], spec: RouteSpec, step: number) => {
    if (isWhole) return all;
    const sample = new Set(rotatingSample(all, step, few));
    return all.filter((holder) => holder.scope === spec.scope || sample.has(holder));
  };

  describe("scopes", () => {
    let kit: Kit;
    const takeDowns: (() => Promise<void>)[] = [];
    const holders: Holder[] = [];
    const early: Holder[] = [];
    const suspended: Holder[] = [];

    /** One key of every scope and one of full access, of a new account. */
    async function mintAll(into: Holder[], modes: readonly Mode[]): Promise<string> {
      const { deps } = kit;
      return deps.db.tx(async (tx) => {
        const account = await createAccount(deps, tx, "Scopes");
        for (const mode of modes) {
          for (const scope of [null, ...SCOPE_NAMES]) {
            const scopes = scope === null ? null : [scope];
            const made = await createKey(deps, tx, account, { mode, name: null, scopes });
            into.push({ mode, scope, key: made.key ?? "" });
          }
        }
        return account.id;
      });
    }

    before(async () => {
      kit = await startKit({ after: (takeDown) => void takeDowns.push(takeDown) });
      const granted = await mintAll(holders, MODES);
      await mintAll(early, ["live"]);
      const closed = await mintAll(suspended, MODES);
      await kit.rows("update accounts set live_access = 'granted' where id = $1", [granted]);
      await kit.rows("update accounts set status = 'suspended' where id = $1", [closed]);
    });
    after(async () => {
      for (const takeDown of takeDowns) await takeDown();
    });

    for (const [step, [name, spec]] of apiRoutes.entries()) {
      it(`${name} accepts ${spec.scope}${spec.liveOnly ? ", live" : ""} only`, async () => {
        const chosen = chosenFor(holders, spec, step);
        const answers = await Promise.all(chosen.map(({ key }) => probe(kit, spec, key)));
        for (const [index, { mode, scope }] of chosen.entries()) {
          const answer = answers[index] as Answer;
          const isOpen = scope === null || spec.scope === "any_key" || scope === spec.scope;
          if (!isOpen) {
            assertProblem(answer, 403, "insufficient_scope", null);
            const required = spec.scope === "full_access" ? null : spec.scope;
            assert.equal(answer.body.error.required_scope, required);
          } else if (spec.liveOnly && mode === "test") {
            assertProblem(answer, 403, "live_access_required", null);
            assert.equal("required_scope" in answer.body.error, false);
          } else {
            assertProblem(answer, 400, "invalid_request");
          }
        }
      });

      // Refused before their scope matters: a few of each are enough.
      it(`${name} refuses suspended accounts, and live keys before live access`, async () => {
        const probeAll = (all: readonly Holder[]) =>
          Promise.all(rotatingSample(all, step, few).map(({ key }) => probe(kit, spec, key)));
        for (const answer of await probeAll(early)) {
          assertProblem(answer, 403, "live_access_required", null);
        }
        for (const answer of await probeAll(suspended)) {
          assertProblem(answer, 403, "tenant_suspended", null);
        }
      });
    }

    it("no API key opens the operator's routes, and the operator's token opens none of the API's", async () => {
      const operatorRoutes = Object.values(routes as Record<string, RouteSpec>).filter(
        (spec) => spec.scope === "operator",
      );
      assert.ok(operatorRoutes.length > 0);
      for (const spec of operatorRoutes) {
        for (const { key } of holders.filter((one) => one.scope === null)) {
          assertProblem(await probe(kit, spec, key), 401, "invalid_api_key", null);
        }
      }
    });

    it("a key with several scopes opens the routes of each", async () => {
      const { deps } = kit;
      const key = await deps.db.tx(async (tx) => {
        const account = await createAccount(deps, tx, "Several");
        const scopes: Scope[] = ["lookup", "consent"];
        return (await createKey(deps, tx, account, { mode: "test", name: null, scopes })).key ?? "";
      });
      const patch = routes["account.update"] as RouteSpec;
      assertProblem(await probe(kit, patch, key), 400, "invalid_request");
    });
  });
}

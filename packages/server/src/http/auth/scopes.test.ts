import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type RouteSpec, routes, SCOPE_NAMES, type Scope } from "@longwave/contract";
import { type Answer, type Kit, startKit } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { createAccount } from "../../account/accounts/index.ts";
import { createKey } from "../../account/keys/index.ts";

const MODES = ["test", "live"] as const;
type Mode = (typeof MODES)[number];
interface Holder {
  readonly mode: Mode;
  /** null is full access. */
  readonly scope: Scope | null;
  readonly key: string;
}

const apiRoutes = (Object.entries(routes) as [name: string, spec: RouteSpec][]).filter(
  ([, spec]) => spec.scope !== "operator",
);

/** A request that passes the route's scope and always fails its field checks, so that it has no effect. */
async function probe(kit: Kit, spec: RouteSpec, key: string): Promise<Answer> {
  const path = spec.path.replaceAll(/\{\w+\}/g, "x");
  return kit.request(spec.method, `${path}?no_such_parameter=1`, { key });
}

/** All holders with full access, and a rotating few of the others, which are refused before their scope matters. */
function rotatingSample(all: readonly Holder[], step: number): Holder[] {
  const full = all.filter(({ scope }) => scope === null);
  const scoped = all.filter(({ scope }) => scope !== null);
  const next = [0, 1, 2, 3].map((offset) => scoped[(step * 4 + offset) % scoped.length] as Holder);
  return [...full, ...next];
}

/** A1: every route × every scope and full access × both modes, from the route table. */
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
      const answers = await Promise.all(holders.map(({ key }) => probe(kit, spec, key)));
      for (const [index, { mode, scope }] of holders.entries()) {
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

    it(`${name} refuses suspended accounts, and live keys before live access`, async () => {
      const probeAll = (all: readonly Holder[]) =>
        Promise.all(rotatingSample(all, step).map(({ key }) => probe(kit, spec, key)));
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

describe("the scope table", () => {
  // Scopes of the interface, and the families without a scope.
  const FAMILIES: readonly [path: RegExp, read: RouteSpec["scope"], write: RouteSpec["scope"]][] = [
    [/^\/v1\/account\/twilio_auth_token\/roll$/, "full_access", "full_access"],
    [/^\/v1\/webhooks\/\{id\}\/rotate_secret$/, "webhooks", "full_access"],
    [/^\/v1\/(messages|batches|scheduled_messages|schedules)\b/, "messages:read", "messages:send"],
    [/^\/v1\/(conversations|snippets)\b/, "messages:read", "messages:send"],
    [/^\/v1\/(hooks|hook-presets)\b/, "messages:read", "full_access"],
    [/^\/v1\/(deliverability|usage)\b/, "messages:read", "messages:send"],
    [/^\/console\/v1\/imports\b/, "full_access", "full_access"],
    [/^\/v1\/test\/inbound$/, "messages:send", "messages:send"],
    [/^\/v1\/(numbers|pools|port_requests)\b/, "numbers:read", "numbers:write"],
    [/^\/v1\/verify\b/, "verify", "verify"],
    [/^\/v1\/consent\b/, "consent", "consent"],
    [/^\/v1\/lookup\b/, "lookup", "lookup"],
    [/^\/v1\/events\b/, "webhooks", "webhooks"],
    [/^\/v1\/webhooks(\/deliveries|\/undelivered)?$/, "webhooks", "webhooks:write"],
    [/^\/v1\/webhooks\/\{/, "webhooks:write", "webhooks:write"],
    [/^\/v1\/exports\/webhook_deliveries$/, "webhooks", "webhooks"],
    [/^\/v1\/customers\b/, "customers", "customers"],
    [/^\/v1\/(contacts|segments|topics)\b/, "contacts", "contacts"],
    [/^\/v1\/exports\/contacts$/, "contacts", "contacts"],
    [/^\/v1\/exports\/messages$/, "messages:read", "messages:read"],
    [/^\/v1\/exports\/events$/, "webhooks", "webhooks"],
    [/^\/v1\/exports\/consent$/, "consent", "consent"],
    [
      /^\/v1\/(verified_numbers|live-access|erasures|personal_data)\b/,
      "full_access",
      "full_access",
    ],
    [/^\/v1\/registrations\b/, "registrations", "registrations"],
    [/^\/v1\/spend-limit$/, "billing", "billing"],
    [/^\/v1\/(track|automations)\b/, "automations", "automations"],
    [/^\/v1\/audit-logs$/, "audit_logs:read", "audit_logs:read"],
    [/^\/v1\/exports\/audit_log$/, "audit_logs:read", "audit_logs:read"],
  ];

  for (const [name, spec] of apiRoutes) {
    if (spec.path === "/v1/account") continue;
    it(`${name} has the scope of its family`, () => {
      const family = FAMILIES.find(([path]) => path.test(spec.path));
      assert.ok(family, `${spec.path} is of no known family: say here which scopes open it`);
      assert.equal(spec.scope, spec.method === "GET" ? family[1] : family[2]);
    });
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ERRORS,
  type GuardedRouteName,
  type Mode,
  modeRefusal,
  ROUTE_MODES,
  type RouteSpec,
  routes,
} from "@longwave/contract";
import { accountRows } from "../testing/account-rows.ts";
import { LOCAL_TARGETS, startHookReceiver } from "../testing/hook-receiver.ts";
import { startKit } from "../testing/kit.ts";
import { goLive } from "../testing/live.ts";
import { type ModedSend, modedClients } from "../testing/moded-clients.ts";
import { GUARDED_ROUTES, MODED_REQUESTS, modedStages } from "../testing/moded-requests.ts";
import { createTestCarrier } from "../testing/test-carrier.ts";

const MODES: readonly Mode[] = ["test", "live"];
const OTHER: Readonly<Record<Mode, Mode>> = { test: "live", live: "test" };

test("every changing route refuses an object of the other mode, and changes nothing", async (t) => {
  const carrier = createTestCarrier();
  const receiver = await startHookReceiver(t);
  const kit = await startKit(t, LOCAL_TARGETS, { carriers: carrier });
  await goLive(kit, 1_000);
  const stageOf = await modedStages(kit, receiver.url("/walk"));
  const sends = await modedClients(kit);
  kit.stopClock();
  for (const [client, send] of Object.entries(sends)) {
    for (const name of GUARDED_ROUTES) {
      for (const mode of MODES) {
        await t.test(`${name} with a ${mode} ${client}`, () => checkRoute(name, mode, send));
      }
    }
  }

  async function checkRoute(name: GuardedRouteName, mode: Mode, send: ModedSend): Promise<void> {
    const { method }: RouteSpec = routes[name];
    const { path, body, isAllowed = true } = await MODED_REQUESTS[name](stageOf(OTHER[mode]));
    await kit.advance(5);
    const before = { rows: await accountRows(kit), left: carrier.submitted.length };
    assert.notEqual(before.rows.length, 0);
    const refused = await send(mode, method, path, body);
    const code = modeRefusal(name, mode);
    assert.deepEqual([refused.status, refused.body.error?.code], [ERRORS[code].status, code]);
    assert.deepEqual(
      { rows: await accountRows(kit), left: carrier.submitted.length },
      before,
      "the refused call changed rows or sent a message",
    );
    const allowed = await send(OTHER[mode], method, path, body);
    const isOk = allowed.status < 300;
    assert.equal(isOk, isAllowed, JSON.stringify(allowed.body));
  }
});

test("every guarded route documents the code with which it refuses", () => {
  for (const name of GUARDED_ROUTES) {
    const { errors, liveOnly }: RouteSpec = routes[name];
    for (const mode of MODES) {
      const code = modeRefusal(name, mode);
      if (liveOnly && code === "live_access_required") continue;
      assert.ok(errors.includes(code), `${name} does not list ${code}`);
    }
  }
});

test("no route that names an object of one mode is declared shared", () => {
  for (const [name, rule] of Object.entries(ROUTE_MODES)) {
    const { path }: RouteSpec = routes[name as GuardedRouteName];
    const family = path.split("/")[2] ?? "";
    const moded = [
      "messages",
      "scheduled_messages",
      "batches",
      "verify",
      "schedules",
      "automations",
    ];
    assert.ok(rule !== "shared" || !moded.includes(family), `${name} is shared`);
  }
});

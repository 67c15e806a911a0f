import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mode, OwnModeReadName } from "@longwave/contract";
import { LOCAL_TARGETS, startHookReceiver } from "../testing/hook-receiver.ts";
import { startKit } from "../testing/kit.ts";
import { goLive } from "../testing/live.ts";
import { type ModedSend, modedClients } from "../testing/moded-clients.ts";
import {
  MODED_READS,
  type ModedRead,
  type SharedObjects,
  sharedObjects,
  traffic,
} from "../testing/moded-reads.ts";
import { modedStages } from "../testing/moded-requests.ts";
import { createTestCarrier } from "../testing/test-carrier.ts";

const READS = Object.entries(MODED_READS) as [OwnModeReadName, ModedRead][];

/** Answers of every list to one client of a mode, as JSON. */
async function readLists(
  send: ModedSend,
  mode: Mode,
  shared: SharedObjects,
  other: Mode,
  cursor: string,
): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const [name, read] of READS) {
    if (read.kind === "object") continue;
    const path = read.kind === "list" ? read.path(shared, other) : read.path();
    const from = name === "events.wait" ? `&cursor=${cursor}` : "";
    const { status, body } = await send(mode, "GET", `${path}${from}`);
    const { cursor: _cursor, issued_at: _issued, exported_at: _exported, error, ...shown } = body;
    // Personal data include the log of these very reads.
    shown.places = shown.places?.filter(({ place }: { place: string }) => place !== "request_log");
    answers.set(
      name,
      JSON.stringify(typeof body === "string" ? body : [status, error?.code, shown]),
    );
  }
  return answers;
}

for (const mode of ["test", "live"] as const) {
  test(`a ${mode} key or console sees nothing of the other mode`, async (t) => {
    const carrier = createTestCarrier();
    const receiver = await startHookReceiver(t);
    const kit = await startKit(t, LOCAL_TARGETS, { carriers: carrier });
    await goLive(kit, 1_000);
    const stageOf = await modedStages(kit, receiver.url("/reads"), ["*"]);
    const shared = await sharedObjects(stageOf);
    const clients = await modedClients(kit);
    kit.stopClock();
    const other: Mode = mode === "test" ? "live" : "test";
    const before = new Map<string, ReadonlyMap<string, string>>();
    const cursors = new Map<string, string>();
    for (const [client, send] of Object.entries(clients)) {
      for (const one of [mode, other]) {
        const { body } = await send(one, "GET", "/events/wait?timeout=0");
        cursors.set(`${client} ${one}`, body.cursor);
        const lists = await readLists(send, one, shared, other, body.cursor);
        before.set(`${client} ${one}`, lists);
      }
    }
    const objects = await traffic(stageOf(other), carrier, shared);
    for (const [client, send] of Object.entries(clients)) {
      const after = async (one: Mode) =>
        readLists(send, one, shared, other, cursors.get(`${client} ${one}`) ?? "");
      const own = await after(mode);
      const others = await after(other);
      for (const [name, read] of READS) {
        await t.test(`${name} with a ${mode} ${client}`, async () => {
          if (read.kind === "object") {
            const path = read.path(objects);
            assert.equal((await send(mode, "GET", path)).status, 404, path);
            assert.equal((await send(other, "GET", path)).status, 200, path);
            return;
          }
          assert.equal(own.get(name), before.get(`${client} ${mode}`)?.get(name));
          const isSame = others.get(name) === before.get(`${client} ${other}`)?.get(name);
          assert.equal(
            isSame,
            read.kind === "constant",
            "the other mode's own key sees the traffic",
          );
        });
      }
    }
  });
}

test("filters narrow to the key's mode and never widen to the other", async (t) => {
  const carrier = createTestCarrier();
  const receiver = await startHookReceiver(t);
  const kit = await startKit(t, LOCAL_TARGETS, { carriers: carrier });
  await goLive(kit, 1_000);
  const stageOf = await modedStages(kit, receiver.url("/filters"), ["*"]);
  const shared = await sharedObjects(stageOf);
  await traffic(stageOf("live"), carrier, shared);
  for (const path of [
    "/messages?simulated=false",
    "/batches?mode=live",
    "/scheduled_messages?mode=live",
    "/schedules?mode=live",
  ]) {
    const read = async (key: string) => (await kit.request("GET", `/v1${path}`, { key })).body;
    assert.deepEqual(await read(kit.testKey), { data: [], has_more: false, next_cursor: null });
    assert.ok((await read(kit.liveKey)).data.length > 0, path);
  }
});

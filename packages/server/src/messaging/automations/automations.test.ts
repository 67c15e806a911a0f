import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  automation,
  choice,
  contact,
  FROM,
  HOUR,
  newPhone,
  onlyRun,
  type Run,
  results,
  runEvents,
  runsOf,
  send,
  textsTo,
  track,
} from "../../../testing/automations.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused, secondAccount } from "../../../testing/live.ts";
import { someoneWaits } from "../../../testing/lock-waits.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { until } from "../../../testing/until.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";

/** Takes the locks of an import with NOWAIT. */
const lockPerson = statement(
  "test_lock_person",
  "select 1 from contacts where shard = $1 and account_id = $2 and phone_number = $3 for update nowait",
);
const lockSearch = statement(
  "test_lock_search",
  "select 1 from contact_search where shard = $1 and account_id = $2 for update nowait",
);

describe("automations", () => {
  const suite = suiteKit();

  it("send, wait and send again, each step once", async () => {
    const kit = suite();
    await giveNumber(kit);
    const { phone_number: to } = await contact(kit);
    const steps = [
      send("Hi {{first_name}}, {{properties.plan|basic}}"),
      { type: "wait", seconds: HOUR },
      send("Bye"),
    ];
    const { id, event } = await automation(kit, steps);
    assert.equal(await track(kit, event, to, { plan: "gold" }), 1);
    await kit.advance(60);
    assert.deepEqual(await textsTo(kit, to), ["Hi Ada, gold"]);
    const waiting = await onlyRun(kit, id);
    assert.deepEqual([waiting.status, waiting.wait_until !== null], ["running", true]);
    await kit.advance(HOUR);
    const run = (await kit.request("GET", `/v1/automations/runs/${waiting.id}`)).body as Run;
    assert.deepEqual([run.status, run.reason], ["completed", null]);
    assert.deepEqual(results(run), ["0 sent", "1 waiting", "1 waited", "2 sent"]);
    assert.ok(run.steps[0]?.message_id?.startsWith("msg_"));
    assert.deepEqual(await textsTo(kit, to), ["Hi Ada, gold", "Bye"]);
    assert.deepEqual(await runEvents(kit, run.id), [
      "automation.run.started",
      "automation.run.completed",
    ]);
  });

  it("text the number that the contact has by then, and ask its consent", async () => {
    const kit = suite();
    const { id: contactId, phone_number: first } = await contact(kit);
    const second = newPhone();
    const third = newPhone();
    const wait = { type: "wait", seconds: HOUR };
    const { id, event } = await automation(kit, [wait, send("One"), wait, send("Two")]);
    await track(kit, event, first);
    await kit.advance(1);
    const move = async (phone_number: string) => {
      const path = `/v1/contacts/${contactId}`;
      const answer = await kit.request("PATCH", path, { body: { phone_number } });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    const optOut = async (phone: string) => {
      const body = { phone_number: phone, status: "opted_out", source: "web" };
      assert.equal((await kit.request("POST", "/v1/consent", { body })).status, 201);
    };
    await move(second);
    await optOut(first);
    await kit.advance(HOUR);
    assert.deepEqual([await textsTo(kit, first), await textsTo(kit, second)], [[], ["One"]]);
    await optOut(third);
    await move(third);
    await kit.advance(HOUR);
    assert.deepEqual([await textsTo(kit, second), await textsTo(kit, third)], [["One"], []]);
    const run = await onlyRun(kit, id);
    assert.deepEqual([run.status, run.reason], ["failed", "recipient_opted_out"]);
  });

  it("choose by a filter, tag, subscribe, emit an event and exit", async () => {
    const kit = suite();
    const topic = (
      await kit.request("POST", "/v1/topics", { body: { name: "News", default: "unsubscribed" } })
    ).body.id;
    const someone = await contact(kit);
    const steps = [
      { type: "add_tags", tags: ["welcomed"] },
      { type: "subscribe", topic_id: topic },
      choice(
        {
          all: [
            { field: "tag", op: "is", value: "welcomed" },
            { field: "topic", op: "is", value: topic },
          ],
        },
        [{ type: "event", name: "vip.reached" }, { type: "exit" }],
        [send("Never")],
      ),
      send("Never either"),
    ];
    const { id, event } = await automation(kit, steps);
    await track(kit, event, someone.phone_number, { plan: "gold" });
    await kit.advance(5);
    const run = await onlyRun(kit, id);
    assert.deepEqual([run.status, run.reason], ["completed", "exit"]);
    assert.deepEqual(results(run), [
      "0 done",
      "1 done",
      "2 then",
      "2.then.0 done",
      "2.then.1 done",
    ]);
    const now = await kit.request("GET", `/v1/contacts/${someone.id}`);
    assert.deepEqual(now.body.tags, ["welcomed"]);
    const [told] = await kit.rows(
      "select data from events where type = 'automation.run.event' and data ->> 'run_id' = $1",
      [run.id],
    );
    assert.deepEqual([told.data.name, told.data.properties], ["vip.reached", { plan: "gold" }]);
    assert.deepEqual(await textsTo(kit, someone.phone_number), []);
  });

  it("a chunk of runs locks contacts in the order of an import, without deadlock", async () => {
    const kit = suite();
    const [low, high] = [newPhone(), newPhone()];
    // Contacts imported together share a `contact_search` row.
    const contacts = [low, high].map((phone_number) => ({ phone_number }));
    await kit.request("POST", "/v1/contacts/import", { body: { contacts } });
    const steps = [
      { type: "wait", seconds: HOUR },
      { type: "add_tags", tags: ["chunk"] },
    ];
    const { id, event } = await automation(kit, steps);
    for (const phone of [high, low]) await track(kit, event, phone);
    const together = new Date(kit.deps.clock.now() + 2 * HOUR * 1_000);
    await kit.rows("update automation_runs set due_at = $1 where automation_id = $2", [
      together,
      fromApiId("automation", id),
    ]);
    const { shard, id: accountId } = kit.account;
    let advanced: Promise<unknown> = Promise.resolve();
    await kit.deps.db.tx(async (tx) => {
      const lock = (phone: string) => tx.query(lockPerson, [shard, accountId, phone]);
      await lock(low);
      advanced = kit.advance(3 * HOUR);
      await until(() => someoneWaits(kit));
      await lock(high);
      await tx.query(lockSearch, [shard, accountId]);
    });
    await advanced;
    for (const phone of [low, high]) {
      const { body } = await kit.request(
        "GET",
        `/v1/contacts?phone_number=${encodeURIComponent(phone)}`,
      );
      assert.deepEqual(body.data[0].tags, ["chunk"]);
    }
    assert.deepEqual((await runsOf(kit, id)).map(results), [
      ["0 waiting", "0 waited", "1 done"],
      ["0 waiting", "0 waited", "1 done"],
    ]);
  });

  it("wait for an event, or until the timeout", async () => {
    const kit = suite();
    const [quick, slow] = [await contact(kit), await contact(kit)];
    const wait = {
      type: "wait",
      until: { event: "paid", seconds: HOUR },
      on_timeout: [send("Late?"), { type: "exit" }],
    };
    const { id, event } = await automation(kit, [wait, send("Thanks for {{properties.sum}}")]);
    await track(kit, event, quick.phone_number);
    await track(kit, event, slow.phone_number);
    await kit.advance(60);
    await track(kit, "paid", quick.phone_number, { sum: 12 });
    await kit.advance(5);
    assert.deepEqual(await textsTo(kit, quick.phone_number), ["Thanks for 12"]);
    assert.deepEqual(await textsTo(kit, slow.phone_number), []);
    await kit.advance(HOUR);
    assert.deepEqual(await textsTo(kit, slow.phone_number), ["Late?"]);
    await track(kit, "paid", slow.phone_number, { sum: 12 });
    await kit.advance(60);
    assert.deepEqual(await textsTo(kit, slow.phone_number), ["Late?"]);
    const bySteps = (await runsOf(kit, id)).map(results);
    assert.deepEqual(bySteps, [
      ["0 waiting", "0 timed_out", "0.on_timeout.0 sent", "0.on_timeout.1 done"],
      ["0 waiting", "0 event", "1 sent"],
    ]);
  });

  it("wait until a time of day where the contact is", async () => {
    const kit = suite();
    const people = [
      await contact(kit, newPhone(), { attributes: { time_zone: "Asia/Tokyo" } }),
      await contact(kit, "+12125552671"),
    ];
    const { id, event } = await automation(kit, [
      { type: "wait", until: { time: "09:30", timezone: "contact" } },
      send("Good morning"),
    ]);
    for (const { phone_number } of people) await track(kit, event, phone_number);
    await kit.advance(1);
    const hourIn = (run: Run | undefined, timeZone: string) =>
      new Date(run?.wait_until ?? 0).toLocaleTimeString("en-GB", { timeZone, timeStyle: "short" });
    const [newYork, tokyo] = await runsOf(kit, id);
    assert.equal(hourIn(newYork, "America/New_York"), "09:30");
    assert.equal(hourIn(tokyo, "Asia/Tokyo"), "09:30");
  });

  it("a run in progress keeps the version it began with", async () => {
    const kit = suite();
    const [before, after] = [await contact(kit), await contact(kit)];
    const steps = [{ type: "wait", seconds: HOUR }, send("Old")];
    const { id, event } = await automation(kit, steps);
    await track(kit, event, before.phone_number);
    const changed = await kit.request("PATCH", `/v1/automations/${id}`, {
      body: { steps: [send("New")] },
    });
    assert.equal(changed.body.version, 2);
    await track(kit, event, after.phone_number);
    await kit.advance(HOUR + 5);
    assert.deepEqual(await textsTo(kit, before.phone_number), ["Old"]);
    assert.deepEqual(await textsTo(kit, after.phone_number), ["New"]);
    assert.deepEqual(
      (await runsOf(kit, id)).map((run) => run.version),
      [2, 1],
    );
  });

  it("an opt-out ends a run at once, even during a wait", async () => {
    const kit = suite();
    const { phone_number: to } = await contact(kit);
    const { id, event } = await automation(kit, [{ type: "wait", seconds: 30 * HOUR }, send("Hi")]);
    await track(kit, event, to);
    await kit.request("POST", "/v1/test/inbound", { body: { from: to, to: FROM, body: "STOP" } });
    await kit.advance(2);
    const run = await onlyRun(kit, id);
    assert.deepEqual([run.status, run.reason], ["failed", "recipient_opted_out"]);
    await kit.advance(40 * HOUR);
    assert.deepEqual(await textsTo(kit, to), []);
    assert.deepEqual(await runEvents(kit, run.id), [
      "automation.run.started",
      "automation.run.failed recipient_opted_out",
    ]);
  });

  it("a list of opt-outs writes no resume requests for phones without a run", async (t) => {
    // Runs no worker, which would process and delete the requests.
    const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
    await giveNumber(kit);
    const { phone_number: to } = await contact(kit);
    const { id, event } = await automation(kit, [{ type: "wait", seconds: 30 * HOUR }, send("Hi")]);
    await track(kit, event, to);
    await kit.advance(1);
    const numbers = [to, "+14155557001", "+14155557002"].map((phone_number) => ({
      phone_number,
      status: "opted_out",
    }));
    const imported = await kit.request("POST", "/v1/consent/import", { body: { numbers } });
    assert.equal(imported.body.opted_out, 3);
    const wakes = await kit.rows("select phone_number from automation_resume_requests");
    assert.deepEqual(wakes, [{ phone_number: to }]);
    await kit.advance(2);
    assert.equal((await onlyRun(kit, id)).reason, "recipient_opted_out");
  });

  it("a failed message ends the run, at once or during a wait", async () => {
    const kit = suite();
    const steps = [send("Hi"), { type: "wait", seconds: HOUR }, send("Never")];
    for (const [to, reason] of [
      ["+15005550004", "carrier_rejected"],
      ["+15005550001", "invalid_number"],
    ] as const) {
      await contact(kit, to);
      const { id, event } = await automation(kit, steps);
      await track(kit, event, to);
      await kit.advance(30);
      const run = await onlyRun(kit, id);
      assert.deepEqual([run.status, run.reason], ["failed", reason]);
    }
    const { phone_number: to } = await contact(kit);
    const { id, event } = await automation(kit, [send("Hi {{properties.missing}}")]);
    await track(kit, event, to);
    await kit.advance(5);
    assert.equal((await onlyRun(kit, id)).reason, "missing_variable");
    assert.deepEqual(await textsTo(kit, to), []);
  });

  it("an automation created paused starts no run until it is resumed", async () => {
    const kit = suite();
    const { phone_number } = await contact(kit);
    const { id, event } = await automation(kit, [{ type: "exit" }], { status: "paused" });
    assert.equal((await kit.api.automations.get(id)).status, "paused");
    assert.equal(await track(kit, event, phone_number), 0);
    await kit.api.automations.update(id, { status: "active" });
    assert.equal(await track(kit, event, phone_number), 1);
  });

  it("pause stops runs and stores arriving events; resume continues them", async () => {
    const kit = suite();
    const { phone_number: to } = await contact(kit);
    const wait = { type: "wait", until: { event: "paused_paid", seconds: 10 * HOUR } };
    const { id, event } = await automation(kit, [wait, send("Hi")]);
    await track(kit, event, to);
    await kit.advance(1);
    const path = `/v1/automations/${id}`;
    await kit.request("PATCH", path, { body: { status: "paused" } });
    assert.equal(await track(kit, event, to), 0);
    await track(kit, "paused_paid", to);
    await kit.advance(HOUR);
    assert.deepEqual(await textsTo(kit, to), []);
    assert.equal((await onlyRun(kit, id)).status, "running");
    await kit.request("PATCH", path, { body: { status: "active" } });
    await kit.advance(2);
    assert.deepEqual(await textsTo(kit, to), ["Hi"]);
    assert.equal((await onlyRun(kit, id)).status, "completed");
  });

  it("a test run to a verified phone skips waits and only logs tags", async () => {
    const kit = suite();
    const to = "+14155559001";
    const { id } = await automation(kit, [
      { type: "wait", seconds: HOUR },
      { type: "add_tags", tags: ["never"] },
      send("Hi {{name|you}}"),
    ]);
    const path = `/v1/automations/${id}/test`;
    const body = { phone_number: to };
    assertRefused(
      await kit.request("POST", path, { body }),
      400,
      "invalid_request",
      "phone_number",
    );
    const account = toApiId("account", kit.account.id);
    await kit.operator("POST", `/accounts/${account}/verified_numbers`, body);
    const started = await kit.request("POST", path, { body });
    assert.deepEqual([started.status, started.body.test], [202, true]);
    await kit.advance(2);
    const run = await onlyRun(kit, id);
    assert.deepEqual(results(run), ["0 skipped", "1 told", "2 sent"]);
    assert.deepEqual(await textsTo(kit, to), ["Hi you"]);
  });

  it("deleting an automation ends its runs", async () => {
    const kit = suite();
    const { phone_number: to } = await contact(kit);
    const { id, event } = await automation(kit, [{ type: "wait", seconds: HOUR }, send("Never")]);
    await track(kit, event, to);
    const run = await onlyRun(kit, id);
    assert.equal((await kit.request("DELETE", `/v1/automations/${id}`)).status, 200);
    assert.equal((await kit.request("GET", `/v1/automations/${id}`)).status, 404);
    await kit.advance(2);
    const ended = (await kit.request("GET", `/v1/automations/runs/${run.id}`)).body;
    assert.deepEqual([ended.status, ended.reason], ["failed", "automation_deleted"]);
    await kit.advance(2 * HOUR);
    assert.deepEqual(await textsTo(kit, to), []);
  });

  it("automations are visible to their account only", async () => {
    const kit = suite();
    const other = await secondAccount(kit);
    const { phone_number: to } = await contact(kit);
    const { id, event } = await automation(kit, [{ type: "wait", seconds: HOUR }]);
    await track(kit, event, to);
    const run = await onlyRun(kit, id);
    for (const path of [`${id}`, `${id}/runs`, `runs/${run.id}`]) {
      assert.equal((await other.request("GET", `/v1/automations/${path}`)).status, 404, path);
    }
    await contact({ ...kit, request: other.request } as Kit, to);
    const tracked = await other.request("POST", "/v1/track", { body: { event, phone_number: to } });
    assert.equal(tracked.body.matched, 0);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  automation,
  choice,
  contact,
  FROM,
  HOUR,
  newPhone,
  runsOf,
  send,
  track,
} from "../../../testing/automations.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { assertRefused } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";

describe("track", () => {
  const suite = suiteKit();

  it("starts nothing for an unknown contact, another event or mode, or an unmatched filter", async () => {
    const kit = suite();
    await giveNumber(kit);
    const { phone_number: to } = await contact(kit, newPhone(), { tags: ["vip"] });
    const filter = {
      all: [
        { field: "tag", op: "is", value: "vip" },
        { field: "properties.plan", op: "is", value: "gold" },
      ],
    };
    const { event } = await automation(kit, [send("Hi")], { trigger: { event: "bought", filter } });
    assert.equal(await track(kit, event, newPhone(), { plan: "gold" }), 0);
    assert.equal(await track(kit, event, to, { plan: "blue" }), 0);
    assert.equal(await track(kit, "something_else", to, { plan: "gold" }), 0);
    assert.equal(await track(kit, event, to, { plan: "gold" }), 1);
    const unknown = { event, contact_id: "con_01jd0000000000000000000000" };
    const answer = await kit.request("POST", "/v1/track", { body: unknown });
    assertRefused(answer, 400, "invalid_request", "contact_id");
  });

  it("re-entry: any time, one at a time, or never again", async () => {
    const kit = suite();
    const steps = [{ type: "wait", seconds: HOUR }];
    const expected = { any: [1, 1, 1], one_at_a_time: [1, 0, 1], once: [1, 0, 0] };
    for (const [reentry, counts] of Object.entries(expected)) {
      const { phone_number: to } = await contact(kit);
      const { event } = await automation(kit, steps, { reentry });
      const first = await track(kit, event, to);
      const second = await track(kit, event, to);
      await kit.advance(2 * HOUR);
      assert.deepEqual([first, second, await track(kit, event, to)], counts, reentry);
    }
    const { phone_number: to } = await contact(kit);
    const { event } = await automation(kit, steps);
    const answers = await Promise.all(Array.from({ length: 20 }, () => track(kit, event, to)));
    assert.equal(
      answers.reduce((sum, one) => sum + one, 0),
      1,
      "twenty at the same moment",
    );
  });

  it("tracks once with an idempotency key, and a hundred events in one call", async () => {
    const kit = suite();
    const people = await Promise.all([contact(kit), contact(kit)]);
    const { id, event } = await automation(kit, [{ type: "wait", seconds: HOUR }], {
      reentry: "any",
    });
    const body = { event, phone_number: people[0]?.phone_number };
    const options = { body, headers: { "idempotency-key": "track-1" } };
    const answers = await Promise.all(
      [1, 2, 3].map(() => kit.request("POST", "/v1/track", options)),
    );
    for (const answer of answers) {
      if (answer.status !== 202) assertRefused(answer, 409, "idempotency_in_progress");
    }
    const again = await kit.request("POST", "/v1/track", options);
    assert.deepEqual(
      [again.status, again.body.matched, again.headers.get("idempotent-replayed")],
      [202, 1, "true"],
    );
    assert.equal((await runsOf(kit, id)).length, 1);
    const hundred = Array.from({ length: 100 }, (_, n) => ({
      event,
      phone_number: people[n % 2]?.phone_number,
    }));
    const many = await kit.request("POST", "/v1/track", { body: { events: hundred } });
    assert.equal(many.body.matched, 100);
    const wrong = [...hundred.slice(0, 3), { event, phone_number: "nobody" }];
    const refused = await kit.request("POST", "/v1/track", { body: { events: wrong } });
    assertRefused(refused, 400, "invalid_request", "events[3].phone_number");
    const both = { events: hundred.slice(0, 1), event };
    assertRefused(
      await kit.request("POST", "/v1/track", { body: both }),
      400,
      "invalid_request",
      "event",
    );
    assert.equal(
      (await kit.request("POST", "/v1/track", { body: { events: [...hundred, hundred[0]] } }))
        .status,
      400,
    );
  });

  it("refuses a call that may start more than a thousand runs, and starts none of them", async () => {
    const kit = suite();
    const { phone_number } = await contact(kit);
    const settings = { trigger: { event: "storm" }, reentry: "any" };
    const wait = [{ type: "wait", seconds: HOUR }];
    const made = Array.from({ length: 11 }, () => automation(kit, wait, settings));
    const automations = await Promise.all(made);
    const events = Array.from({ length: 100 }, () => ({ event: "storm", phone_number }));
    const refused = await kit.request("POST", "/v1/track", { body: { events } });
    assertRefused(refused, 400, "invalid_request", "events");
    assert.match(refused.body.error.message, /may start 1,100 runs.*may start 1,000/);
    assert.equal((await runsOf(kit, automations[0]?.id ?? "")).length, 0);
    // Large calls queue for a concurrency slot, and all of them succeed.
    const calls = Array.from({ length: 6 }, () =>
      kit.request("POST", "/v1/track", { body: { events: events.slice(0, 2) } }),
    );
    for (const answer of await Promise.all(calls)) assert.equal(answer.body.matched, 22);
  });

  it("refuses invalid steps, naming the path of the invalid field", async () => {
    const kit = suite();
    const cases: readonly (readonly [unknown, string])[] = [
      [{ type: "dance" }, "steps[0].type"],
      [{ type: "send", from: FROM }, "steps[0].body"],
      [{ type: "send", from: FROM, body: "{{name" }, "steps[0].body"],
      [{ type: "send", from: FROM, body: "Hi", at: 1 }, "steps[0].at"],
      [{ type: "wait" }, "steps[0].seconds"],
      [{ type: "wait", seconds: 0 }, "steps[0].seconds"],
      [{ type: "wait", seconds: 60, until: "2030-01-01T00:00:00Z" }, "steps[0].seconds"],
      [{ type: "wait", until: { time: "25:00" } }, "steps[0].until.time"],
      [{ type: "wait", until: { time: "09:00", timezone: "Mars" } }, "steps[0].until.timezone"],
      [{ type: "wait", until: { event: "x" } }, "steps[0].until.seconds"],
      [{ type: "wait", seconds: 5, on_timeout: [] }, "steps[0].on_timeout"],
      [choice({ field: "x", op: "is", value: "y" }, []), "steps[0].filter.field"],
      [choice({ field: "tag", op: "is", value: "y" }, [{ type: "no" }]), "steps[0].then[0].type"],
      [{ type: "add_tags", tags: [] }, "steps[0].tags"],
      [{ type: "subscribe", topic_id: "top_x" }, "steps[0].topic_id"],
    ];
    for (const [step, param] of cases) {
      const body = { name: "Bad", trigger: { event: "x" }, steps: [step] };
      const answer = await kit.request("POST", "/v1/automations", { body });
      assertRefused(answer, 400, "invalid_request", param);
    }
    const stranger = { type: "send", from: "+14155559999", body: "Hi" };
    const body = { name: "Bad", trigger: { event: "x" }, steps: [stranger] };
    const answer = await kit.request("POST", "/v1/automations", { body });
    assertRefused(answer, 403, "sender_not_owned", "steps[0].from");
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createHook, emit, log, startHookReceiver } from "../../../testing/hook-receiver.ts";
import { startKit } from "../../../testing/kit.ts";
import { assertRefused } from "../../../testing/live.ts";
import { until } from "../../../testing/until.ts";

const registrationAt = (website: string) => ({
  ...{ business_name: "Acme", use_case: "customer_care", website },
});

test("webhooks reach a private receiver that the operator names, and website checks do not", async (t) => {
  const receiver = await startHookReceiver(t);
  const url = receiver.url("/in");
  const kit = await startKit(t, { LONGWAVE_WEBHOOK_PRIVATE_TARGETS: new URL(url).host });
  await createHook(kit, url);
  await emit(kit);
  const [received] = await receiver.got("/in", 1);
  assert.equal(received?.event.object, "event");
  await until(async () => (await log(kit))[0]?.ok === true);
  const website = await kit.request("POST", "/v1/registrations", { body: registrationAt(url) });
  assertRefused(website, 400, "invalid_request", "website");
  const other = await kit.request("POST", "/v1/webhooks", { body: { url: "http://127.0.0.1:1/" } });
  assertRefused(other, 400, "invalid_request", "url");
});

test("a private receiver is refused by default, with the ways out", async (t) => {
  const kit = await startKit(t);
  const body = { url: "http://127.0.0.1:8080/in" };
  const refused = await kit.request("POST", "/v1/webhooks", { body });
  assertRefused(refused, 400, "invalid_request", "url");
  const secure = await kit.request("POST", "/v1/webhooks", {
    body: { url: "https://10.0.0.5/in" },
  });
  assertRefused(secure, 400, "invalid_request", "url");
  for (const { body: answer } of [refused, secure]) {
    assert.match(answer.error.message, /longwave listen/);
    assert.match(answer.error.message, /LONGWAVE_WEBHOOK_PRIVATE_TARGETS/);
  }
});

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { giveNumber } from "../../server/testing/give-number.ts";
import { startKit } from "../../server/testing/kit.ts";
import { commandLine } from "./longwave.ts";

const PHONE = "+15005550000";

test("longwave hooks makes, tests, lists, changes and deletes hooks", async (t) => {
  const kit = await startKit(t);
  const from = await giveNumber(kit);
  const cli = commandLine(t, { LONGWAVE_URL: kit.url, LONGWAVE_API_KEY: kit.testKey });
  const hooks = (...args: string[]) => cli.json(["hooks", ...args]);

  const presets = await cli.run(["hooks", "presets"]);
  assert.match(presets.stdout, /supabase/);
  const made = await hooks("create", "--name", "Codes", "--from", from, "--preset", "supabase");
  assert.match(made.secret, /^v1,whsec_/);
  const declaration = { purpose: "messages", to: ["phone"], body: "Order {{number}}" };
  const file = join(cli.folder, "orders.json");
  writeFileSync(file, JSON.stringify(declaration));
  const named = ["--name", "Orders", "--from", from];
  const own = await hooks("create", ...named, "--declaration", `@${file}`);
  assert.deepEqual(own.declaration, declaration);
  assert.ok(own.url.endsWith(`/${own.secret}`), own.url);

  const documented = await hooks("test", made.id);
  assert.equal(documented.messages[0].body, "Your code is ******.");
  const content = JSON.stringify({ phone: PHONE, number: 7 });
  const tested = await hooks("test", own.id, "--content", content);
  assert.deepEqual([tested.messages[0].body, tested.answer.status], ["Order 7", 200]);
  const sent = await fetch(new URL(own.url, kit.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: content,
  });
  assert.equal(sent.status, 200);
  const [call] = (await hooks("requests", own.id)).data;
  assert.deepEqual([call.status, call.messages[0].to], [200, PHONE]);
  const listed = await cli.run(["hooks", "list"]);
  assert.match(listed.stdout, /^hook_\w+ .*Orders/m);
  assert.ok(!listed.stdout.includes(own.secret));

  const changed = await hooks(
    ...["update", own.id, "--recipients", PHONE, "--messages-per-minute", "5"],
  );
  assert.deepEqual([changed.recipients, changed.messages_per_minute], [[PHONE], 5]);
  const cleared = await hooks("update", own.id, "--recipients", "null", "--active", "false");
  assert.deepEqual([cleared.recipients, cleared.active], [[], false]);
  const rotated = await hooks("rotate-secret", own.id);
  assert.notEqual(rotated.secret, own.secret);
  const wrong = await cli.run(["hooks", "update", own.id, "--body", "{{open"]);
  assert.equal(wrong.code, 3);
  assert.match(wrong.stderr, /^invalid_request: body /);
  await hooks("delete", own.id);
  assert.equal((await cli.run(["hooks", "get", own.id])).code, 3);
});

/** The hooks of docs/integrations: made by the page's command, and called as the page sets its program up. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { HOOK_PRESETS, type HookPresetName, VERIFY_SENDS_MAX } from "@longwave/contract";
import { giveNumber } from "../testing/give-number.ts";
import { secondAccount } from "../testing/live.ts";
import { ROOT } from "../testing/source-process.ts";
import { suiteKit } from "../testing/suite.ts";
import { HOOK_PAGES } from "./integrations/hook-pages.ts";
import { oneBlock } from "./integrations/page.ts";

const ORIGIN = "https://longwave.example.com";

/** Fields of the page's `longwave hooks create`. */
function fieldsOf(page: string): Record<string, unknown> {
  const command = oneBlock(page, "sh").trim();
  assert.match(command, /^longwave hooks create /);
  const options = [...command.matchAll(/--([a-z-]+) ("[^"]*"|\S+)/g)].map(
    ([, name = "", value = ""]): [string, string] => [
      name.replaceAll("-", "_"),
      value.replaceAll('"', ""),
    ],
  );
  const { recipients, messages_per_minute, ...fields } = Object.fromEntries(options);
  return {
    ...fields,
    ...(recipients ? { recipients: [recipients] } : {}),
    ...(messages_per_minute ? { messages_per_minute: Number(messages_per_minute) } : {}),
  };
}

describe("hooks of docs/integrations", () => {
  const suite = suiteKit();

  for (const [name, callingOf] of Object.entries(HOOK_PAGES)) {
    it(`${name} sends a message`, async () => {
      const kit = await secondAccount(suite());
      await giveNumber(kit);
      const page = readFileSync(join(ROOT, "docs/integrations", name), "utf8");
      const body = fieldsOf(page);
      const made = await kit.request("POST", "/v1/hooks", { body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { id, secret } = made.body;
      const calling = callingOf(page);
      assert.equal(calling.url, `${ORIGIN}/hooks/hook_…`);
      if (calling.secret) {
        const change = { secret: calling.secret };
        await kit.request("PATCH", `/v1/hooks/${id}`, { body: change });
      }
      const sample = HOOK_PRESETS.get(body["preset"] as HookPresetName)?.sample;
      const content = (calling.content ?? JSON.stringify)(sample);
      const call = () =>
        fetch(calling.url.replace(ORIGIN, kit.url).replace("hook_…", id), {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...calling.headers(content, calling.secret ?? secret),
          },
          body: content,
        });
      const answer = await call();
      assert.equal(answer.status, 200, await answer.text());
      const { body: log } = await kit.request("GET", `/v1/hooks/${id}/requests`);
      const [message] = log.data[0].messages;
      assert.deepEqual([message.to, message.error], ["+15005550000", null]);
      const sent = await kit.request("GET", `/v1/messages/${message.message_id}`);
      assert.equal(sent.body.from, "+15005550100");
      if (!calling.repeats) return;
      const statuses: number[] = [];
      for (let code = 0; code < VERIFY_SENDS_MAX; code += 1) {
        statuses.push((await call()).status);
      }
      assert.deepEqual([statuses.at(-2), statuses.at(-1)], [200, 429], "codes are limited");
    });
  }
});

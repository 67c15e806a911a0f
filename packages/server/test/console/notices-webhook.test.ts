import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { mailNotices } from "../../src/surfaces/console/index.ts";
import { LOCAL_TARGETS, startHookReceiver } from "../../testing/hook-receiver.ts";
import { suiteKit } from "../../testing/suite.ts";

const ORIGIN = "http://console.example.com";
const hook = await startHookReceiver({ after });
const PATH = "/notices?token=secret";

describe("notices by the operator's webhook", () => {
  const kit = suiteKit({
    ...LOCAL_TARGETS,
    LONGWAVE_ROLES: "api",
    LONGWAVE_NOTICES_URL: hook.url(PATH),
    LONGWAVE_PUBLIC_URL: ORIGIN,
  });
  const run = async () => {
    const before = hook.at(PATH).length;
    await mailNotices.run(kit().deps, new AbortController().signal);
    return hook
      .at(PATH)
      .slice(before)
      .map(({ event }) => event);
  };
  const passThreshold = async (percent: number) => {
    const { shard, id } = kit().account;
    const at = new Date(kit().deps.clock.now());
    await kit().rows(
      `insert into spend_limits (shard, account_id, alert_thresholds, alerted_month, alerted_thresholds, updated_at)
       values ($1, $2, '{50,80}', $3, array[$4::integer], $5)
       on conflict (shard, account_id) do update set alerted_thresholds = excluded.alerted_thresholds`,
      [shard, id, `${at.toISOString().slice(0, 7)}-01`, percent, at],
    );
  };

  it("a notice is posted once, without a mail server", async () => {
    await run();
    await passThreshold(50);
    const [posted, ...more] = await run();
    assert.deepEqual(more, []);
    const { id, text, created_at, url, ...rest } = posted;
    assert.equal(id, undefined);
    assert.deepEqual(rest, {
      kind: "spend_threshold",
      title: "50 % of this month's spend limit is used",
      account_id: url.split("/")[3],
      account_name: "Test account",
    });
    assert.ok(text.startsWith(`${rest.title}\n`) && text.endsWith(`\n${url}`), text);
    assert.match(url, /^http:\/\/console\.example\.com\/acct_\w+\/live\/billing$/);
    assert.match(created_at, /Z$/);
    assert.deepEqual(await run(), []);
  });

  it("a refused notice is posted again", async () => {
    await passThreshold(80);
    hook.behave(PATH, 500);
    assert.equal((await run()).length, 1);
    hook.behave(PATH, 200);
    const [again, ...more] = await run();
    assert.deepEqual([again?.title, more], ["80 % of this month's spend limit is used", []]);
    assert.deepEqual(await run(), []);
  });
});

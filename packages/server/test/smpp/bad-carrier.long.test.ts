import assert from "node:assert/strict";
import test from "node:test";
import { P99_MS_MAX, quantile, sendFor } from "../../testing/attacks/fairness.ts";
import { boundMemory } from "../../testing/bounded-memory.ts";
import { until } from "../../testing/until.ts";
import { openStage } from "../kills/stage.ts";
import { assertNothingLost, HEALTHY_FROM, HURT_FROM, startBadCarrier } from "./bad-carrier.ts";

const TEXTS = 5_000;
const WINDOW = 50;
const SECONDS = 10;
/** Memory limits of the process and of its heap. */
const MEMORY_MB_MAX = 256;
const HEAP_MB_MAX = 160;
/** Above this p99 without trouble, the machine is too busy for a verdict. */
const QUIET_P99_MS_MAX = 50;
/** Allowed change of the p99: a fifth, or the noise of an idle machine. */
const CHANGE_MAX = 1.2;
const NOISE_MS = 10;

test("a bad carrier of one account changes no p99 of another account, and memory is bounded", async (t) => {
  const carrier = await startBadCarrier(t, WINDOW);
  const stage = await openStage(t, { window: WINDOW, carriers: carrier.carriers });
  const { child } = await stage.start({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB_MAX}` });
  const memory = await boundMemory(t, child.pid as number, MEMORY_MB_MAX);
  const { url } = stage;
  const healthy = { url, key: await stage.prepare(), from: HEALTHY_FROM };
  const hurt = {
    url,
    key: await stage.prepare(url, { name: "Hurt", from: HURT_FROM }),
    from: HURT_FROM,
  };
  const areUp = async () => {
    const rows = await stage.rows("select 1 from carrier_binds where lease_until > now()");
    return rows.length === carrier.carriers.length;
  };
  await until(areUp, 30_000);
  const p99 = async (seconds: number) => quantile(await sendFor(healthy, seconds), 0.99);
  await p99(2);
  const quietMs = await p99(SECONDS);
  const isBusy = quietMs > QUIET_P99_MS_MAX;
  if (isBusy) {
    const summary = `p99 ${Math.round(quietMs)} ms without any trouble`;
    t.diagnostic(`the machine is too busy for a verdict: ${summary}`);
  }
  for (const { name, begin } of carrier.troubles) {
    await t.test(`which ${name}`, async () => {
      const before = await p99(SECONDS);
      const end = await begin(hurt, TEXTS);
      const during = await p99(SECONDS);
      await end();
      const after = await p99(SECONDS);
      const summary = `p99 ${[before, during, after].map(Math.round).join(", ")} ms before, during and after`;
      t.diagnostic(`${name}: ${summary}; at most ${await memory.peakMb()} MB so far`);
      // Processing receipts takes processor time.
      const sendsReceipts = name.startsWith("sends");
      const most = sendsReceipts ? P99_MS_MAX : Math.max(before, after) * CHANGE_MAX + NOISE_MS;
      assert.ok(isBusy || during <= most, summary);
    });
  }
  assert.ok((await memory.peakMb()) <= MEMORY_MB_MAX, `${await memory.peakMb()} MB`);
  assert.equal(child.exitCode, null, "the server is alive");
  t.diagnostic(`${carrier.acknowledged()} receipts; memory was bounded by ${memory.by}`);
  await assertNothingLost(carrier, stage.rows);
});

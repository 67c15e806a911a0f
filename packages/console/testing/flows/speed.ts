import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { append } from "../../../server/src/events/log/index.ts";
import { until } from "../../../server/testing/until.ts";
import type { Stage } from "../stage.ts";

const INTERACTIVE_MS_MAX = 1_500;
const FRAME_MS_MAX = 20;
/** Time limit for thousands of webhooks, some to failing endpoints. */
const DONE_MS_MAX = 180_000;
const LOADS = 5;
/**
 * Other load on the machine only adds time: a median or 95th percentile that is too high through
 * our fault is too high in every attempt. The longest task is measured once, so that a retry cannot
 * hide a rare one.
 */
const ATTEMPTS_MAX = 4;
const LOGGED_ROWS = 100_000;
const SCROLLS = 120;
const HEAP_BYTES_MAX = 150e6;
const EVENTS_PER_SECOND = 500;
const EVENT_SECONDS = 30;
const TASK_MS_MAX = 100;

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

/** Measures until the value is below the limit, and fails if it never is. */
async function measureBelow(limitMs: number, measure: () => Promise<number>): Promise<void> {
  const found: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const ms = await measure();
    if (ms < limitMs) return;
    found.push(ms);
  }
  assert.fail(`${found.join(", ")} ms in ${ATTEMPTS_MAX} attempts`);
}

/**
 * Speed measurements. Long runs only, alone on the machine: figures of a busy machine mean nothing.
 */
export function speedFlows(stage: Stage): void {
  const { kit, page, context, test } = stage;

  test("the backlog of earlier flows is empty", async () => {
    // Receipts and webhooks of a large batch compete with pages for the same cores.
    await until(async () => (await secondsBehind()).every((seconds) => seconds === 0), DONE_MS_MAX);
    await until(async () => (await dueHooks()) === 0, DONE_MS_MAX);
    // Retries to unreachable endpoints would become due during the measurement.
    await kit().rows("delete from webhook_jobs");
    await logRows();
    // A fresh document, without axe and the memory of earlier pages.
    await page().goto(stage.home());
    await page().locator("h1").waitFor();
    await heapOf(page());
  });

  /** Rows to scroll through: written, counted and swept before measuring. */
  async function logRows(): Promise<void> {
    await kit().rows(
      `insert into request_log select $1, ('0190' || lpad(to_hex(n), 28, '0'))::uuid, $2, 'test', $3, 'GET', '/v1/row/' || n, 200, null, 1, false
         from generate_series(1, ${LOGGED_ROWS}) n`,
      [kit().account.shard, kit().account.id, kit().deps.ids.make()],
    );
    await kit().rows("vacuum analyze");
    await kit().rows("checkpoint");
  }

  async function secondsBehind(): Promise<number[]> {
    const { body } = await kit().request("GET", "/readyz", { key: null });
    return Object.values(body.checks.lanes?.seconds_behind ?? {});
  }

  async function dueHooks(): Promise<number> {
    const now = new Date(kit().deps.clock.now());
    const rows = await kit().rows(
      "select count(*)::int as n from webhook_jobs where queue_state <> 'paused' and due_at <= $1",
      [now],
    );
    return rows[0].n;
  }

  test(`a cold load is interactive within ${INTERACTIVE_MS_MAX} ms`, () =>
    measureBelow(INTERACTIVE_MS_MAX, medianLoadMs));

  async function medianLoadMs(): Promise<number> {
    const took: number[] = [];
    for (let load = 0; load < LOADS; load += 1) {
      const { cookies } = await context().storageState();
      // A new context has an empty cache.
      const fresh = await context().browser()?.newContext();
      if (!fresh) throw new Error("The browser is gone.");
      await fresh.addCookies(cookies);
      const tab = await fresh.newPage();
      const start = performance.now();
      await tab.goto(stage.home(), { waitUntil: "commit" });
      await tab
        .getByRole("button", { name: /Search/ })
        .first()
        .click();
      await tab.getByRole("dialog").waitFor();
      took.push(Math.round(performance.now() - start));
      await fresh.close();
    }
    console.error(`cold load until a click opens something: ${took.join(", ")} ms`);
    return took.sort((a, b) => a - b)[Math.floor(LOADS / 2)] ?? Number.NaN;
  }

  test(`100,000 rows scroll with 95 of 100 frames below ${FRAME_MS_MAX} ms`, async () => {
    await stage.open("requests?path=/v1/row/");
    await page().locator(".list-row").first().waitFor();
    await measureBelow(FRAME_MS_MAX, scrollFrameMs);
    assert.ok((await page().locator(".list-row").count()) < 100);
    const heapBytes = await heapOf(page());
    console.error(`heap after scrolling: ${Math.round(heapBytes / 1e6)} MB`);
    assert.ok(heapBytes < HEAP_BYTES_MAX, `${heapBytes} bytes of heap`);
    await kit().rows("truncate request_log");
  });

  async function scrollFrameMs(): Promise<number> {
    // Baseline of the machine: an empty box of the same size.
    await page()
      .locator("main")
      .evaluate((main) => {
        const box = document.createElement("div");
        box.className = "list-scroll nothing";
        Object.assign(box.style, { height: "616px" });
        const inside = document.createElement("div");
        Object.assign(inside.style, { height: "4400000px" });
        box.append(inside);
        main.prepend(box);
      });
    const floor = await framesOf(".nothing");
    await page()
      .locator(".nothing")
      .evaluate((box) => box.remove());
    const frames = await framesOf(".list-scroll");
    await until(async () => (await page().locator(".list-row .skeleton").count()) === 0);
    console.error(`frames while scrolling: ${inWords(frames)}; of an empty box: ${inWords(floor)}`);
    return frames.p95;
  }

  /** Frame intervals while an element scrolls by five rows per frame. */
  async function framesOf(selector: string): Promise<{ p50: number; p95: number }> {
    const gaps = await page()
      .locator(selector)
      .evaluate(async (list, scrolls) => {
        const found: number[] = [];
        let before = performance.now();
        for (let scroll = 0; scroll < scrolls; scroll += 1) {
          list.scrollBy({ top: 220 });
          const at = await new Promise<number>((frame) => requestAnimationFrame(frame));
          found.push(at - before);
          before = at;
        }
        return found.slice(1);
      }, SCROLLS);
    const sorted = gaps.sort((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
    return { p50: at(0.5), p95: at(0.95) };
  }

  const inWords = ({ p50, p95 }: { p50: number; p95: number }) => `p50 ${p50} ms, p95 ${p95} ms`;

  test(`${EVENTS_PER_SECOND} events a second for ${EVENT_SECONDS} s: no task takes ${TASK_MS_MAX} ms`, async () => {
    await stage.open("events?tail=1");
    await page().locator(".live-dot[data-state=live]").waitFor();
    await page().evaluate(() => {
      const tasks: number[] = [];
      Object.assign(globalThis, { longTasks: tasks });
      new PerformanceObserver((list) => {
        tasks.push(...list.getEntries().map(({ duration }) => duration));
      }).observe({ type: "longtask" });
    });
    const longest = await longestTaskMs();
    await stage.picture("folded-tail");
    // The page still responds to a click.
    await page().getByRole("button", { name: "Pause" }).click();
    await page().getByText("Paused", { exact: true }).waitFor();
    assert.ok(longest < TASK_MS_MAX, `${longest} ms`);
  });

  async function longestTaskMs(): Promise<number> {
    await emitEvents();
    await page()
      .getByText(/\d+ events/)
      .first()
      .waitFor();
    const tasks = await page().evaluate(
      () => (globalThis as unknown as { longTasks: number[] }).longTasks,
    );
    const longest = Math.round(Math.max(0, ...tasks));
    console.error(
      `under ${EVENTS_PER_SECOND} events a second: ${tasks.length} tasks above 50 ms, the longest ${longest} ms`,
    );
    return longest;
  }

  /**
   * Emits events at a steady rate, a tenth of a second's worth per commit, as a busy account does.
   */
  async function emitEvents(): Promise<void> {
    const { deps, account } = kit();
    const owner = { shard: account.shard, accountId: account.id };
    const perCommit = EVENTS_PER_SECOND / 10;
    const startedAt = performance.now();
    for (let turn = 0; turn < EVENT_SECONDS * 10; turn += 1) {
      const events = Array.from({ length: perCommit }, (_, at) => ({
        type: at % 2 === 0 ? ("message.sent" as const) : ("message.delivered" as const),
        mode: "test" as const,
        data: { message_id: `msg_${turn}_${at}`, to: "+14155550100", from: "+14155550101" },
      }));
      await deps.db.tx((tx) => append(deps, tx, owner, events));
      const dueAt = startedAt + (turn + 1) * 100;
      await new Promise((done) => setTimeout(done, Math.max(0, dueAt - performance.now())));
    }
  }
}

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { peakMbOf } from "../bounded-memory.ts";
import { nodeArguments, ROOT } from "../source-process.ts";
import type { Attack } from "./attack.ts";
import type { Met, Order } from "./attack-child.ts";
import type { AttackedStage, Sender } from "./stage.ts";

const CHILD = join(ROOT, "packages/server/testing/attacks/attack-child.ts");
const SENDS_PER_SECOND = 50;
/** Limit that docs/security.md documents. */
export const P99_MS_MAX = 250;
/**
 * Memory limit of all attacks after the first: the allocator returns freed memory late. 506 MB was the most
 * seen.
 */
const PEAK_MB_MAX = 600;

/** Latencies of another account's sends during an attack, and the server's peak memory. */
export interface AttackResult {
  readonly tookMs: readonly number[];
  readonly peakMb: number;
  readonly met: Met;
}

/** Runs an attack while another account sends messages; `meanwhile` runs beside them. */
export async function runAttack<T>(
  { server }: AttackedStage,
  attacker: Attacker,
  attack: Attack,
  times: { readonly seconds: number; readonly warmUpMs: number },
  meanwhile: () => Promise<T>,
): Promise<AttackResult & { meanwhile: T }> {
  await resetPeak(server.pid);
  const { done, met } = await attacker.during(attack.name, async () => {
    await sleep(times.warmUpMs);
    return Promise.all([sendFor(server.sender, times.seconds), meanwhile()]);
  });
  const [tookMs, other] = done;
  const peakMb = await peakMbOf(server.pid);
  assert.ok(peakMb < (attack.peakMbMax ?? PEAK_MB_MAX), `the server took ${peakMb} MB`);
  return { tookMs, peakMb, met, meanwhile: other };
}

/** An attack that the edge refuses, or that nobody notices, proves nothing. */
export function assertMet({ meets, meetsOnly }: Attack, met: Met): void {
  const seen = JSON.stringify(met);
  for (const status of meets) assert.ok(met[status], `no response was ${status}: ${seen}`);
  const others = Object.keys(met).filter((status) => !meets.includes(Number(status)));
  if (meetsOnly) assert.deepEqual(others, [], seen);
}

/** Sends at a steady rate and returns the latencies, sorted ascending. */
export async function sendFor({ url, key, from }: Sender, seconds: number): Promise<number[]> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ to: "+15005550000", from, body: "Hello" });
  const begun = performance.now();
  const sends = Array.from({ length: SENDS_PER_SECOND * seconds }, async (_, index) => {
    const dueMs = begun + (index * 1_000) / SENDS_PER_SECOND;
    await sleep(Math.max(0, dueMs - performance.now()));
    const answer = await fetch(`${url}/v1/messages`, { method: "POST", headers, body });
    const text = await answer.text();
    assert.equal(answer.status, 201, text);
    // Measured from the intended start, so that queueing shows in the latency.
    return performance.now() - dueMs;
  });
  return (await Promise.all(sends)).sort((a, b) => a - b);
}

/** Quantile of sorted values. */
export function quantile(tookMs: readonly number[], part: number): number {
  return tookMs[Math.ceil(tookMs.length * part) - 1] ?? 0;
}

export interface Attacker {
  /** Attacks while `work` runs; returns the counts of responses. */
  during<T>(name: string, work: () => Promise<T>): Promise<{ done: T; met: Met }>;
}

/** `isPolite`: runs at low priority, because other tests run at the same time. */
export async function startAttacker(
  t: TestContext,
  { server: { url }, attackerKeys, hostileUrl, visit }: AttackedStage,
  isPolite: boolean,
): Promise<Attacker> {
  const child = await startChild(t, isPolite);
  const order = async (name: string | null) => {
    const reply = once(child, "message");
    child.send({ name, url, keys: attackerKeys, hostileUrl, visit } satisfies Order);
    const [answer] = await reply;
    return answer as Met;
  };
  return {
    async during(name, work) {
      await order(name);
      const callOff = () => {
        assert.equal(child.exitCode, null, `the attacker ended during ${name}`);
        return order(null);
      };
      const done = await work().catch(async (error: unknown) => {
        await callOff();
        throw error;
      });
      return { done, met: await callOff() };
    },
  };
}

async function startChild(t: TestContext, isPolite: boolean): Promise<ChildProcess> {
  const child = spawn(process.execPath, nodeArguments(CHILD), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  await once(child, "message");
  if (isPolite && child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return child;
}

/** Resets the kernel's peak memory counter of the process. */
const resetPeak = (pid: number) => writeFile(`/proc/${pid}/clear_refs`, "5");

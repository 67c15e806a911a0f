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
/** The promises: docs/security.md. */
export const P99_MS_MAX = 250;
/** After whatever came before, because what is freed goes back to the system late: 506 MB was the most seen. */
const PEAK_MB_MAX = 600;

/** What another account saw of an attack, and what it cost in memory. */
export interface Withstood {
  readonly tookMs: readonly number[];
  readonly peakMb: number;
  readonly met: Met;
}

/** An attack while another account sends its texts; whoever measures may do more meanwhile. */
export async function withstand<T>(
  { server }: AttackedStage,
  attacker: Attacker,
  attack: Attack,
  times: { readonly seconds: number; readonly warmUpMs: number },
  meanwhile: () => Promise<T>,
): Promise<Withstood & { meanwhile: T }> {
  await forgetPeak(server.pid);
  const { done, met } = await attacker.during(attack.name, async () => {
    await sleep(times.warmUpMs);
    return Promise.all([sendFor(server.sender, times.seconds), meanwhile()]);
  });
  const [tookMs, other] = done;
  const peakMb = await peakMbOf(server.pid);
  assert.ok(peakMb < (attack.peakMbMax ?? PEAK_MB_MAX), `the server took ${peakMb} MB`);
  return { tookMs, peakMb, met, meanwhile: other };
}

/** Texts at a steady pace: how long each took, the quickest first. */
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
    // From when it was due: a server that keeps the sender waiting does not get away with it.
    return performance.now() - dueMs;
  });
  return (await Promise.all(sends)).sort((a, b) => a - b);
}

/** How long the slowest of that part of them takes. */
export function quantile(tookMs: readonly number[], part: number): number {
  return tookMs[Math.ceil(tookMs.length * part) - 1] ?? 0;
}

export interface Attacker {
  /** Attacks while the work is done, and tells what answers it got. */
  during<T>(name: string, work: () => Promise<T>): Promise<{ done: T; met: Met }>;
}

/** `isPolite`: it yields to everybody else, as it must where other tests run beside this one. */
export async function startAttacker(
  t: TestContext,
  { server: { url }, attackerKeys, trapUrl, visit }: AttackedStage,
  isPolite: boolean,
): Promise<Attacker> {
  const child = await startChild(t, isPolite);
  const order = async (name: string | null) => {
    const heard = once(child, "message");
    child.send({ name, url, keys: attackerKeys, trapUrl, visit } satisfies Order);
    const [answer] = await heard;
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

/** From here on the kernel tells the most memory that the process held since now. */
const forgetPeak = (pid: number) => writeFile(`/proc/${pid}/clear_refs`, "5");

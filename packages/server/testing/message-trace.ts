import { Session } from "node:inspector/promises";
import { dirname, relative } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { lanes } from "../src/app/lanes.ts";
import { giveNumber } from "./give-number.ts";
import { createHook, LOCAL_TARGETS, startHookReceiver } from "./hook-receiver.ts";
import { startKit } from "./kit.ts";
import { goLive } from "./live.ts";
import { createTestCarrier } from "./test-carrier.ts";

const PACKAGES = fileURLToPath(new URL("../..", import.meta.url));
/** File that runs in tests only. */
const TEST_ONLY_FILE = "server/src/core/db/schema/shard-check.ts";
const FROM = "+14155550100";
const TO = "+14155552671";
/** Lanes that a message passes; others would only poll. */
const LANES_OF_MESSAGES = /^(messages|carrier_receipts|webhooks)$/;
/** Messages sent before the traced one, so that all database connections are open. */
const WARM_UP_MESSAGES = 5;

/**
 * Traces one live message from the request to the webhook of its delivery. Returns the source files below
 * `packages` of which a function ran. Warm caches, open connections and unrelated work are the same in every
 * run.
 */
export async function traceOneMessage(t: TestContext): Promise<string[]> {
  const carrier = createTestCarrier();
  const kit = await startKit(t, LOCAL_TARGETS, {
    carriers: carrier,
    lanes: lanes.filter((lane) => LANES_OF_MESSAGES.test(lane.name)),
  });
  await goLive(kit);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const receiver = await startHookReceiver(t);
  await createHook(kit, receiver.url("/in"), { events: ["message.delivered"] });
  let delivered = 0;
  const sendOne = async () => {
    const body = { to: TO, from: FROM, body: "From the request to the webhook" };
    const answer = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    await carrier.sink().receipt({
      carrier: "test-link",
      reference: `ref-${carrier.submitted.length}`,
      state: "delivered",
      carrierCode: null,
      raw: "",
    });
    delivered += 1;
    await receiver.got("/in", delivered);
  };
  for (let before = 0; before < WARM_UP_MESSAGES; before += 1) await sendOne();
  return filesCalledIn(sendOne);
}

/** Source files with at least one function called during the work. */
async function filesCalledIn(work: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result
    .filter(({ url, functions }) => {
      const [whole, ...inner] = functions;
      return url.startsWith("file:") && whole !== undefined && inner.some(isCalled);
    })
    .map(({ url }) => relative(PACKAGES, fileURLToPath(url)))
    .filter((path) => /^(contract|server)\/src\//.test(path) && path !== TEST_ONLY_FILE)
    .sort();
}

const isCalled = ({ ranges }: { ranges: { count: number }[] }) => (ranges[0]?.count ?? 0) > 0;

/** Number of files per folder. */
export function countByFolder(files: readonly string[]): [folder: string, files: number][] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

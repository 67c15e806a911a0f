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
/** Looks at statements in tests only. */
const NOT_OF_THE_SERVER = "server/src/db/shard-check.ts";
const FROM = "+14155550100";
const TO = "+14155552671";
/** Sources of due work that a text meets; the others would only look whether there is any. */
const ON_THE_WAY = /^(messages|carrier_receipts|webhooks)$/;
/** Until then every connection to the database is open that texts use in turn. */
const WALKS_BEFORE = 5;

/**
 * Follows one live text from the request to the webhook that tells of its delivery, and answers the
 * source files of which a function ran meanwhile, below `packages`. What is there before (caches, open
 * connections) and what runs without it are the same in every walk.
 */
export async function walkOfOneText(t: TestContext): Promise<string[]> {
  const carrier = createTestCarrier();
  const kit = await startKit(t, LOCAL_TARGETS, {
    carriers: carrier,
    lanes: lanes.filter((lane) => ON_THE_WAY.test(lane.name)),
  });
  await goLive(kit);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const receiver = await startHookReceiver(t);
  await createHook(kit, receiver.url("/in"), { events: ["message.delivered"] });
  let delivered = 0;
  const walk = async () => {
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
  for (let before = 0; before < WALKS_BEFORE; before += 1) await walk();
  return filesCalledIn(walk);
}

/** The files of ours of which at least one function is called while the work is done. */
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
    .filter((path) => /^(contract|server)\/src\//.test(path) && path !== NOT_OF_THE_SERVER)
    .sort();
}

const isCalled = ({ ranges }: { ranges: { count: number }[] }) => (ranges[0]?.count ?? 0) > 0;

/** How many files of each folder. */
export function byFolder(files: readonly string[]): [folder: string, files: number][] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

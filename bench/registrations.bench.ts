import { monitorEventLoopDelay } from "node:perf_hooks";
import pg from "pg";
import { createOutgoing } from "../packages/server/src/core/platform/outgoing/index.ts";
import { parseAllowTargets } from "../packages/server/src/core/platform/outgoing/targets.ts";
import { createWebsiteChecker } from "../packages/server/src/network/registrations/index.ts";
import { DENTIST } from "../packages/server/testing/sites/businesses.ts";
import { scoreCorpus } from "../packages/server/testing/sites/score.ts";
import { type Check, type Contender, defineBench } from "./define.ts";
import { sandboxSending } from "./message-load.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";

const HANGING = 20;
const CHECKS = 500;
const WARM_UP_CHECKS = 100;
const AT_ONCE = 5;
const MEMORY_CHANGE_MAX = 0.2;
const LOOP_BLOCKED_MS_MAX = 50;
const LARGE_CHECKS = 10;
const CORPUS_ROUNDS = 5;
const CORPUS_PER_SECOND_MIN = 100;
const MB = 1024 * 1024;

/** Website checks: their cost for other requests, and their own. */
export const bench = defineBench({
  title: "Website checks",
  async rows(stage) {
    const { server, site } = await checkingServer(stage);
    const plain = sandboxSending(stage, server, "POST /v1/messages alone");
    const beside: Contender = {
      name: `POST /v1/messages, ${HANGING} hanging websites`,
      async measure() {
        const load = sandboxSending(stage, server, "beside").measure();
        const stop = keepHanging(server, site);
        const measured = await load;
        await stop();
        return measured;
      },
    };
    return [{ ours: beside, other: plain, floor: 0.95 }];
  },
  async checks(stage) {
    const { server, site } = await checkingServer(stage);
    return [await loopBlocked(site), await memoryGrowth(server, site), await corpusRate()];
  },
});

async function checkingServer(stage: Stage): Promise<{ server: Server; site: string }> {
  const site = await stage.script("websites.ts", null);
  const target = new URL(site).host;
  const server = await stage.server({ LOG_LEVEL: "error", LONGWAVE_ALLOW_TARGETS: target });
  return { server, site };
}

function registration(website: string) {
  return { business_name: DENTIST.name, website, use_case: "account_notification" };
}

/** Keeps checks of hanging websites running; the result stops them. */
function keepHanging(server: Server, site: string): () => Promise<unknown> {
  let isOver = false;
  const url = `${site}/hang`;
  const body = { ...registration(url), privacy_url: url, terms_url: url, opt_in_url: url };
  const again = async () => {
    while (!isOver) {
      await server
        .request("POST", "/v1/registrations", { body })
        .catch(() => resetCheckLimit(server));
    }
  };
  const all = Promise.all(Array.from({ length: HANGING }, again));
  return async () => {
    isOver = true;
    await all;
  };
}

/** Resets the hourly limit of 30 checks per account. */
async function resetCheckLimit(server: Server): Promise<void> {
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query("delete from registration_checks");
  await client.end();
}

/** Longest block of the event loop in a process that checks pages of 1 MiB. */
async function loopBlocked(site: string): Promise<Check> {
  const now = () => performance.now();
  const allowTargets = parseAllowTargets(new URL(site).host);
  const outgoing = createOutgoing({ now, userAgent: "bench", allowTargets });
  const checker = createWebsiteChecker({ outgoing, now });
  const addresses = {
    website: `${site}/large/`,
    privacyUrl: `${site}/large/privacy.html`,
    termsUrl: `${site}/large/terms.html`,
    optInUrl: `${site}/large/sms.html`,
  };
  const subject = {
    businessName: DENTIST.name,
    website: addresses.website,
    useCase: "account_notification" as const,
    brand: {},
  };
  await checker.check(addresses, subject);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let count = 0; count < LARGE_CHECKS; count += 1) await checker.check(addresses, subject);
  delay.disable();
  await checker.close();
  await outgoing.close();
  const blockedMs = delay.percentile(99.9) / 1_000_000;
  return {
    name: `Event loop blocked while ${LARGE_CHECKS * 4} pages of 1 MiB are checked (p99.9)`,
    measured: `${blockedMs.toFixed(1)} ms`,
    limit: `< ${LOOP_BLOCKED_MS_MAX} ms`,
    holds: blockedMs < LOOP_BLOCKED_MS_MAX,
  };
}

async function memoryGrowth(server: Server, site: string): Promise<Check> {
  const checkMany = async (count: number) => {
    for (let done = 0; done < count; done += AT_ONCE) {
      if (done % 25 === 0) await resetCheckLimit(server);
      await Promise.all(
        Array.from({ length: AT_ONCE }, () =>
          server.request("POST", "/v1/registrations", { body: registration(`${site}/`) }),
        ),
      );
    }
  };
  const resident = () => server.metric("process_resident_memory_bytes");
  await checkMany(WARM_UP_CHECKS);
  const before = await resident();
  await checkMany(CHECKS);
  const after = await resident();
  const change = after / before - 1;
  return {
    name: `Resident memory over ${CHECKS} checks`,
    measured: `${(before / MB).toFixed(0)} → ${(after / MB).toFixed(0)} MB, ${(change * 100).toFixed(0)} %`,
    limit: `±${MEMORY_CHANGE_MAX * 100} %`,
    holds: Math.abs(change) <= MEMORY_CHANGE_MAX,
  };
}

async function corpusRate(): Promise<Check> {
  let best = 0;
  for (let round = 0; round < CORPUS_ROUNDS; round += 1) {
    const { sites, ms } = await scoreCorpus();
    best = Math.max(best, (sites.length / ms) * 1_000);
  }
  return {
    name: "The rules over the whole corpus, offline",
    measured: `${best.toFixed(0)} sites/s`,
    limit: `≥ ${CORPUS_PER_SECOND_MIN} sites/s`,
    holds: best >= CORPUS_PER_SECOND_MIN,
  };
}

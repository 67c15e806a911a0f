import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startDnsServer } from "../testing/dns-server.ts";
import {
  createTestOutgoing,
  PUBLIC_ADDRESS,
  type Receiver,
  startListener,
  startReceiver,
} from "../testing/fake-internet.ts";
import { createHook, emit, log } from "../testing/hook-receiver.ts";
import { type Kit, startKit } from "../testing/kit.ts";
import { DENTIST } from "../testing/sites/businesses.ts";
import { compliantSite } from "../testing/sites/template.ts";
import { until } from "../testing/until.ts";

/**
 * A server that resolves names through the attacker's DNS server: a name has a public address when it is
 * checked, and a private one, with the same port, when it is used.
 */
interface Stage {
  readonly kit: Kit;
  readonly port: number;
  /** Listener on the private address; a connection means that the attack succeeded. */
  readonly inside: Receiver;
  /** Request paths at the public address. */
  readonly paths: string[];
  setPrivate(isNowPrivate: boolean): void;
}

/**
 * Starts the stage. The public server has these pages and 204 for other paths; serving the first page makes
 * the name private.
 */
async function setStage(t: TestContext, pages: Record<string, string>): Promise<Stage> {
  const paths: string[] = [];
  let isPrivate = false;
  const dns = await startDnsServer(t, ({ type }) => {
    const address = isPrivate ? "127.0.0.1" : PUBLIC_ADDRESS;
    return { addresses: type === "A" ? [address] : [], ttlSeconds: 0 };
  });
  const outside = await startReceiver(t, (request, response) => {
    request.resume();
    paths.push(request.url ?? "");
    const html = pages[request.url ?? ""];
    if (html !== undefined) isPrivate = true;
    response.writeHead(html === undefined ? 204 : 200, { "content-type": "text/html" }).end(html);
  });
  const { port } = outside;
  const inside = await startListener(t, (socket) => socket.destroy(), {
    address: "127.0.0.1",
    port,
  });
  const outgoing = createTestOutgoing(t, { dnsServers: [dns.address] });
  const kit = await startKit(t, {}, { outgoing });
  return {
    kit,
    port,
    inside,
    paths,
    setPrivate: (isNowPrivate) => {
      isPrivate = isNowPrivate;
    },
  };
}

test("a webhook whose name becomes private after saving connects to nothing and reports only that", async (t) => {
  const { kit, port, inside, paths, setPrivate } = await setStage(t, {});
  await createHook(kit, `https://hook.longwave.test:${port}/in`);
  const logged = async (count: number) => {
    await until(async () => (await log(kit)).length === count);
    const { ok, status_code, error, response_body } = (await log(kit)).at(-1);
    return { ok, status_code, error, response_body };
  };
  const refused = { ok: false, status_code: null, error: "blocked", response_body: null };
  await emit(kit);
  assert.equal((await logged(1)).ok, true);

  // The earlier connection is still open, but not reused for a name that has become private.
  setPrivate(true);
  await emit(kit);
  assert.deepEqual(await logged(2), refused);
  const [event] = (await kit.request("GET", "/v1/events?limit=1")).body.data;
  const endpoint_id = (await log(kit))[0].endpoint_id;
  const replayed = await kit.request("POST", `/v1/events/${event.id}/replay`, {
    body: { endpoint_id },
  });
  assert.deepEqual([replayed.status, replayed.body.ok], [200, false]);
  assert.deepEqual(await logged(3), refused);

  setPrivate(false);
  await kit.advance(61);
  assert.equal((await logged(4)).ok, true);
  assert.equal(paths.length, 2);
  assert.equal(inside.connectionCount, 0);
});

test("a website whose name becomes private after its first page is not read further", async (t) => {
  const files = compliantSite(DENTIST);
  const pages = Object.fromEntries(
    Object.entries(files).map(([file, html]) => [file === "index.html" ? "/" : `/${file}`, html]),
  );
  const { kit, port, inside, paths } = await setStage(t, pages);
  const answer = await kit.request("POST", "/v1/registrations", {
    body: {
      business_name: DENTIST.name,
      website: `https://site.longwave.test:${port}/`,
      use_case: DENTIST.useCase,
      sample_messages: DENTIST.samples,
    },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  assert.equal(answer.body.status, "checks_failed");
  const { website, privacy, terms } = answer.body.check.urls;
  assert.equal(website.status, 200);
  assert.deepEqual([privacy.status, terms.status], [null, null]);
  assert.deepEqual(paths, ["/"]);
  assert.equal(inside.connectionCount, 0);
});

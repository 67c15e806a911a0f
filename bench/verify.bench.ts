import { defineBench } from "./define.ts";
import type { Server } from "./server.ts";

const CONNECTIONS = 64;
const FROM = "+14155550123";
/** Enough phones that none is texted more often than it may be. */
const PHONES = 60_000;
const CHECKED_PHONES = 2_000;
/** Every rule counts and decides, and lets the load through. */
const RULES = '{"record_only":true}';

/** Codes sent and checked, against texts sent by the same server in the same run. */
export const bench = defineBench({
  title: "Verification",
  async rows(stage) {
    const server = await stage.server({ LONGWAVE_VERIFY_RULES: RULES });
    const headers = { authorization: `Bearer ${server.testKey}` };
    await post(server, "/v1/numbers", { phone_number: FROM });
    const checked = Array.from({ length: CHECKED_PHONES }, (_, index) => phoneAt(212, index));
    await startAll(server, checked);
    const load = (name: string, path: string, bodies: readonly string[], status: number) =>
      stage.load({
        name,
        url: `${server.url}${path}`,
        method: "POST",
        headers,
        bodies,
        connections: CONNECTIONS,
        statuses: [status],
      });
    const text = JSON.stringify({ from: FROM, to: "+14155552671", body: "Your table is ready." });
    const starts = Array.from({ length: PHONES }, (_, index) =>
      JSON.stringify({ phone: phoneAt(415, index), app_name: "Acme" }),
    );
    const checks = checked.map((phone) => JSON.stringify({ phone, code: "000000" }));
    const messages = () => load("POST /v1/messages", "/v1/messages", [text], 201);
    return [
      { ours: load("POST /v1/verify", "/v1/verify", starts, 201), other: messages(), floor: 0.5 },
      {
        ours: load("POST /v1/verify/check", "/v1/verify/check", checks, 200),
        other: messages(),
        floor: 0.8,
      },
    ];
  },
});

/** Phones spread over the exchanges of an area code. */
function phoneAt(area: number, index: number): string {
  const exchange = 220 + (index % 690);
  const line = Math.floor(index / 690);
  const isServiceCode = exchange % 100 === 11 || exchange === 976;
  return `+1${area}${isServiceCode ? exchange + 1 : exchange}${String(line * 13 + (isServiceCode ? 7 : 0)).padStart(4, "0")}`;
}

async function startAll(server: Server, phones: readonly string[]): Promise<void> {
  const waiting = [...phones];
  const runOne = async () => {
    for (let phone = waiting.pop(); phone !== undefined; phone = waiting.pop()) {
      await post(server, "/v1/verify", { phone });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, runOne));
}

async function post(server: Server, path: string, body: object): Promise<void> {
  const answer = await fetch(server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${server.testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

import { defineBench } from "./define.ts";
import { phoneAt, storeVerifications } from "./stored-verifications.ts";

const CONNECTIONS = 64;
const FROM = "+14155550123";
/** Number of phones, so that none exceeds its limit. */
const PHONES = 60_000;
/** Number of phones, so that most checks compare a code: a verification ends after five checks. */
const CHECKED_PHONES = 60_000;
/** All rules count and decide, but refuse nothing. */
const RULES = '{"record_only":true}';

/** Starting and checking verifications, against sends of the same server in the same run. */
export const bench = defineBench({
  title: "Verification",
  async rows(stage) {
    const server = await stage.server({ LONGWAVE_VERIFY_RULES: RULES });
    const headers = { authorization: `Bearer ${server.testKey}` };
    const bought = await fetch(`${server.url}/v1/numbers`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ phone_number: FROM }),
    });
    if (bought.status !== 201) throw new Error(`${bought.status} ${await bought.text()}`);
    await storeVerifications(server, [212], CHECKED_PHONES);
    const load = (name: string, path: string, bodies: readonly string[], status: number) =>
      stage.load({
        name,
        url: `${server.url}${path}`,
        method: "POST",
        headers,
        bodies,
        connections: CONNECTIONS,
        statuses: [status],
        server,
      });
    const text = JSON.stringify({ from: FROM, to: "+14155552671", body: "Your table is ready." });
    const starts = Array.from({ length: PHONES }, (_, index) =>
      JSON.stringify({ phone: phoneAt(415, index), app_name: "Acme" }),
    );
    const checks = Array.from({ length: CHECKED_PHONES }, (_, index) =>
      JSON.stringify({ phone: phoneAt(212, index), code: "000000" }),
    );
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

import { defineBench } from "./define.ts";
import { phoneAt, storeVerifications } from "./stored-verifications.ts";

const CONNECTIONS = 64;
const FROM = "+14155550123";
/** Enough phones that none is texted more often than it may be. */
const PHONES = 60_000;
/** Enough that most checks look at a code: after five of them a verification has ended. */
const CHECKED_PHONES = 60_000;
/** Every rule counts and decides, and lets the load through. */
const RULES = '{"record_only":true}';

/** Codes sent and checked, against texts sent by the same server in the same run. */
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

import { defineBench } from "./define.ts";
import { phoneAt, storeVerifications } from "./stored-verifications.ts";

const CONNECTIONS = 64;
const STORED = 1_000_000;
/** Area codes. The load uses phones of the first; its exchanges are filled like the others. */
const AREAS = [415, 212, 305, 713, 206, 312, 404, 602, 503, 617];
const PHONES = 60_000;
const RULES = '{"record_only":true}';

/** Starting verifications with a million stored and with none: no rule may slow down with volume. */
export const bench = defineBench({
  title: "Verification, a million stored",
  async rows(stage) {
    const full = await stage.server({ LONGWAVE_VERIFY_RULES: RULES });
    const empty = await stage.server({ LONGWAVE_VERIFY_RULES: RULES });
    await storeVerifications(full, AREAS, STORED);
    // Phones that are not stored yet, so that every request starts a new verification on both.
    const bodies = Array.from({ length: PHONES }, (_, index) => {
      const phone = phoneAt(415, index);
      return JSON.stringify({ phone: `${phone.slice(0, -4)}${9_000 - Number(phone.slice(-4))}` });
    });
    const contender = (name: string, server: typeof full) =>
      stage.load({
        name,
        url: `${server.url}/v1/verify`,
        method: "POST",
        headers: { authorization: `Bearer ${server.testKey}` },
        bodies,
        connections: CONNECTIONS,
        statuses: [201],
      });
    return [
      {
        ours: contender("POST /v1/verify, 1,000,000 stored", full),
        other: contender("POST /v1/verify, none stored", empty),
        floor: 0.8,
      },
    ];
  },
});

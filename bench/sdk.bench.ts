import { type Message, routes } from "@longwave/contract";
import { type Contender, defineBench, type Measurement } from "./define.ts";
import { outputOf, startScript } from "./processes.ts";
import type { SdkCalls } from "./sdk-calls.ts";

const IN_FLIGHT = 64;
const CALLS = 4_000;

/** What the SDK adds to a fetch: keys, deadlines, retries, typed errors. */
export const bench = defineBench({
  title: "Calling through the SDK",
  async rows(stage) {
    const url = await stage.bareFastify({
      method: "POST",
      path: "/v1/messages",
      schema: routes["messages.send"].answers[202],
      body: EXAMPLE,
    });
    return [
      {
        ours: caller(`messages.send, ${IN_FLIGHT} in flight`, { url, by: "sdk" }),
        other: caller("fetch, the same request", { url, by: "fetch" }),
        floor: 0.9,
      },
    ];
  },
});

function caller(name: string, what: Pick<SdkCalls, "url" | "by">): Contender {
  const calls: SdkCalls = { ...what, inFlight: IN_FLIGHT, count: CALLS };
  return {
    name,
    measure: async () =>
      JSON.parse(await outputOf(startScript("sdk-calls.ts", calls))) as Measurement,
  };
}

/** A message as the server answers it; with a field missing the other server would answer 500. */
const EXAMPLE: Message = {
  id: "msg_01jd0000000000000000000000",
  object: "message",
  status: "sent",
  direction: "outbound",
  from: "+15005550100",
  to: "+15005550000",
  body: "Your table is ready.",
  segments: 1,
  encoding: "gsm7",
  smart_encoded: false,
  price: 0,
  simulated: true,
  auto_reply: false,
  customer_id: null,
  pool_id: null,
  batch_id: null,
  scheduled_message_id: null,
  next_attempt_at: null,
  valid_for: null,
  failure: null,
  carrier: null,
  created_at: "2026-11-15T09:30:00.000Z",
  sent_at: "2026-11-15T09:30:00.000Z",
  delivered_at: null,
  failed_at: null,
};

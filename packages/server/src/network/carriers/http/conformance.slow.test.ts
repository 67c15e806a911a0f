import assert from "node:assert/strict";
import { testCarrier } from "../../../../testing/carrier-conformance.ts";
import type { BroughtReceipt, CarrierPeer, PeerAnswer } from "../../../../testing/carrier-stage.ts";
import {
  type AskedFor,
  aggregatorEntry,
  answer,
  startAggregator,
} from "../../../../testing/mock-aggregator.ts";
import { carriersFile } from "../../../../testing/smpp-stage.ts";

const WINDOW = 4;
/** Longer than a submit takes, so that the window fills. */
const ANSWER_MS = 20;
const LINK = "aggregator";
const OTHER_LINK = "other-aggregator";
const WORDS = { delivered: "delivered", failed: "undelivered", intermediate: "enroute" };

testCarrier("http", async (lifetime): Promise<CarrierPeer> => {
  const aggregator = await startAggregator(lifetime);
  const answers = new Map<string, PeerAnswer>();
  const bring = async (path: string, body: object) => (await aggregator.call(path, body)) === 200;
  const bringReceipt = (link: string, { reference, ourReference, state, raw }: BroughtReceipt) =>
    bring(`/callbacks/${link}/receipts`, {
      id: reference,
      status: WORDS[state],
      error: "7",
      note: raw,
      ...(ourReference ? { client_ref: ourReference } : {}),
    });
  const behave = async (asked: AskedFor, way: PeerAnswer): Promise<[number, object] | null> => {
    const isBusy = way === "always_busy" || (way === "busy_once" && asked.earlier === 0);
    if (way === "no_answer") return null;
    if (way === "refuse") return [400, { error: { code: "bad_number" } }];
    if (isBusy) return [503, { error: { code: "busy" } }];
    if (way === "accept_after_receipt") {
      const early = { reference: asked.id, state: "delivered", raw: "early" } as const;
      assert.ok(await bringReceipt(LINK, early));
    }
    return [200, { messages: [{ id: asked.id, status: "queued" }] }];
  };
  aggregator.behave = (response, asked) => {
    setTimeout(async () => {
      const said = await behave(asked, answers.get(asked.body.to) ?? "accept");
      if (said) answer(response, ...said);
      // As unknown as an answer that never comes (http.test.ts), without the wait.
      else response.socket?.destroy();
    }, ANSWER_MS);
  };
  const entry = { window: WINDOW };
  const file = await carriersFile(lifetime, [
    aggregatorEntry(aggregator, { ...entry, name: LINK }),
    aggregatorEntry(aggregator, {
      ...entry,
      name: OTHER_LINK,
      priority: 20,
      numbers: ["+12025550199"],
    }),
  ]);
  let phones = 0;

  return {
    env: { LONGWAVE_CARRIERS: file },
    link: LINK,
    window: WINDOW,
    onStarted(url) {
      aggregator.server = url;
    },
    phoneThatAnswers(way) {
      phones += 1;
      const phone = `+1415555${6_000 + phones}`;
      answers.set(phone, way);
      return phone;
    },
    brings: {
      echoesOurReference: true,
      referenceOf(phone) {
        const asked = aggregator.asked.findLast((one) => one.body.to === phone);
        assert.ok(asked, "the aggregator was asked");
        return asked.id;
      },
      receipt: (receipt) => bringReceipt(LINK, receipt),
      foreignReceipt: (receipt) => bringReceipt(OTHER_LINK, receipt),
      inbound: ({ reference, from, to, body }) =>
        bring(`/callbacks/${LINK}/inbound`, { id: reference, from, to, text: body }),
    },
  };
});

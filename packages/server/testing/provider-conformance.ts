import type { DoubleFailure } from "../src/network/carriers/doubles/index.ts";
import { testCarrier } from "./carrier-conformance.ts";
import type { BroughtReceipt, CarrierPeer, PeerAnswer } from "./carrier-stage.ts";
import { FROM } from "./carrier-stage.ts";
import { PUBLIC_URL, startDouble } from "./provider-double.ts";

const WINDOW = 4;
const ANSWER_SECONDS = 2;
const SCRIPTS = {
  accept: { answer: "accept", failure: null },
  accept_after_receipt: { answer: "accept", failure: null, receipts: "early" },
  busy_once: { answer: "unavailable", times: 1 },
  always_busy: { answer: "unavailable", times: Infinity },
  refuse: { answer: "refuse", failure: "invalid_number" },
  no_answer: { answer: "lost", isAccepted: false },
} as const;

export interface ConformanceOptions {
  /** Way in which receipts carry our reference; null where they do not. */
  readonly echo: "field" | "query" | null;
}

/** Runs the conformance suite of carriers with a preset, against the double of its provider. */
export function testProvider(type: string, { echo }: ConformanceOptions): void {
  testCarrier(type, async (lifetime): Promise<CarrierPeer> => {
    const common = { window: WINDOW, answer_seconds: ANSWER_SECONDS };
    const other = `other-${type}`;
    const { double, file, urlOf } = await startDouble(lifetime, type, [
      { ...common, name: type, numbers: [FROM] },
      { ...common, name: other, numbers: ["+12025550199"] },
    ]);
    const receiptVia = async (name: string, brought: BroughtReceipt): Promise<boolean> => {
      const { reference, ourReference = null, state, raw } = brought;
      const known = double.messages.find((one) => one.ids.includes(reference ?? ""));
      const url = urlOf(name, "receipts");
      const isInQuery = echo === "query" && ourReference !== null;
      const failure: DoubleFailure | null = state === "failed" ? "unreachable" : null;
      const receipt = {
        id: reference ?? "",
        from: known?.from ?? FROM,
        to: known?.to ?? "+14155552671",
        reference: ourReference,
        state: state === "intermediate" ? ("sent" as const) : state,
        failure,
        note: raw,
      };
      const status = await double.bringReceipt(
        receipt,
        isInQuery ? `${url}?ref=${ourReference}` : url,
      );
      return status === 200;
    };
    let phones = 0;
    return {
      env: { LONGWAVE_CARRIERS: file, LONGWAVE_PUBLIC_URL: PUBLIC_URL },
      link: type,
      window: WINDOW,
      onStarted(url) {
        double.callbackOrigin = url;
      },
      phoneThatAnswers(answer: PeerAnswer) {
        phones += 1;
        const phone = `+1415555${6_000 + phones}`;
        double.scripts.set(phone, SCRIPTS[answer]);
        return phone;
      },
      brings: {
        echoesOurReference: echo !== null,
        referenceOf: (phone) => double.messageTo(phone)?.ids[0] ?? "",
        receipt: (receipt) => receiptVia(type, receipt),
        foreignReceipt: (receipt) => receiptVia(other, receipt),
        async inbound({ reference, from, to, body }) {
          return (await double.bringInbound({ id: reference, from, to, body })) === 200;
        },
      },
    };
  });
}

import { DOUBLE_FAILURES, type DoubleFailure } from "./double.ts";

/** Treatment of the messages to one phone. */
export type PhoneScript =
  | {
      readonly answer: "accept";
      /** Final receipt; null for delivered. */
      readonly failure: DoubleFailure | null;
      readonly receipts?: "early" | "twice" | "reordered" | "late";
    }
  | { readonly answer: "refuse"; readonly failure: DoubleFailure }
  /** Throttled or unavailable for the first requests, then accepted. */
  | { readonly answer: "throttle" | "unavailable"; readonly times: number }
  /** The connection breaks instead of an answer; the message may have been accepted. */
  | { readonly answer: "lost"; readonly isAccepted: boolean };

interface Scripted {
  readonly script: PhoneScript;
  readonly does: string;
}

const FIRST_RECEIPT = 1;
const FIRST_REFUSAL = 11;

/** Scripts by the last four digits of the phone. */
export const SCRIPTS: ReadonlyMap<string, Scripted> = new Map<string, Scripted>([
  ...DOUBLE_FAILURES.map((failure, index): [string, Scripted] => [
    `90${String(FIRST_RECEIPT + index).padStart(2, "0")}`,
    { script: { answer: "accept", failure }, does: `accepted, then the receipt says ${failure}` },
  ]),
  ...DOUBLE_FAILURES.map((failure, index): [string, Scripted] => [
    `90${String(FIRST_REFUSAL + index)}`,
    { script: { answer: "refuse", failure }, does: `refused as ${failure}, where the API does so` },
  ]),
  ["9020", { script: { answer: "throttle", times: 1 }, does: "throttled once" }],
  ["9021", { script: { answer: "unavailable", times: 1 }, does: "unavailable once" }],
  ["9022", { script: { answer: "unavailable", times: Infinity }, does: "always unavailable" }],
  ["9023", { script: { answer: "lost", isAccepted: false }, does: "no answer, not accepted" }],
  ["9024", { script: { answer: "lost", isAccepted: true }, does: "no answer, but accepted" }],
  [
    "9025",
    {
      script: { answer: "accept", failure: null, receipts: "early" },
      does: "receipt before the answer",
    },
  ],
  [
    "9026",
    { script: { answer: "accept", failure: null, receipts: "twice" }, does: "every receipt twice" },
  ],
  [
    "9027",
    {
      script: { answer: "accept", failure: null, receipts: "reordered" },
      does: "delivered, then sent",
    },
  ],
  [
    "9028",
    {
      script: { answer: "accept", failure: null, receipts: "late" },
      does: "receipts after ten seconds",
    },
  ],
]);

export function scriptOf(phone: string): PhoneScript {
  return SCRIPTS.get(phone.slice(-4))?.script ?? { answer: "accept", failure: null };
}

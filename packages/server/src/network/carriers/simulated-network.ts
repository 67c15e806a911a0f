import { type FailureCode, SANDBOX_RECEIPT_MS } from "@longwave/contract";

/** What the simulated network does with a text to one number. */
export interface SimulatedOutcome {
  /** On hand-over; `temporary_once` is refused the first time only. */
  readonly handOver: "accept" | "temporary_once" | "temporary_always" | "refuse";
  /** What the receipt says; null: none ever comes. */
  readonly receipt: "delivered" | FailureCode | null;
  readonly receiptDelayMs: number;
  /** What the phone texts back after delivery. */
  readonly reply: "stop" | "echo" | null;
  /** What a lookup says. */
  readonly lineType: "mobile" | "landline";
}

const DELIVERED: SimulatedOutcome = {
  handOver: "accept",
  receipt: "delivered",
  receiptDelayMs: SANDBOX_RECEIPT_MS,
  reply: null,
  lineType: "mobile",
};

/** The test numbers and what each makes happen. Any other number is delivered. */
// biome-ignore format: one number per line, read as a table
const OUTCOMES = new Map<string, SimulatedOutcome>([
  ["+15005550000", DELIVERED],
  ["+15005550001", { ...DELIVERED, receipt: "invalid_number" }],
  ["+15005550002", { ...DELIVERED, handOver: "temporary_once" }],
  ["+15005550003", { ...DELIVERED, handOver: "temporary_always", receipt: null }],
  ["+15005550004", { ...DELIVERED, handOver: "refuse", receipt: null }],
  ["+15005550005", { ...DELIVERED, receipt: null }],
  ["+15005550006", { ...DELIVERED, receipt: "carrier_filtered" }],
  ["+15005550007", { ...DELIVERED, receipt: "landline", lineType: "landline" }],
  ["+15005550008", { ...DELIVERED, receipt: "unreachable" }],
  ["+15005550009", { ...DELIVERED, receiptDelayMs: 30_000 }],
  ["+15005550010", { ...DELIVERED, reply: "stop" }],
  ["+15005550011", { ...DELIVERED, reply: "echo" }],
]);

export function simulatedOutcome(to: string): SimulatedOutcome {
  return OUTCOMES.get(to) ?? DELIVERED;
}

/** What the simulated network answers to the n-th hand-over of a text. */
export function simulatedHandOver(to: string, attempt: number): "accept" | "temporary" | "refuse" {
  const { handOver } = simulatedOutcome(to);
  if (handOver === "temporary_once") return attempt === 1 ? "temporary" : "accept";
  if (handOver === "temporary_always") return "temporary";
  return handOver;
}

/** Receipts fall due on a common beat, so that under load they are brought by the hundred. */
const RECEIPT_BEAT_MS = 50;

/** When the receipt of a text accepted now falls due, or null when none comes. */
export function simulatedReceiptDueAt(to: string, acceptedAtMs: number): number | null {
  const outcome = simulatedOutcome(to);
  if (outcome.receipt === null) return null;
  return Math.ceil((acceptedAtMs + outcome.receiptDelayMs) / RECEIPT_BEAT_MS) * RECEIPT_BEAT_MS;
}

/** The carrier code a simulated refusal or failure carries. */
export function simulatedCarrierCode(failure: FailureCode | "temporary"): string {
  return failure === "temporary" ? "sim:retry" : `sim:${failure}`;
}

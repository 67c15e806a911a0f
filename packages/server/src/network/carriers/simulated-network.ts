import { type FailureCode, SANDBOX_RECEIPT_MS } from "@longwave/contract";

/** Behaviour of the simulated network for one recipient. */
export interface SimulatedOutcome {
  /** Answer to a submit; `temporary_once` refuses the first attempt only. */
  readonly submit: "accept" | "temporary_once" | "temporary_always" | "refuse";
  /** Result of the receipt; null when none comes. */
  readonly receipt: "delivered" | FailureCode | null;
  readonly receiptDelayMs: number;
  /** Reply of the phone after delivery. */
  readonly reply: "stop" | "echo" | null;
  /** Result of a lookup. */
  readonly lineType: "mobile" | "landline";
}

const DELIVERED: SimulatedOutcome = {
  submit: "accept",
  receipt: "delivered",
  receiptDelayMs: SANDBOX_RECEIPT_MS,
  reply: null,
  lineType: "mobile",
};

/** Test numbers and their outcomes. Messages to any other number are delivered. */
// biome-ignore format: one number per line, read as a table
const OUTCOMES = new Map<string, SimulatedOutcome>([
  ["+15005550000", DELIVERED],
  ["+15005550001", { ...DELIVERED, receipt: "invalid_number" }],
  ["+15005550002", { ...DELIVERED, submit: "temporary_once" }],
  ["+15005550003", { ...DELIVERED, submit: "temporary_always", receipt: null }],
  ["+15005550004", { ...DELIVERED, submit: "refuse", receipt: null }],
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

/** Answer of the simulated network to the n-th attempt of a message. */
export function simulatedSubmit(to: string, attempt: number): "accept" | "temporary" | "refuse" {
  const { submit } = simulatedOutcome(to);
  if (submit === "temporary_once") return attempt === 1 ? "temporary" : "accept";
  if (submit === "temporary_always") return "temporary";
  return submit;
}

/** Receipts fall due at multiples of this step, so that under load they are applied in groups. */
const RECEIPT_STEP_MS = 50;

/** Time at which the receipt of a message accepted now falls due, or null when none comes. */
export function simulatedReceiptDueAt(to: string, acceptedAtMs: number): number | null {
  const outcome = simulatedOutcome(to);
  if (outcome.receipt === null) return null;
  return Math.ceil((acceptedAtMs + outcome.receiptDelayMs) / RECEIPT_STEP_MS) * RECEIPT_STEP_MS;
}

/** Carrier code of a simulated refusal or failure. */
export function simulatedCarrierCode(failure: FailureCode | "temporary"): string {
  return failure === "temporary" ? "sim:retry" : `sim:${failure}`;
}

import type { PduOf } from "../pdu.ts";
import type { ReceiptState } from "../receipt.ts";
import { STATUSES } from "../statuses.ts";

/** Behaviour of the SMSC for one submit_sm: correct, or faulty as carriers can be. */
export interface Behaviour {
  readonly answer:
    | "accept"
    /** Responds with `status`. */
    | "refuse"
    /** Accepts the message and never responds. */
    | "none"
    | "generic_nack"
    /** Sends unbind instead of a response. */
    | "unbind"
    /** Responds with a PDU of an impossible length. */
    | "wrong_length"
    /** Closes the connection without a response. */
    | "drop_line";
  readonly status: number;
  /** Whether the phone gets the message; default true when accepted or left unanswered. */
  readonly isTaken?: boolean;
  readonly answerDelayMs: number;
  readonly receipt: ReceiptBehaviour | null;
  /** Sends this body back from the phone, as if its owner had written it. */
  readonly reply: string | null;
}

export interface ReceiptBehaviour {
  readonly stat: ReceiptState;
  readonly error: string;
  readonly delayMs: number;
  /** Sends the receipt before the response that carries the message id. */
  readonly isBeforeAnswer: boolean;
  /** Number of copies of the receipt. */
  readonly times: number;
  /** Sends an intermediate notification first. */
  readonly hasIntermediate: boolean;
  /** State of a contradicting receipt that follows. */
  readonly contradictedBy?: ReceiptState;
  readonly carriedBy: "text_and_tlvs" | "text" | "tlvs";
  /** Sends the receipt with esm_class 0, like a message from a phone. */
  readonly isPlain: boolean;
  /** Repeats our user_message_reference, as some carriers do. */
  readonly echoesReference: boolean;
  readonly dataCoding: number;
}

/** Spellings of the id in the response and in the receipt. */
export const ID_SPELLINGS = [
  "decimal",
  "hex",
  "hex_dec",
  "dec_hex",
  "padded",
  "upper_lower",
] as const;
export type IdSpelling = (typeof ID_SPELLINGS)[number];

export const DELIVERED: ReceiptBehaviour = {
  stat: "DELIVRD",
  error: "000",
  delayMs: 50,
  isBeforeAnswer: false,
  times: 1,
  hasIntermediate: false,
  carriedBy: "text_and_tlvs",
  isPlain: false,
  echoesReference: true,
  dataCoding: 0,
};

export const ACCEPTED: Behaviour = {
  answer: "accept",
  status: 0,
  answerDelayMs: 0,
  receipt: DELIVERED,
  reply: null,
};

/** A submit_sm as received by the SMSC. */
export interface ReceivedSubmit {
  readonly systemId: string;
  readonly pdu: PduOf<"submit_sm">;
  /** Body decoded with the SMSC's alphabet, without a header. */
  readonly text: string;
  /** Earlier submits to this destination. */
  readonly earlier: number;
}

const refuse = (status: number): Behaviour => ({
  ...ACCEPTED,
  answer: "refuse",
  status,
  receipt: null,
});
const answer = (kind: Behaviour["answer"]): Behaviour => ({
  ...ACCEPTED,
  answer: kind,
  receipt: null,
});
const receipt = (changes: Partial<ReceiptBehaviour>): Behaviour => ({
  ...ACCEPTED,
  receipt: { ...DELIVERED, ...changes },
});

/** Destinations that trigger faults, to try by hand: +1 500 555 and these digits. */
// biome-ignore format: one number per line, read as a table
export const SCRIPTED: Readonly<Record<string, { readonly does: string; readonly behaviour: Behaviour }>> = {
  "9001": { does: "refused: the destination is invalid",      behaviour: refuse(STATUSES.ESME_RINVDSTADR.code) },
  "9002": { does: "throttled, the first time only",           behaviour: refuse(STATUSES.ESME_RTHROTTLED.code) },
  "9003": { does: "always throttled",                         behaviour: refuse(STATUSES.ESME_RTHROTTLED.code) },
  "9004": { does: "its queue is full, the first time only",   behaviour: refuse(STATUSES.ESME_RMSGQFUL.code) },
  "9005": { does: "system error",                             behaviour: refuse(STATUSES.ESME_RSYSERR.code) },
  "9006": { does: "not delivered (UNDELIV, error 005)",       behaviour: receipt({ stat: "UNDELIV", error: "005" }) },
  "9007": { does: "never a receipt",                          behaviour: { ...ACCEPTED, receipt: null } },
  "9008": { does: "the receipt comes before the answer",      behaviour: receipt({ isBeforeAnswer: true }) },
  "9009": { does: "the same receipt three times",             behaviour: receipt({ times: 3 }) },
  "9010": { does: "never answers",                            behaviour: answer("none") },
  "9011": { does: "answers after five seconds",               behaviour: { ...ACCEPTED, answerDelayMs: 5_000 } },
  "9012": { does: "answers with generic_nack",                behaviour: answer("generic_nack") },
  "9013": { does: "unbinds instead of answering",             behaviour: answer("unbind") },
  "9014": { does: "answers with an impossible length",        behaviour: answer("wrong_length") },
  "9015": { does: "drops the line",                           behaviour: answer("drop_line") },
  "9016": { does: "an intermediate receipt, then the final",  behaviour: receipt({ hasIntermediate: true }) },
  "9017": { does: "a receipt in parameters only, no text",    behaviour: receipt({ carriedBy: "tlvs" }) },
  "9018": { does: "a receipt in text only",                   behaviour: receipt({ carriedBy: "text" }) },
  "9019": { does: "a receipt that says data_coding 8",        behaviour: receipt({ dataCoding: 8 }) },
  "9020": { does: "expired",                                  behaviour: receipt({ stat: "EXPIRED", error: "010" }) },
  "9021": { does: "rejected by the network",                  behaviour: receipt({ stat: "REJECTD", error: "088" }) },
  "9022": { does: "a receipt that comes as a text",           behaviour: receipt({ isPlain: true, carriedBy: "text" }) },
};

const FIRST_TIME_ONLY = new Set(["9002", "9004"]);
const SCRIPTED_NUMBER = /^\+?1500555(\d{4})$/;
/** The phone echoes a message with this prefix, without the prefix. */
const REPLY_PREFIX = "MO:";

/** Default behaviour, chosen by the destination and the body. */
export function scriptedBehaviour({ pdu, text, earlier }: ReceivedSubmit): Behaviour {
  const digits = SCRIPTED_NUMBER.exec(pdu.fields.destination_addr)?.[1] ?? "";
  const isOver = FIRST_TIME_ONLY.has(digits) && earlier > 0;
  const behaviour = isOver ? ACCEPTED : (SCRIPTED[digits]?.behaviour ?? ACCEPTED);
  return text.startsWith(REPLY_PREFIX)
    ? { ...behaviour, reply: text.slice(REPLY_PREFIX.length) }
    : behaviour;
}

const PADDED_CHARACTERS = 20;

/** Spells one id for the response and for the receipt. */
export function spellId(id: bigint, spelling: IdSpelling): { response: string; receipt: string } {
  const decimal = id.toString();
  const hex = id.toString(16);
  // biome-ignore format: one spelling per line, read as a table
  const spellings: Record<IdSpelling, { response: string; receipt: string }> = {
    decimal:     { response: decimal, receipt: decimal },
    hex:         { response: hex, receipt: hex },
    hex_dec:     { response: hex, receipt: decimal },
    dec_hex:     { response: decimal, receipt: hex },
    padded:      { response: decimal, receipt: decimal.padStart(PADDED_CHARACTERS, "0") },
    upper_lower: { response: hex.toUpperCase(), receipt: hex },
  };
  return spellings[spelling];
}

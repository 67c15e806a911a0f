import type { PduOf } from "../pdu.ts";
import type { ReceiptState } from "../receipt.ts";
import { STATUSES } from "../statuses.ts";

/** What the SMSC does with one submit_sm: well, or as badly as carriers do. */
export interface Behaviour {
  readonly answer:
    | "accept"
    /** Refuses with `status`. */
    | "refuse"
    /** Takes the message and never answers. */
    | "none"
    | "generic_nack"
    /** Asks to unbind instead of answering. */
    | "unbind"
    /** Answers with a PDU whose length cannot be. */
    | "wrong_length"
    /** Closes the connection without a word. */
    | "drop_line";
  readonly status: number;
  /** Whether the message goes on to the phone all the same; it does when accepted or left unanswered. */
  readonly isTaken?: boolean;
  readonly answerDelayMs: number;
  readonly receipt: ReceiptBehaviour | null;
  /** Sends the text back from the phone, as if its owner had written it. */
  readonly reply: string | null;
}

export interface ReceiptBehaviour {
  readonly stat: ReceiptState;
  readonly error: string;
  readonly delayMs: number;
  /** Sent before the answer that names the message. */
  readonly isBeforeAnswer: boolean;
  /** How often the same receipt comes. */
  readonly times: number;
  /** An intermediate notification comes first. */
  readonly hasIntermediate: boolean;
  /** A receipt that says otherwise comes after it. */
  readonly contradictedBy?: ReceiptState;
  readonly carriedBy: "text_and_tlvs" | "text" | "tlvs";
  /** Comes with esm_class 0, as a text from a phone does. */
  readonly isPlain: boolean;
  /** Repeats our user_message_reference, as some carriers do. */
  readonly echoesReference: boolean;
  readonly dataCoding: number;
}

/** How the id is written in the answer, and in the receipt. */
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

/** A submit_sm as the SMSC took it. */
export interface SubmitSeen {
  readonly systemId: string;
  readonly pdu: PduOf<"submit_sm">;
  /** The text, read with the SMSC's alphabet, without a header. */
  readonly text: string;
  /** How many came for this destination before. */
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

/** Phones that make it misbehave, for trying things out by hand: +1 500 555 and these digits. */
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
/** A text that begins so comes back from the phone without it. */
const REPLY_PREFIX = "MO:";

/** What the SMSC does unless it is told otherwise: by the number, and by the text. */
export function scriptedBehaviour({ pdu, text, earlier }: SubmitSeen): Behaviour {
  const digits = SCRIPTED_NUMBER.exec(pdu.fields.destination_addr)?.[1] ?? "";
  const isOver = FIRST_TIME_ONLY.has(digits) && earlier > 0;
  const behaviour = isOver ? ACCEPTED : (SCRIPTED[digits]?.behaviour ?? ACCEPTED);
  return text.startsWith(REPLY_PREFIX)
    ? { ...behaviour, reply: text.slice(REPLY_PREFIX.length) }
    : behaviour;
}

const PADDED_CHARACTERS = 20;

/** One id in both spellings. */
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

import type { OutgoingResult } from "../../platform/outgoing/index.ts";
import type { AnswerOptions } from "./config.ts";
import {
  ANY_WORD,
  type AnswerMeaning,
  FAILURES_TOLD,
  type FailureTold,
  statusMeaning,
} from "./meanings.ts";
import { parseLoosely, textAt, textsAt } from "./path.ts";

type HttpAnswer = Extract<OutgoingResult, { kind: "answer" }>;

/** What a carrier answered to a text. */
export interface Judged {
  readonly meaning: AnswerMeaning;
  /** What the carrier calls the text. */
  readonly references: readonly string[];
  /** `http:422`, or `http:200:4` with the carrier's own word. */
  readonly carrierCode: string;
}

const WORD_CHARS_MAX = 60;
const REFERENCE_CHARS_MAX = 200;

/**
 * The carrier's own words count before the HTTP status, its error before its state. An answer that
 * says "taken" without the id it should have is no word to rely on: the text is held, and not sent again.
 */
export function judge(answer: HttpAnswer, options: AnswerOptions): Judged {
  const body = answer.truncated ? undefined : parseLoosely(answer.body.toString("utf8"));
  const error = textAt(body, options.error);
  const state = textAt(body, options.status);
  const word = error ?? state;
  const carrierCode = `http:${answer.status}${word === null ? "" : `:${shown(word)}`}`;
  const meaning =
    (error === null ? null : options.errors.get(error)) ??
    (state === null ? null : options.statuses.get(state)) ??
    options.httpStatuses.get(String(answer.status)) ??
    byDefault(answer.status, error, state, options);
  if (meaning !== "accepted" || options.id === null) {
    return { meaning, references: [], carrierCode };
  }
  const references = textsAt(body, options.id).map((id) => id.slice(0, REFERENCE_CHARS_MAX));
  return { meaning: references.length === 0 ? "unknown" : meaning, references, carrierCode };
}

function byDefault(
  status: number,
  error: string | null,
  state: string | null,
  { statuses, errors, status: statePath }: AnswerOptions,
): AnswerMeaning {
  const byStatus = statusMeaning(status);
  if (byStatus !== "accepted") return byStatus;
  if (error !== null) return errors.get(ANY_WORD) ?? "carrier_rejected";
  if (statePath === null) return byStatus;
  return state === null ? "unknown" : (statuses.get(ANY_WORD) ?? "unknown");
}

export function isFailure(meaning: string): meaning is FailureTold {
  return (FAILURES_TOLD as readonly string[]).includes(meaning);
}

/** The carrier's word on one line of ours. */
export function shown(word: string): string {
  return word.replace(/[^\x20-\x7e]/g, "?").slice(0, WORD_CHARS_MAX);
}

import type { OutgoingResult } from "../../../core/platform/outgoing/index.ts";
import type { CarrierCost } from "../carrier.ts";
import type { AnswerCost, AnswerOptions } from "./config.ts";
import { costOf } from "./cost.ts";
import {
  ANY_WORD,
  type AnswerMeaning,
  REPORTED_FAILURES,
  type ReportedFailure,
  statusMeaning,
} from "./meanings.ts";
import { firstStringAt, parseLoosely, stringAt, stringsAt } from "./path.ts";

type HttpAnswer = Extract<OutgoingResult, { kind: "answer" }>;

/** Meaning of a carrier's answer to a submit. */
export interface ClassifiedAnswer {
  readonly meaning: AnswerMeaning;
  /** The carrier's references of the message. */
  readonly references: readonly string[];
  /** `http:422`, or `http:200:4` with the carrier's own code. */
  readonly carrierCode: string;
  readonly cost: CarrierCost | null;
}

const WORD_CHARS_MAX = 60;
const REFERENCE_CHARS_MAX = 200;

/**
 * Precedence: the carrier's error, its state, then the HTTP status, each as listed; then `*` for the
 * error or the state where the HTTP status may concern the message; then the HTTP status alone. An "accepted" answer without
 * the expected id is `unknown`, so the message is not sent again.
 */
export function classifyAnswer(
  answer: HttpAnswer,
  options: AnswerOptions,
  ourReference: string,
): ClassifiedAnswer {
  const body = answer.truncated ? undefined : parseLoosely(answer.body.toString("utf8"));
  const error = firstStringAt(body, options.error);
  const state = stringAt(body, options.status);
  const word = error ?? state;
  const carrierCode = `http:${answer.status}${word === null ? "" : `:${shown(word)}`}`;
  const meaning =
    (error === null ? null : options.errors.get(error)) ??
    (state === null ? null : options.statuses.get(state)) ??
    options.httpStatuses.get(String(answer.status)) ??
    byDefault(answer.status, error, state, options);
  if (meaning !== "accepted" || options.id === null) {
    return { meaning, references: [], carrierCode, cost: null };
  }
  const given = stringsAt(body, options.id).map((id) => id.slice(0, REFERENCE_CHARS_MAX));
  const references = given.length === 0 && options.isReferenceId ? [ourReference] : given;
  const cost = costIn(body, options.cost);
  return { meaning: references.length === 0 ? "unknown" : meaning, references, carrierCode, cost };
}

function costIn(body: unknown, cost: AnswerCost | null): CarrierCost | null {
  if (cost === null) return null;
  const { amounts, unitsPerAmount, currency } = cost;
  const code = "code" in currency ? currency.code : stringAt(body, currency.path);
  return costOf(stringsAt(body, amounts), code, unitsPerAmount);
}

function byDefault(
  status: number,
  error: string | null,
  state: string | null,
  { statuses, errors, status: statePath }: AnswerOptions,
): AnswerMeaning {
  const byStatus = statusMeaning(status);
  const byAnyWord =
    (error === null ? undefined : errors.get(ANY_WORD)) ??
    (state === null ? undefined : statuses.get(ANY_WORD));
  if (byAnyWord !== undefined && mayConcernMessage(status, byStatus)) return byAnyWord;
  if (byStatus !== "accepted") return byStatus;
  if (error !== null) return "carrier_rejected";
  return statePath === null ? byStatus : "unknown";
}

/** Not so: an overloaded or failed server, and a key that is refused. */
function mayConcernMessage(status: number, byStatus: AnswerMeaning): boolean {
  return !["slow_down", "temporary", "unknown"].includes(byStatus) && ![401, 407].includes(status);
}

/** Failure behind a meaning; null when the meaning is no failure. */
export function failureOf(meaning: string): ReportedFailure | null {
  if (meaning === "opted_out") return "recipient_blocked";
  return (REPORTED_FAILURES as readonly string[]).includes(meaning)
    ? (meaning as ReportedFailure)
    : null;
}

/** The carrier's code as one printable line. */
export function shown(word: string): string {
  return word.replace(/[^\x20-\x7e]/g, "?").slice(0, WORD_CHARS_MAX);
}

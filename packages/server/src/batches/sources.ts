import { Problem, type RouteInput } from "@longwave/contract";

type BatchInput = RouteInput<"batches.create">["body"];

/** A row of the batch as it was asked for, before anything is checked. */
export interface SourceRow {
  readonly index: number;
  /** The number as given. */
  readonly to: string;
  readonly variables: Readonly<Record<string, string>>;
}

const SOURCES = ["recipients", "tags", "contact_ids", "segment_id"] as const;
const NO_VARIABLES: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Who a batch goes to. The one place where contacts come in: tags, contact_ids and segment_id each
 * become rows like those of recipients, their variables filled from the contact.
 */
export function sourceRows(input: BatchInput): SourceRow[] {
  const given = SOURCES.filter((source) => input[source] !== undefined);
  const [source, second] = given;
  if (source === undefined) {
    throw new Problem("invalid_request", `Give one of ${SOURCES.join(", ")}.`, {
      param: "recipients",
    });
  }
  if (second !== undefined) {
    throw new Problem("invalid_request", `Give only one of ${given.join(" and ")}.`, {
      param: second,
    });
  }
  if (source !== "recipients") throw notYet(source);
  if (input.topic_id !== undefined) throw notYet("topic_id");
  return (input.recipients ?? []).map(({ to, variables }, index) => ({
    index,
    to,
    variables: variables ?? NO_VARIABLES,
  }));
}

function notYet(field: string): Problem {
  return new Problem(
    "invalid_request",
    `${field} needs contacts, which are not available yet. List the numbers in recipients.`,
    { param: field },
  );
}

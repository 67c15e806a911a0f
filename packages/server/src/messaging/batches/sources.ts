import {
  BATCH_RECIPIENTS_MAX,
  BATCH_SOURCES,
  type Batch,
  type BatchSource,
  contactVariable,
  foldCase,
  Problem,
  type RouteInput,
  type Template,
  templateVariables,
} from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import {
  type Addressee,
  type ContactSelection,
  readAddresseesById,
  readSelectedIds,
} from "../../people/contacts/index.ts";
import { segmentFilter } from "../../people/segments/index.ts";

type BatchInput = RouteInput<"batches.create">["body"];

/** One requested row of a batch, before validation. */
export interface SourceRow {
  readonly index: number;
  /** The number as requested, or the id of an unknown contact. */
  readonly to: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly isUnknown?: true;
}

/** Rows of a batch, a page at a time: contacts are read while the previous page is validated. */
export type SourcePages = AsyncIterable<readonly SourceRow[]>;

const NO_VARIABLES: Readonly<Record<string, string>> = Object.freeze({});
const ROWS_PER_PAGE = 2_500;

/** Name of the one field that chooses the recipients, or 400. */
export function sourceOf(input: BatchInput): BatchSource {
  const given = BATCH_SOURCES.filter((source) => input[source] !== undefined);
  const [source, second] = given;
  if (source === undefined) {
    throw new Problem("invalid_request", `Give one of ${BATCH_SOURCES.join(", ")}.`, {
      param: "recipients",
    });
  }
  if (second === undefined) return source;
  throw new Problem("invalid_request", `Give only one of ${given.join(" and ")}.`, {
    param: second,
  });
}

/** Choice of the recipients, as the batch shows it. */
export function audienceOf(input: BatchInput): Batch["audience"] {
  return {
    source: sourceOf(input),
    segment_id: input.segment_id ?? null,
    tags: input.tags?.map(folded) ?? null,
  };
}

/** Rows of a batch. A contact's row has the body's variables, filled from the contact as it is now. */
export async function sourcePages(
  db: Queryable,
  account: ModedAccount,
  input: BatchInput,
  template: Template,
): Promise<SourcePages> {
  const source = sourceOf(input);
  const names = templateVariables(template);
  switch (source) {
    case "recipients":
      return recipientPages(input.recipients ?? []);
    case "contact_ids":
      return namedPages(db, account, input.contact_ids ?? [], names);
    case "tags":
      return chosenPages(db, account, { tags: (input.tags ?? []).map(folded) }, names, source);
    default: {
      const filter = await segmentFilter(db, account, input.segment_id ?? "");
      return chosenPages(db, account, { filter }, names, source);
    }
  }
}

function folded(tag: string): string {
  return foldCase(tag.trim());
}

async function* recipientPages(
  recipients: NonNullable<BatchInput["recipients"]>,
): AsyncGenerator<readonly SourceRow[]> {
  for (let start = 0; start < recipients.length; start += ROWS_PER_PAGE) {
    const page = recipients.slice(start, start + ROWS_PER_PAGE);
    yield page.map(({ to, variables, metadata }, position) => ({
      index: start + position,
      to,
      variables: variables ?? NO_VARIABLES,
      ...(metadata === undefined ? {} : { metadata }),
    }));
  }
}

/**
 * Contacts that a filter or tags choose, newest first. Refuses more than `BATCH_RECIPIENTS_MAX` before it
 * reads any. Leaves out contacts that are deleted meanwhile.
 */
async function* chosenPages(
  db: Queryable,
  account: ModedAccount,
  choice: ContactSelection,
  names: readonly string[],
  param: BatchSource,
): AsyncGenerator<readonly SourceRow[]> {
  const ids = await readSelectedIds(db, account, choice, BATCH_RECIPIENTS_MAX + 1);
  if (ids.length > BATCH_RECIPIENTS_MAX) throw tooMany(param);
  const pageFrom = (start: number) => ids.slice(start, start + ROWS_PER_PAGE);
  // Prefetches each page while the caller validates the previous one.
  let next = readAddresseesById(db, account, pageFrom(0));
  let index = 0;
  for (let start = 0; start < ids.length; start += ROWS_PER_PAGE) {
    const found = await next;
    next = readAddresseesById(db, account, pageFrom(start + ROWS_PER_PAGE));
    // Prevents an unhandled rejection if the caller stops iterating.
    next.catch(() => {});
    const byId = new Map(found.map((contact) => [contact.id, contact]));
    const contacts = pageFrom(start).flatMap((id) => byId.get(id) ?? []);
    const first = index;
    yield contacts.map((contact, position) => rowOf(first + position, contact, names));
    index += contacts.length;
  }
}

function tooMany(param: BatchSource): Problem {
  const max = BATCH_RECIPIENTS_MAX.toLocaleString("en");
  return new Problem(
    "invalid_request",
    `${param} chooses more than ${max} contacts, and a batch goes to ${max} at most. Narrow it, or send several batches.`,
    { param },
  );
}

/** Contacts by id, in request order; an unknown id is a row with `isUnknown`. */
async function* namedPages(
  db: Queryable,
  account: ModedAccount,
  apiIds: readonly string[],
  names: readonly string[],
): AsyncGenerator<readonly SourceRow[]> {
  for (let start = 0; start < apiIds.length; start += ROWS_PER_PAGE) {
    const named = apiIds.slice(start, start + ROWS_PER_PAGE);
    const ids = named.map((apiId) => fromApiId("contact", apiId));
    const known = ids.filter((id) => id !== null);
    const found = await readAddresseesById(db, account, known);
    const byId = new Map(found.map((contact) => [contact.id, contact]));
    yield named.map((apiId, position): SourceRow => {
      const contact = byId.get(ids[position] ?? "");
      const index = start + position;
      if (contact) return rowOf(index, contact, names);
      return { index, to: apiId, variables: NO_VARIABLES, isUnknown: true };
    });
  }
}

function rowOf(index: number, contact: Addressee, names: readonly string[]): SourceRow {
  const to = contact.phone_number;
  if (names.length === 0) return { index, to, variables: NO_VARIABLES };
  const variables: Record<string, string> = {};
  for (const name of names) {
    const value = contactVariable(contact, name);
    if (value !== undefined) variables[name] = value;
  }
  return { index, to, variables };
}

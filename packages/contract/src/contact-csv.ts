import type { CsvValue } from "./codecs/csv.ts";
import type { Contact } from "./schemas/contact.ts";

/** Columns of exported contacts, in order. */
export const CONTACT_COLUMNS = [
  "id",
  "phone_number",
  "name",
  "email",
  "company",
  "tags",
  "attributes",
  "metadata",
  "opt_in_status",
  "opt_in_date",
  "opt_in_source",
  "opted_out",
  "created_at",
  "updated_at",
] as const;

type ContactCells = Readonly<Record<(typeof CONTACT_COLUMNS)[number], CsvValue>>;

/** Cells of one exported contact: tags separated by semicolons, attributes and metadata as JSON. */
export function contactCells(contact: Contact): ContactCells {
  const { attributes, metadata, opt_in, tags, ...others } = contact;
  return {
    ...others,
    tags: tags.join("; "),
    attributes: jsonOf(attributes),
    metadata: jsonOf(metadata),
    opt_in_status: opt_in?.status ?? null,
    opt_in_date: opt_in?.date ?? null,
    opt_in_source: opt_in?.source ?? null,
  };
}

/** A cell of pairs; empty without any. */
function jsonOf(pairs: Readonly<Record<string, string>>): string | null {
  return Object.keys(pairs).length === 0 ? null : JSON.stringify(pairs);
}

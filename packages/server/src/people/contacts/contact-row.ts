import { type Contact, formatTimestamp, type VariableSource } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";

/** Row of `contacts`. */
export interface ContactRow {
  readonly id: string;
  readonly phone_number: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly company: string | null;
  readonly tags: readonly string[];
  /** Null instead of an empty object. */
  readonly attributes: Readonly<Record<string, string>> | null;
  /** Null instead of an empty object. */
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly opt_in_status: boolean | null;
  readonly opt_in_at: number | null;
  readonly opt_in_source: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Fields of a contact that a message to it uses. */
export type Addressee = VariableSource & Pick<ContactRow, "id" | "phone_number">;

export function presentContact(row: ContactRow, isOptedOut: boolean): Contact {
  return {
    id: toApiId("contact", row.id),
    object: "contact",
    phone_number: row.phone_number,
    name: row.name,
    email: row.email,
    company: row.company,
    tags: [...row.tags],
    attributes: row.attributes ?? {},
    metadata: row.metadata ?? {},
    opt_in:
      row.opt_in_status === null
        ? null
        : {
            status: row.opt_in_status,
            date: row.opt_in_at === null ? null : formatTimestamp(row.opt_in_at),
            source: row.opt_in_source,
          },
    opted_out: isOptedOut,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

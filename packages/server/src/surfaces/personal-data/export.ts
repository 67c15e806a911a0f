import {
  formatTimestamp,
  type Mode,
  PERSONAL_DATA_ROWS_MAX,
  type PersonalData,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { composed, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { optionsOf, type Person, PLACES } from "./places.ts";

/** Columns that say nothing about the person. */
const INTERNAL = ["shard", "account_id"];

/** Everything that the account stores about one phone number in one mode, read place by place without a lock. */
export async function exportPerson(
  deps: Base,
  person: Person & { readonly mode: Mode },
): Promise<PersonalData> {
  const places: PersonalData["places"] = [];
  for (const place of PLACES) {
    const { name, table, exported = place.about } = place;
    const rows = await deps.db.query<{ record: Record<string, unknown> }>(
      composed(
        `export_${table}`,
        sql`select to_jsonb(t) as record from ${raw(table)} t where ${exported(person)} limit ${PERSONAL_DATA_ROWS_MAX + 1}`,
        optionsOf(place),
      ),
    );
    if (rows.length === 0) continue;
    const records = rows
      .slice(0, PERSONAL_DATA_ROWS_MAX)
      .map(({ record }) =>
        Object.fromEntries(
          Object.entries(record).filter(
            ([column, value]) => !INTERNAL.includes(column) && value !== null,
          ),
        ),
      );
    places.push({ place: name, records, has_more: rows.length > PERSONAL_DATA_ROWS_MAX });
  }
  return {
    object: "personal_data",
    phone_number: person.phone,
    exported_at: formatTimestamp(deps.clock.now()),
    places,
  };
}

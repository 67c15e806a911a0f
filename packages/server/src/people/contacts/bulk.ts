import { type ContactBulk, Problem, type RouteInput } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { lockContactRows } from "./find.ts";
import { ContactFault, readTags } from "./read-input.ts";
import { addTags, removeTags } from "./tags.ts";
import { removeContacts } from "./write.ts";

type BulkInput = RouteInput<"contacts.bulk">["body"];

/** POST /contacts/bulk: one action on up to 500 contacts, in one transaction. */
export async function changeInBulk(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  input: BulkInput,
): Promise<ContactBulk> {
  const named = new Set(input.ids);
  const ids = [...named].flatMap((apiId) => fromApiId("contact", apiId) ?? []);
  const applied = await apply(deps, tx, account, input, ids);
  const missing = named.size - applied;
  return { object: "contact_bulk", action: input.action, applied, missing };
}

async function apply(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  input: BulkInput,
  ids: readonly string[],
): Promise<number> {
  try {
    if (input.action === "delete") {
      if (input.tags !== undefined)
        throw tagsProblem("tags go with add_tags and remove_tags only.");
      const rows = await lockContactRows(tx, account, ids);
      const found = rows.map((row) => row.id);
      await removeContacts(tx, account, found);
      return rows.length;
    }
    if (input.tags === undefined) throw tagsProblem(`tags is required with ${input.action}.`);
    const tags = readTags(input.tags);
    const change = input.action === "add_tags" ? addTags : removeTags;
    return await change(deps, tx, account, ids, tags);
  } catch (error) {
    throw error instanceof ContactFault ? tagsProblem(`${error.message}`, error.param) : error;
  }
}

function tagsProblem(message: string, param = "tags"): Problem {
  return new Problem("invalid_request", message, { param });
}

import { foldCase } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { ContactRow } from "./contact-row.ts";
import { lockContactRows } from "./find.ts";
import { addedTags, type ContactState } from "./merge.ts";
import { storeContacts } from "./write.ts";

/**
 * Adds tags to contacts (UUIDs) in the caller's transaction; returns the number of contacts found.
 * Throws a ContactFault if a contact would exceed TAGS_PER_CONTACT_MAX.
 */
export function addTags(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  contactIds: readonly string[],
  tags: readonly string[],
): Promise<number> {
  return changeTags(deps, tx, account, contactIds, (row) => addedTags(row.tags, tags));
}

/** Removes tags, ignoring case, in the caller's transaction; returns the number of contacts found. */
export function removeTags(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  contactIds: readonly string[],
  tags: readonly string[],
): Promise<number> {
  const taken = new Set(tags.map(foldCase));
  return changeTags(deps, tx, account, contactIds, (row) =>
    row.tags.filter((tag) => !taken.has(foldCase(tag))),
  );
}

async function changeTags(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  contactIds: readonly string[],
  change: (row: ContactRow) => readonly string[],
): Promise<number> {
  const rows = await lockContactRows(tx, account, contactIds);
  const changed = rows.flatMap((row) => {
    const tags = change(row);
    const state: ContactState = { ...row, tags };
    return tags.length === row.tags.length ? [] : [{ row, state }];
  });
  await storeContacts(deps, tx, account, changed);
  return rows.length;
}

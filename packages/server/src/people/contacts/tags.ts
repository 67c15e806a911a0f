import { foldCase } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Tx } from "../db/database.ts";
import type { ContactRow } from "./contact-row.ts";
import { lockAll } from "./find.ts";
import { addedTags, type ContactState } from "./merge.ts";
import { storeContacts } from "./write.ts";

/**
 * Adds tags to contacts (by UUID), in the caller's transaction; answers how many of them there are.
 * Throws a ContactFault where one would have more tags than it may.
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

/** Takes tags from contacts, likewise. */
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
  const rows = await lockAll(tx, account, contactIds);
  const changed = rows.flatMap((row) => {
    const tags = change(row);
    const state: ContactState = { ...row, tags };
    return tags.length === row.tags.length ? [] : [{ row, state }];
  });
  await storeContacts(deps, tx, account, changed);
  return rows.length;
}

import type { Batch, BatchRecipient, Longwave } from "@longwave/sdk";
import { type CsvTable, variableName } from "../../csv.ts";
import { type BatchForm, EMPTY_FORM } from "./form.ts";

const PAGE_ITEMS = 500;
const PHONE_COLUMN = "Phone";

/** Draft of a batch with the same text to the same people. */
export async function copyOf(
  batch: Batch,
  batches: Pick<Longwave["batches"], "recipients">,
): Promise<BatchForm> {
  const recipients: BatchRecipient[] = [];
  // A batch has at most 10,000 recipients, so this ends after 20 pages.
  for await (const each of batches.recipients(batch.id, { limit: PAGE_ITEMS })) {
    recipients.push(each);
  }
  const table = tableOf(recipients);
  const { name, from, body } = batch;
  return {
    ...EMPTY_FORM,
    name: name === null ? "" : `${name} (copy)`,
    from,
    body,
    table,
    fileName: table === null ? "" : `People of ${name ?? "the batch"}`,
  };
}

/** The recipients as a file would have them; null if a variable's name is no name of a column. */
export function tableOf(
  recipients: readonly Pick<BatchRecipient, "to" | "variables">[],
): CsvTable | null {
  const names = [...new Set(recipients.flatMap(({ variables }) => Object.keys(variables)))];
  const isNameable = names.every(
    (name) => variableName(name) === name && name !== variableName(PHONE_COLUMN),
  );
  if (recipients.length === 0 || !isNameable) return null;
  return {
    columns: [PHONE_COLUMN, ...names],
    rows: recipients.map(({ to, variables }) => [
      to,
      ...names.map((name) => variables[name] ?? ""),
    ]),
    rowsOverLimit: 0,
  };
}

import { Readable } from "node:stream";
import { csvRow, type RouteInput, WEBHOOK_DELIVERY_COLUMNS } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { EVERY_DELIVERY, endpointFilter, readDeliveries } from "./deliveries.ts";
import { type DeliveryRow, presentDelivery } from "./delivery-row.ts";

const ROWS_PER_READ = 500;

/** The delivery log as CSV, newest first: read part by part, as fast as the client reads. */
export async function exportDeliveries(
  deps: Base,
  caller: ModedCaller,
  query: RouteInput<"exports.webhookDeliveries">["query"],
): Promise<Readable> {
  const endpointId = await endpointFilter(deps.db, caller.account, query.endpoint_id);
  const read = (belowId: string | null) =>
    readDeliveries(deps, caller, { ...EVERY_DELIVERY, endpointId }, belowId, ROWS_PER_READ);
  // The first part is read before the answer starts: an unavailable database is still a 503.
  const first = await read(null);
  return Readable.from(linesOf(first, read, query.ok), { objectMode: false });
}

// Rows that `ok` excludes are read all the same, so that every part costs the same.
async function* linesOf(
  first: readonly DeliveryRow[],
  read: (belowId: string | null) => Promise<readonly DeliveryRow[]>,
  ok: boolean | undefined,
): AsyncGenerator<string> {
  yield csvRow(WEBHOOK_DELIVERY_COLUMNS);
  for (let rows = first; rows.length > 0; rows = await read(rows.at(-1)?.id ?? null)) {
    const shown = rows.filter((row) => ok === undefined || row.ok === ok);
    if (shown.length > 0) yield shown.map(lineOf).join("");
  }
}

function lineOf(row: DeliveryRow): string {
  const entry = presentDelivery(row);
  return csvRow(WEBHOOK_DELIVERY_COLUMNS.map((column) => entry[column]));
}

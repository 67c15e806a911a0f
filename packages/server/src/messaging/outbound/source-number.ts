import { configuredNumberFor } from "../../network/carriers/index.ts";
import type { MessageRow } from "../messages/index.ts";
import type { OutboundDeps } from "./deps.ts";

type Ends = Pick<MessageRow, "mode" | "from_number" | "to_number" | "from_service">;

/**
 * Source address that the carrier sees.
 *
 * Sandbox numbers are fictional, so a real sandbox message leaves from a number of LONGWAVE_VERIFY_NUMBERS.
 * Without such a number the source address is the message's own `from`. The stored message keeps its `from`.
 */
export function sourceNumberOf(deps: Pick<OutboundDeps, "config" | "carriers">, row: Ends): string {
  if (row.mode === "live" || row.from_service) return row.from_number;
  return configuredNumberFor(deps, row.to_number) ?? row.from_number;
}

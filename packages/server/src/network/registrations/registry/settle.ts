import { isDeepStrictEqual } from "node:util";
import type { NetworkLimits, RegistrationStatus } from "@longwave/contract";
import type { RegistrationsDeps } from "../deps.ts";
import { storeLimits } from "../limit.ts";
import type { RegistrationRow } from "../registration-row.ts";
import { type Decision, decide } from "../review.ts";
import { lockRegistrationRow } from "../sql.ts";
import type { ReviewAnswer } from "./registry.ts";

const REGISTRY = { type: "system", id: null, name: "registry" } as const;
const OPEN: readonly RegistrationStatus[] = ["submitted", "in_review"];
const LIVING: readonly RegistrationStatus[] = ["approved", "suspended"];

type Verdict = Pick<Decision, "decision" | "code" | "note">;

/** One submission of a registration. */
export interface Submitted {
  readonly shard: number;
  readonly account_id: string;
  readonly registration_id: string;
  readonly submission: number;
}

export function isOpen({ status }: Pick<RegistrationRow, "status">): boolean {
  return OPEN.includes(status);
}

/** Stores what the registry says about a submission, as far as it changes the registration. */
export async function settle(
  deps: RegistrationsDeps,
  { shard, account_id, registration_id, submission }: Submitted,
  answer: ReviewAnswer,
): Promise<void> {
  await deps.db.tx(async (tx) => {
    const key = [shard, account_id, registration_id];
    const [row] = await tx.query<RegistrationRow>(lockRegistrationRow, key);
    if (!row || row.submissions !== submission) return;
    const verdict = verdictOn(row, answer);
    const changer = { actor: REGISTRY, ip: null };
    if (verdict !== null) await decide(deps, tx, row, { ...verdict, actor: "system", changer });
    const given = answer.kind === "approved" ? answer.limits : undefined;
    if (given !== undefined && areNew(row, given)) {
      await storeLimits(deps, tx, row, { by: "registry", given, changer });
    }
  });
}

/** Whether the registry's limits differ from the known ones. The operator's stay. */
function areNew({ limits }: RegistrationRow, given: readonly NetworkLimits[]): boolean {
  return limits?.by !== "operator" && !isDeepStrictEqual(limits?.networks ?? [], given);
}

/** Decision that brings a registration to the registry's state; null where there is none. */
function verdictOn(
  row: Pick<RegistrationRow, "status" | "history">,
  answer: ReviewAnswer,
): Verdict | null {
  const { status } = row;
  switch (answer.kind) {
    case "unavailable":
    case "waiting":
      return null;
    case "in_review":
      return status === "submitted" ? plain("in_review") : null;
    case "approved":
      if (isOpen(row)) return plain("approve");
      return isRegistrysDoing(row) ? plain("reinstate") : null;
    case "suspended":
      return status === "approved" ? plain("suspend") : null;
    case "expired":
      return LIVING.includes(status) ? plain("expire") : null;
    case "rejected": {
      const { code, note } = answer;
      const isDecidable = isOpen(row) || LIVING.includes(status);
      return isDecidable ? { decision: "reject", code, note } : null;
    }
  }
}

/** Whether the registry suspended it or let it expire: what the operator did, only the operator undoes. */
function isRegistrysDoing({ status, history }: Pick<RegistrationRow, "status" | "history">) {
  const isOut = status === "suspended" || status === "expired";
  return isOut && history.at(-1)?.actor === "system";
}

function plain(decision: Verdict["decision"]): Verdict {
  return { decision, code: "carrier.rejected", note: null };
}

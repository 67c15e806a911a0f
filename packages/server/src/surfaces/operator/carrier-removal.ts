import { Problem } from "@longwave/contract";
import { operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import { environment } from "../../core/config/config.ts";
import { lockInstallation } from "../../core/installation.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import type { CarriersDeps } from "../../network/carriers/deps.ts";
import {
  type CarrierFields,
  type CarriersContent,
  carriersPath,
  changeCarriers,
} from "../../network/carriers/index.ts";
import { liveNumbersIn, type NumberHandlersDeps } from "../../network/numbers/index.ts";
import { withFileErrors } from "./carriers.ts";

const NUMBERS_NAMED_MAX = 100;

type Deps = CarriersDeps & NumberHandlersDeps;

/** Removal of a carrier from the carriers file, whatever its type. */
export const carrierRemovalHandlers: HandlersOf<"operator.carriers.delete", Deps> = {
  "operator.carriers.delete": async ({ deps, caller, ip, transact }, { params: { name } }) => {
    const answer = await withFileErrors(() =>
      transact(async (tx) => {
        await tx.query(lockInstallation, []);
        await recordForInstallation(deps, tx, {
          action: "carrier.removed",
          actor: operatorActor(caller),
          targetId: "installation",
          changes: { name: { from: name, to: null } },
          ip,
        });
        const removed = { variables: [] as readonly string[] };
        await changeCarriers(deps.config, environment, (before) => {
          const { content, variables } = withoutEntry(before, name);
          removed.variables = variables;
          return content;
        });
        return {
          status: 200 as const,
          body: {
            object: "carrier_removal" as const,
            name,
            file: carriersPath(deps.config),
            variables: [...removed.variables],
            numbers_without_carrier: [] as string[],
          },
        };
      }),
    );
    await withFileErrors(deps.reloadCarriers);
    const unserved = await liveNumbersIn(deps, deps.carriers.unserved(), NUMBERS_NAMED_MAX);
    return { ...answer, body: { ...answer.body, numbers_without_carrier: unserved } };
  },
};

/** The file without an entry, and without the secrets that no other entry names. */
function withoutEntry(
  { entries, secrets }: CarriersContent,
  name: string,
): { content: CarriersContent; variables: readonly string[] } {
  const kept = entries.filter((entry) => entry["name"] !== name);
  if (kept.length === entries.length) {
    throw new Problem("not_found", `The carriers file has no ${name.slice(0, 64)}.`);
  }
  const gone = wordsOf(entries.filter((entry) => entry["name"] === name));
  const left = wordsOf(kept);
  const isKept = (variable: string) => !gone.has(variable) || left.has(variable);
  const variables = Object.keys(secrets).filter((variable) => !isKept(variable));
  if (variables.length === 0) return { content: { entries: kept, secrets }, variables };
  const keptSecrets = Object.entries(secrets).filter(([variable]) => isKept(variable));
  return { content: { entries: kept, secrets: Object.fromEntries(keptSecrets) }, variables };
}

/** Words of the entries, the names of their variables among them. */
function wordsOf(entries: readonly CarrierFields[]): ReadonlySet<string> {
  return new Set(JSON.stringify(entries).split(/\W+/));
}

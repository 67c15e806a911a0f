import { faultOfLaw, Problem, type QuietLaw, type QuietLawTable } from "@longwave/contract";
import { operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { QUIET_LAW_CHANGED } from "../../core/quiet-law.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";

const insertQuietLaw = statement(
  "insert_quiet_law",
  "insert into quiet_laws (id, edition, hours, created_at) values ($1, $2, $3, $4)",
);

/** The table of lawful hours. */
export const operatorQuietLawHandlers: HandlersOf<
  "operator.quietLaws.get" | "operator.quietLaws.create"
> = {
  "operator.quietLaws.get": async ({ deps }) => ({
    status: 200,
    body: present(deps.quietLaws.current()),
  }),

  "operator.quietLaws.create": checking(
    (_deps, { body }) => requireUsable(body),
    async ({ deps, caller, ip, transact }, { body }) => {
      const answer = await transact(async (tx) => {
        requireUsable(body);
        const nowMs = deps.clock.now();
        const id = deps.ids.makeAt(nowMs);
        const { edition, hours } = body;
        await tx.query(insertQuietLaw, [id, edition, JSON.stringify(hours), new Date(nowMs)]);
        await recordForInstallation(deps, tx, {
          action: "quiet_law.created",
          actor: operatorActor(caller),
          targetId: toApiId("quiet_law", id),
          changes: { edition },
          ip,
        });
        await notify(tx, "longwave_cache", QUIET_LAW_CHANGED);
        return { status: 201 as const, body: present(body) };
      });
      await deps.quietLaws.reload();
      return answer;
    },
  ),
};

function requireUsable(law: QuietLaw): void {
  const fault = faultOfLaw(law);
  if (fault === null) return;
  const param = fault.index === null ? "hours" : `hours[${fault.index}]`;
  throw new Problem("invalid_request", fault.message, { param });
}

function present({ edition, hours }: QuietLaw): QuietLawTable {
  return {
    object: "quiet_law",
    edition,
    hours: hours.map((row) => ({ ...row, days: [...row.days] })),
  };
}

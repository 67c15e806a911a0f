import {
  faultOfLaw,
  formatTimestamp,
  Problem,
  type QuietLaw,
  type QuietLawEdition,
  type QuietLawTable,
} from "@longwave/contract";
import { operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { QUIET_LAW_CHANGED } from "../../core/quiet-law.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";

const insertQuietLaw = statement(
  "insert_quiet_law",
  `insert into quiet_laws (id, edition, hours, author_id, author_name, created_at)
   values ($1, $2, $3, $4, $5, $6)`,
);

interface EditionRow extends QuietLaw {
  readonly id: string;
  readonly author_id: string | null;
  readonly author_name: string | null;
  readonly created_at: number;
  readonly in_force: boolean;
}

/** The table of lawful hours. */
export const operatorQuietLawHandlers: HandlersOf<
  "operator.quietLaws.get" | "operator.quietLaws.list" | "operator.quietLaws.create"
> = {
  "operator.quietLaws.get": async ({ deps }) => ({
    status: 200,
    body: present(deps.quietLaws.current()),
  }),

  "operator.quietLaws.list": async ({ deps }, { query }) => {
    const scope = { list: "operator.quietLaws.list", owner: "operator", filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const older = page.after ? sql`where l.id < ${page.after[0]}::uuid` : sql``;
    const rows = await deps.db.query<EditionRow>(
      composed(
        "list_quiet_laws",
        sql`select l.*, not exists (select from quiet_laws n where n.id > l.id) as in_force
             from quiet_laws l ${older} order by l.id desc limit ${page.limit + 1}`,
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentEdition);
    return { status: 200, body };
  },

  "operator.quietLaws.create": checking(
    (_deps, { body }) => requireUsable(body),
    async ({ deps, caller, ip, transact }, { body }) => {
      const answer = await transact(async (tx) => {
        requireUsable(body);
        const nowMs = deps.clock.now();
        const id = deps.ids.makeAt(nowMs);
        const { edition, hours } = body;
        const author = operatorActor(caller);
        await tx.query(insertQuietLaw, [
          ...[id, edition, JSON.stringify(hours), author.id, author.name],
          new Date(nowMs),
        ]);
        await recordForInstallation(deps, tx, {
          action: "quiet_law.created",
          actor: author,
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

function presentEdition(row: EditionRow): QuietLawEdition {
  const { id, edition, hours, in_force, author_id, author_name } = row;
  return {
    ...{ object: "quiet_law_edition", id: toApiId("quiet_law", id), edition },
    hours: hours.map((one) => ({ ...one, days: [...one.days] })),
    in_force,
    created_by:
      author_id === null && author_name === null ? null : { id: author_id, name: author_name },
    created_at: formatTimestamp(row.created_at),
  };
}

function present({ edition, hours }: QuietLaw): QuietLawTable {
  return {
    object: "quiet_law",
    edition,
    hours: hours.map((row) => ({ ...row, days: [...row.days] })),
  };
}

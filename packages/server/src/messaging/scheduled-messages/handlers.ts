import { Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { inMode, type ModedCaller, narrowsToNothing } from "../../http/api/modes.ts";
import { EMPTY_PAGE, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import type { OutboundDeps } from "../outbound/index.ts";
import { presentScheduled, type ScheduledRow } from "./scheduled-row.ts";
import { cancelScheduled, findScheduled } from "./sql.ts";

type Names = "scheduledMessages.list" | "scheduledMessages.get" | "scheduledMessages.delete";

export const scheduledMessageHandlers: HandlersOf<Names, OutboundDeps> = {
  "scheduledMessages.list": async ({ deps, caller }, { query }) => {
    const { account, mode } = caller;
    const filters = { mode };
    const scope = { list: "scheduledMessages.list", owner: account.id, filters };
    const page = pageRequest(deps.secrets, scope, query);
    if (narrowsToNothing(caller, query)) return { status: 200, body: EMPTY_PAGE };
    const after = page.after
      ? sql`and (scheduled_at, id) > (${new Date(page.after[0] as number)}, ${page.after[1]}::uuid)`
      : sql``;
    const rows = await deps.db.query<ScheduledRow>(
      composed(
        "list_scheduled_messages",
        sql`select * from scheduled_messages
           where shard = ${account.shard} and account_id = ${account.id} and mode = ${mode} and status = 'pending' ${after}
           order by scheduled_at, id limit ${page.limit + 1}`,
      ),
    );
    const keyOf = (row: ScheduledRow) => [row.scheduled_at, row.id];
    return {
      status: 200,
      body: pageAnswer(deps.secrets, scope, page, rows, keyOf, presentScheduled),
    };
  },

  "scheduledMessages.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentScheduled(await scheduledOf(deps, caller, params.id)),
  }),

  "scheduledMessages.delete": async ({ deps, caller, transact }, { params }) => {
    const { account } = caller;
    const row = await scheduledOf(deps, caller, params.id);
    return transact(async (tx) => {
      const values = [account.shard, account.id, row.id, new Date(deps.clock.now())];
      const [canceled] = await tx.query<ScheduledRow>(cancelScheduled, values);
      const now = canceled ?? (await scheduledOf(deps, caller, params.id));
      if (now.status !== "canceled") {
        const why = now.status === "sent" ? "was sent already" : "has failed already";
        const message = `The scheduled message ${params.id} ${why}. It can no longer be canceled.`;
        throw new Problem("not_found", message);
      }
      return { status: 200, body: presentScheduled(now) };
    });
  },
};

async function scheduledOf(
  deps: Base,
  { account, mode }: ModedCaller,
  id: string,
): Promise<ScheduledRow> {
  const uuid = fromApiId("scheduled_message", id);
  const values = [account.shard, account.id, uuid];
  const [found] = uuid ? await deps.db.query<ScheduledRow>(findScheduled, values) : [];
  const row = inMode(found, mode);
  if (row === null) throw noScheduled(id);
  return row;
}

function noScheduled(id: string): Problem {
  return new Problem("not_found", `There is no scheduled message ${id.slice(0, 64)}.`);
}

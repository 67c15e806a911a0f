import { CONSOLE_VIEWS_MAX, formatTimestamp, Problem, SingleLine } from "@longwave/contract";
import { Type } from "typebox";
import { requireNotBlank } from "../../http/api/parse-fields.ts";
import { checkAction, membershipOf } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";
import type { Membership, Session } from "./sessions.ts";
import { countOtherViews, deleteView, listViews, lockUser, upsertView } from "./sql.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PAGE_CHARS_MAX = 40;
const VIEW_NAME_CHARS_MAX = 60;
const QUERY_CHARS_MAX = 1_000;

const ViewBody = Type.Object(
  {
    page: Type.String({ pattern: "^[a-z]+(?:[/-][a-z]+)*$", maxLength: PAGE_CHARS_MAX }),
    name: SingleLine({ minLength: 1, maxLength: VIEW_NAME_CHARS_MAX }),
    query: SingleLine({ maxLength: QUERY_CHARS_MAX }),
  },
  { additionalProperties: false },
);

interface ViewRow {
  readonly id: string;
  readonly page: string;
  readonly name: string;
  readonly query: string;
  readonly created_at: number;
}

/** Saved views: a person's own filters and columns for an account's lists. */
export const viewRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/{account}/views", null, async ({ deps, params }, session) => {
    const { account = "" } = params;
    const membership = membershipOf(session, account);
    checkAction(membership, "views.list");
    const rows = await deps.db.query<ViewRow>(listViews, [membership.account.id, session.userId]);
    return ok({ data: rows.map(present), has_more: false, next_cursor: null });
  }),

  signedIn<{ page: string; name: string; query: string }>(
    "POST",
    "/{account}/views",
    ViewBody,
    async ({ deps, params, body }, session) => {
      const membership = memberIn(session, params, "views.create");
      const name = body.name.trim();
      requireNotBlank(name, "name");
      const key = [membership.account.id, session.userId, body.page, name] as const;
      return deps.db.tx(async (tx) => {
        // One at a time, so that two tabs together stay within the limit.
        await tx.query(lockUser, [session.userId]);
        const [others] = await tx.query<{ views: number }>(countOtherViews, [...key]);
        if ((others?.views ?? 0) >= CONSOLE_VIEWS_MAX) {
          throw new Problem(
            "invalid_state",
            `You keep ${CONSOLE_VIEWS_MAX} views already, which is the most. Delete one that you no longer use.`,
          );
        }
        const now = deps.clock.now();
        const values = [deps.ids.makeAt(now), ...key, body.query, new Date(now)];
        const [row] = await tx.query<ViewRow>(upsertView, values);
        if (!row) throw new Error("A view that was kept did not come back.");
        return { status: 201, body: present(row) };
      });
    },
  ),

  signedIn("DELETE", "/{account}/views/{id}", null, async ({ deps, params }, session) => {
    const membership = memberIn(session, params, "views.delete");
    const { id = "" } = params;
    const values = [id, membership.account.id, session.userId];
    const [row] = UUID.test(id) ? await deps.db.query(deleteView, values) : [];
    if (!row) throw new Problem("not_found", `There is no view ${id.slice(0, 64)} of yours.`);
    return ok({ object: "view", id, deleted: true });
  }),
];

/** Requires a membership: an operator who only visits the account saves no views. */
function memberIn(
  session: Session,
  params: Readonly<Record<string, string>>,
  action: "views.create" | "views.delete",
): Membership {
  const { account = "" } = params;
  const membership = membershipOf(session, account);
  checkAction(membership, action);
  if (!membership.isVisit) return membership;
  throw new Problem(
    "invalid_state",
    "You look into this account as the operator; views are kept by its members.",
  );
}

function present(row: ViewRow) {
  const { id, page, name, query } = row;
  return { object: "view", id, page, name, query, created_at: formatTimestamp(row.created_at) };
}

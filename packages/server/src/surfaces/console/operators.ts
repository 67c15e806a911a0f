import { formatTimestamp, type OperatorPerson, Problem } from "@longwave/contract";
import { operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { Operator } from "../../http/api/caller.ts";
import type { Context, HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { emailKey } from "./sign-in.ts";
import {
  consumeLinksOfRole,
  consumeOperatorInvitations,
  listOperators,
  lockOperators,
  readUserByEmail,
  setOperator,
} from "./sql.ts";

interface PersonRow {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly seen_at: number | null;
  readonly is_operator: boolean;
}

type Names = "operator.operators.list" | "operator.operators.create" | "operator.operators.delete";

/** Lists, adds and removes the installation's operators. */
export const operatorRoleHandlers: HandlersOf<Names> = {
  "operator.operators.list": async ({ deps }, { query }) => {
    const scope = { list: "operator.operators.list", owner: "operator", filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const belowId = (page.after?.[0] as string | undefined) ?? null;
    const rows = await deps.db.query<PersonRow>(listOperators, [belowId, page.limit + 1]);
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], present);
    return { status: 200, body };
  },

  "operator.operators.create": async (context, { body }) =>
    context.transact(async (tx) => {
      const [known] = await tx.query<PersonRow>(readUserByEmail, [emailKey(body.email)]);
      if (!known) {
        throw new Problem(
          "invalid_request",
          `Nobody signs in with ${body.email}. Invite them to an account first.`,
          { param: "email" },
        );
      }
      const { person } = await lockPeople(tx, known.id);
      if (!person || person.is_operator) {
        throw new Problem("already_exists", `${known.email} is an operator already.`, {
          param: "email",
        });
      }
      await change(context, tx, person, true);
      return { status: 201, body: present(person) };
    }),

  "operator.operators.delete": async (context, { params }) =>
    context.transact(async (tx) => {
      const id = fromApiId("user", params.id);
      const { person, operators } = id
        ? await lockPeople(tx, id)
        : { person: undefined, operators: 0 };
      if (!person?.is_operator) throw new Problem("not_found", "There is no such operator.");
      if (operators === 1) {
        throw new Problem(
          "invalid_state",
          "An installation keeps one operator. Make somebody else an operator first.",
        );
      }
      await change(context, tx, person, false);
      return { status: 200, body: present(person) };
    }),
};

/** Locks all operators and the person, so that two operators cannot leave at the same moment. */
async function lockPeople(tx: Tx, id: string) {
  const people = await tx.query<PersonRow>(lockOperators, [id]);
  const operators = people.filter(({ is_operator }) => is_operator).length;
  return { person: people.find((each) => each.id === id), operators };
}

async function change(
  { deps, caller, ip }: Pick<Context<Operator, Base>, "deps" | "caller" | "ip">,
  tx: Tx,
  { id, is_operator: from }: PersonRow,
  to: boolean,
): Promise<void> {
  await tx.query(setOperator, [id, to]);
  // Links for and by the person assumed the previous rank.
  const now = new Date(deps.clock.now());
  await tx.query(consumeLinksOfRole, [id, now, null, []]);
  if (!to) await tx.query(consumeOperatorInvitations, [id, now]);
  await recordForInstallation(deps, tx, {
    action: to ? "operator.role_granted" : "operator.role_revoked",
    actor: operatorActor(caller),
    targetId: toApiId("user", id),
    changes: { operator: { from, to } },
    ip,
  });
  await notify(tx, "longwave_cache", "console");
}

function present({ id, email, name, seen_at }: PersonRow): OperatorPerson {
  return {
    id: toApiId("user", id),
    object: "operator",
    email,
    name,
    seen_at: seen_at === null ? null : formatTimestamp(seen_at),
  };
}

import {
  type Conversation,
  foldCase,
  normalizePhone,
  Problem,
  type RouteInput,
} from "@longwave/contract";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { accountIn, type ModedAccount, type ModedCaller } from "../../http/api/modes.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { phoneOf } from "../../http/api/phone-input.ts";
import { searchPhones } from "../../people/contacts/index.ts";
import { type ConversationRow, presentConversations } from "./conversation-row.ts";
import type { ConversationsDeps } from "./deps.ts";
import { CONVERSATION_COLUMNS, IS_UNANSWERED } from "./sql.ts";

type Query = RouteInput<"conversations.list">["query"];

const NOBODY = "none";
/** Contacts whose name or number matches a search, the newest first. */
const CONTACTS_SEARCHED_MAX = 200;

/** GET /conversations: the newest received message first. */
export async function listConversations(
  deps: ConversationsDeps,
  caller: ModedCaller,
  query: Query,
): Promise<PageAnswer<Conversation>> {
  const { account, mode } = caller;
  const { limit: _limit, cursor: _cursor, ...given } = query;
  const filters = {
    ...given,
    mode,
    number: given.number && phoneOf(given.number, "number"),
    phone_number: given.phone_number && phoneOf(given.phone_number, "phone_number"),
    q: given.q && foldCase(given.q.trim()),
  };
  const scope = { list: "conversations.list", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query);
  const conditions: Fragment[] = [
    sql`c.shard = ${account.shard} and c.account_id = ${account.id} and c.mode = ${mode}`,
    ...conditionsOf(query),
  ];
  if (query.q !== undefined)
    conditions.push(await searchCondition(deps, accountIn(caller), query.q));
  if (page.after) conditions.push(sql`c.last_received_id < ${page.after[0]}::uuid`);
  const rows = await deps.db.query<ConversationRow>(
    composed(
      "list_conversations",
      sql`select ${raw(CONVERSATION_COLUMNS)} from conversations c
           where ${join(conditions, " and ")}
           order by c.last_received_id desc limit ${page.limit + 1}`,
    ),
  );
  const shown = await presentConversations(deps, deps.db, caller, rows.slice(0, page.limit));
  const byPhone = new Map(shown.map((each) => [each.phone_number, each]));
  return pageAnswer(
    deps.secrets,
    scope,
    page,
    rows,
    (row) => [row.last_received_id],
    (row) => byPhone.get(row.phone_number) as Conversation,
  );
}

function conditionsOf(query: Query): Fragment[] {
  const conditions: Fragment[] = [];
  const { status, assignee } = query;
  if (status !== undefined) {
    conditions.push(status === "open" ? sql`c.closed_at is null` : sql`c.closed_at is not null`);
  }
  if (query.needs_reply === true) conditions.push(raw(IS_UNANSWERED));
  if (query.needs_reply === false) {
    conditions.push(sql`c.closed_at is null and not ${raw(IS_UNANSWERED)}`);
  }
  if (query.unread !== undefined) {
    conditions.push(query.unread ? sql`c.unread > 0` : sql`c.unread = 0`);
  }
  if (assignee === NOBODY) conditions.push(sql`c.assignee_id is null`);
  else if (assignee !== undefined) {
    conditions.push(sql`c.assignee_id = ${userIdOf(assignee)}::uuid`);
  }
  if (query.number !== undefined) {
    conditions.push(sql`${phoneOf(query.number, "number")} = any(c.numbers)`);
  }
  if (query.phone_number !== undefined) {
    const person = normalizePhone(query.phone_number) ?? query.phone_number;
    conditions.push(sql`c.phone_number = ${person}`);
  }
  return conditions;
}

function userIdOf(assignee: string): string {
  const id = fromApiId("user", assignee);
  if (id !== null) return id;
  throw new Problem("invalid_request", "assignee is the id of a member (usr_…), or none.", {
    param: "assignee",
  });
}

/** A phone number with these digits, or the number of a contact that matches. */
async function searchCondition(
  deps: ConversationsDeps,
  account: ModedAccount,
  q: string,
): Promise<Fragment> {
  const phones = await searchPhones(deps, account, q, CONTACTS_SEARCHED_MAX);
  const digits = q.replaceAll(/[\s().+-]/g, "");
  const isNumber = /^\d+$/.test(digits);
  const byContact = sql`c.phone_number = any(${phones}::text[])`;
  return isNumber ? sql`(strpos(c.phone_number, ${digits}) > 0 or ${byContact})` : byContact;
}

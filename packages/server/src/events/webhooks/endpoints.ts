import {
  type AuditAction,
  Problem,
  type RouteInput,
  WEBHOOK_ENDPOINTS_MAX,
  WEBHOOK_SECRET_PREFIX,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { type Actor, changesBetween, record } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import {
  type EndpointRow,
  endpointSecret,
  eventsOf,
  lockEndpoint,
  modesOf,
  presentEndpoint,
} from "./endpoint-row.ts";
import {
  deleteEndpoint,
  findEndpointUrls,
  insertEndpoint,
  lockAccountCounters,
  updateEndpoint,
  updateSecret,
} from "./endpoint-sql.ts";
import { endPause } from "./tasks.ts";

const SECRET_BYTES = 32;

/** Author of a change, for the audit log. */
export interface Changer {
  readonly account: AccountRow;
  readonly actor: Actor;
  readonly ip: string;
}

type NewEndpoint = RouteInput<"webhooks.create">["body"];
type EndpointChanges = RouteInput<"webhooks.update">["body"];

/** Checks the fields as far as they alone show errors. */
export function checkEndpoint(deps: Base, given: NewEndpoint): void {
  eventsOf(given.events);
  checkUrl(deps, given.url);
}

export async function createEndpoint(
  deps: Base,
  tx: Tx,
  changer: Changer,
  given: NewEndpoint,
): Promise<WebhookEndpointWithSecret> {
  const { account } = changer;
  checkEndpoint(deps, given);
  const now = deps.clock.now();
  const [id, secret] = [deps.ids.makeAt(now), makeSecret(deps)];
  await tx.query(lockAccountCounters, [account.shard, account.id]);
  const [row] = await tx.query<EndpointRow>(insertEndpoint, [
    account.shard,
    account.id,
    id,
    given.url,
    eventsOf(given.events),
    given.description ?? null,
    deps.secrets.encrypt(secret, endpointSecret(id)),
    new Date(now),
    WEBHOOK_ENDPOINTS_MAX,
    modesOf(given.modes),
  ]);
  if (!row) {
    throw new Problem(
      "limit_reached",
      `An account has at most ${WEBHOOK_ENDPOINTS_MAX} webhook endpoints. Delete one first.`,
    );
  }
  const { url, events, modes, description } = presentEndpoint(row);
  const changes = { url, events, modes, description };
  await recordChange(deps, tx, changer, "webhook.created", row, changes);
  return { ...presentEndpoint(row), secret };
}

/**
 * Like creating an endpoint, but returns false without an error when the account has too many, or one with this URL.
 */
export async function addEndpoint(
  deps: Base,
  tx: Tx,
  changer: Changer,
  given: NewEndpoint,
): Promise<boolean> {
  const { account } = changer;
  await tx.query(lockAccountCounters, [account.shard, account.id]);
  const urls = await endpointUrls(tx, account);
  if (urls.length >= WEBHOOK_ENDPOINTS_MAX || urls.includes(given.url)) return false;
  await createEndpoint(deps, tx, changer, given);
  return true;
}

/** URLs of the account's endpoints. */
export async function endpointUrls(db: Queryable, account: AccountRow): Promise<string[]> {
  const rows = await db.query<{ url: string }>(findEndpointUrls, [account.shard, account.id]);
  return rows.map(({ url }) => url);
}

/** Changes the given fields; unchanged fields leave no trace in the audit log. */
export async function changeEndpoint(
  deps: Base,
  tx: Tx,
  changer: Changer,
  apiId: string,
  given: EndpointChanges,
): Promise<WebhookEndpoint> {
  const { account } = changer;
  const before = await lockEndpoint(tx, account, apiId);
  if (given.url !== undefined) checkUrl(deps, given.url);
  const wanted = {
    url: given.url ?? before.url,
    events: given.events === undefined ? before.events : eventsOf(given.events),
    modes: given.modes === undefined ? before.modes : modesOf(given.modes),
    active: given.active ?? before.active,
    description: given.description === undefined ? before.description : given.description,
  };
  const [row] = await tx.query<EndpointRow>(updateEndpoint, [
    account.shard,
    account.id,
    before.id,
    wanted.url,
    wanted.events,
    wanted.active,
    wanted.description,
    wanted.modes,
  ]);
  const after = expect(row, "a locked endpoint is gone");
  const changes = changesBetween(presentEndpoint(before), presentEndpoint(after));
  if (changes === null) return presentEndpoint(after);
  if (!before.active && after.active) await endPause(deps, tx, account, after.id);
  await recordChange(deps, tx, changer, "webhook.updated", after, changes);
  return presentEndpoint(after);
}

/** Deletes an endpoint with its pending deliveries; its log stays. */
export async function removeEndpoint(
  deps: Base,
  tx: Tx,
  changer: Changer,
  apiId: string,
): Promise<WebhookEndpoint> {
  const { account } = changer;
  const row = await lockEndpoint(tx, account, apiId);
  await tx.query(deleteEndpoint, [account.shard, account.id, row.id]);
  await endPause(deps, tx, account, row.id);
  await recordChange(deps, tx, changer, "webhook.deleted", row, { url: row.url });
  return presentEndpoint(row);
}

/** Replaces the secret; from the commit on every request is signed with the new one. */
export async function rotateSecret(
  deps: Base,
  tx: Tx,
  changer: Changer,
  apiId: string,
): Promise<WebhookEndpointWithSecret> {
  const { account } = changer;
  const { id } = await lockEndpoint(tx, account, apiId);
  const secret = makeSecret(deps);
  const values = [account.shard, account.id, id, deps.secrets.encrypt(secret, endpointSecret(id))];
  const [row] = await tx.query<EndpointRow>(updateSecret, values);
  const after = expect(row, "a locked endpoint is gone");
  await recordChange(deps, tx, changer, "webhook.secret_rotated", after, {});
  return { ...presentEndpoint(after), secret };
}

export async function listEndpoints(
  deps: Base,
  account: AccountRow,
  query: RouteInput<"webhooks.list">["query"],
): Promise<PageAnswer<WebhookEndpoint>> {
  const scope = { list: "webhooks.list", owner: account.id, filters: {} };
  const page = pageRequest(deps.secrets, scope, query);
  const after = page.after ? sql`and id < ${page.after[0]}::uuid` : sql``;
  const rows = await deps.db.query<EndpointRow>(
    composed(
      "list_webhook_endpoints",
      sql`select id, url, events, modes, active, description, created_at from webhook_endpoints
         where shard = ${account.shard} and account_id = ${account.id} and slot > 0 ${after}
         order by id desc limit ${page.limit + 1}`,
    ),
  );
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentEndpoint);
}

function checkUrl(deps: Base, url: string): void {
  const verdict = deps.outgoing.checkUrl(url);
  if (!verdict.ok) throw new Problem("invalid_request", verdict.reason, { param: "url" });
}

function makeSecret(deps: Base): string {
  return WEBHOOK_SECRET_PREFIX + deps.random.bytes(SECRET_BYTES).toString("base64");
}

/** Writes the audit entry and notifies every process to drop its cached endpoints of the account. */
async function recordChange(
  deps: Base,
  tx: Tx,
  changer: Changer,
  action: AuditAction,
  row: EndpointRow,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { account, actor, ip } = changer;
  await record(deps, tx, {
    shard: account.shard,
    accountId: account.id,
    action,
    actor,
    targetId: toApiId("webhook_endpoint", row.id),
    changes,
    ip,
  });
  await notify(tx, "longwave_cache", account.id);
}

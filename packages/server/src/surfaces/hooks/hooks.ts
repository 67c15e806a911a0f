import { isDeepStrictEqual } from "node:util";
import {
  type AuditAction,
  HOOK_MESSAGES_PER_MINUTE_DEFAULT,
  HOOK_MESSAGES_PER_PHONE_HOUR_DEFAULT,
  HOOK_PRESETS,
  HOOKS_MAX,
  type Hook,
  type HookDeclaration,
  type HookPresetData,
  type HookWithSecret,
  Problem,
  type RouteInput,
} from "@longwave/contract";
import { type Requester, recordBy } from "../../account/accounts/index.ts";
import { changesBetween } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { composed, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseRecipient, requireNotBlank } from "../../http/api/parse-fields.ts";
import { checkSender } from "../../messaging/outbound/index.ts";
import { checkDeclaration } from "./declaration.ts";
import type { HooksDeps } from "./deps.ts";
import { type HookRow, hookOf, presentHook, sealHookSecret } from "./hook-row.ts";
import { deleteHook, HOOK_COLUMNS, insertHook, lockHookAccount, updateHook } from "./sql.ts";

type NewHook = RouteInput<"hooks.create">["body"];
type Changes = RouteInput<"hooks.update">["body"];

const SECRET_BYTES = 32;
const COLUMNS = raw(HOOK_COLUMNS);

/** Checks the fields as far as they alone show errors, and completes them. */
export function readNewHook(deps: Base, given: NewHook) {
  requireNotBlank(given.name, "name");
  const preset = given.preset === undefined ? null : HOOK_PRESETS.get(given.preset);
  const base = given.declaration ?? preset?.declaration;
  if (base === undefined || (preset && given.declaration)) {
    const problem = "must be given, or a preset in its place: exactly one of the two.";
    throw new Problem("invalid_request", `declaration ${problem}`, { param: "declaration" });
  }
  const recipients = readRecipients(deps, given.recipients ?? []);
  const declaration = withBody(base, given.body);
  checkDeclaration(declaration, recipients, given.body === undefined ? undefined : "");
  return { preset: preset ?? null, declaration, recipients };
}

function withBody(declaration: HookDeclaration, body: string | undefined): HookDeclaration {
  return body === undefined ? declaration : { ...declaration, body };
}

function readRecipients(deps: Base, given: readonly string[]): string[] {
  return [
    ...new Set(given.map((phone, index) => parseRecipient(deps, phone, `recipients[${index}]`))),
  ];
}

export async function createHook(
  { deps, caller, ip }: Requester & { readonly deps: HooksDeps },
  tx: Tx,
  given: NewHook,
): Promise<HookWithSecret> {
  const { account, mode } = caller;
  const { preset, declaration, recipients } = readNewHook(deps, given);
  await checkSender(deps, { account, mode, from: given.from });
  const now = deps.clock.now();
  const id = deps.ids.makeAt(now);
  const secret = given.secret ?? makeSecret(deps, declaration);
  await tx.query(lockHookAccount, [account.shard, account.id]);
  const [row] = await tx.query<HookRow>(insertHook, [
    account.shard,
    account.id,
    id,
    mode,
    given.name,
    preset?.name ?? null,
    given.from,
    recipients,
    JSON.stringify(declaration),
    sealHookSecret(deps, id, secret),
    given.messages_per_minute ?? HOOK_MESSAGES_PER_MINUTE_DEFAULT,
    given.messages_per_phone_hour ?? HOOK_MESSAGES_PER_PHONE_HOUR_DEFAULT,
    new Date(now),
    HOOKS_MAX,
  ]);
  if (!row) {
    throw new Problem(
      "limit_reached",
      `An account has at most ${HOOKS_MAX} hooks. Delete one first.`,
    );
  }
  await audit({ deps, caller, ip }, tx, "hook.created", row, shown(deps, row));
  return { ...presentHook(deps, row, secret), secret };
}

/** The preset of a changed hook: none once its declaration differs from the stored one. */
function presetAfter({ preset, declaration }: HookRow, given: Changes): HookRow["preset"] {
  return isDeepStrictEqual(given.declaration ?? declaration, declaration) ? preset : null;
}

/** Changes the given fields; unchanged fields leave no trace in the audit log. */
export async function changeHook(
  { deps, caller, ip }: Requester & { readonly deps: HooksDeps },
  tx: Tx,
  apiId: string,
  given: Changes,
): Promise<Hook> {
  const before = await hookOf(tx, caller, apiId, "lock");
  requireNotBlank(given.name, "name");
  const { account, mode } = caller;
  if (given.from !== undefined) await checkSender(deps, { account, mode, from: given.from });
  const declaration = withBody(given.declaration ?? before.declaration, given.body);
  const recipients =
    given.recipients === undefined
      ? before.recipients
      : readRecipients(deps, given.recipients ?? []);
  checkDeclaration(declaration, recipients, given.declaration ? undefined : "");
  const sealed =
    given.secret === undefined ? before.secret : sealHookSecret(deps, before.id, given.secret);
  const after = await write(tx, {
    ...before,
    name: given.name ?? before.name,
    preset: presetAfter(before, given),
    sender: given.from ?? before.sender,
    recipients,
    declaration,
    secret: sealed,
    messages_per_minute: given.messages_per_minute ?? before.messages_per_minute,
    messages_per_phone_hour: given.messages_per_phone_hour ?? before.messages_per_phone_hour,
    active: given.active ?? before.active,
  });
  const changes = changesBetween(shown(deps, before), shown(deps, after));
  const secretChange = given.secret === undefined ? {} : { secret: "replaced" };
  if (changes !== null || given.secret !== undefined) {
    const all = { ...changes, ...secretChange };
    await audit({ deps, caller, ip }, tx, "hook.updated", after, all);
  }
  return presentHook(deps, after);
}

export async function rotateHookSecret(
  requester: Requester,
  tx: Tx,
  apiId: string,
): Promise<HookWithSecret> {
  const { deps } = requester;
  const before = await hookOf(tx, requester.caller, apiId, "lock");
  const secret = makeSecret(deps, before.declaration);
  const after = await write(tx, { ...before, secret: sealHookSecret(deps, before.id, secret) });
  await audit(requester, tx, "hook.secret_rotated", after, {});
  return { ...presentHook(deps, after, secret), secret };
}

export async function removeHook(requester: Requester, tx: Tx, apiId: string): Promise<Hook> {
  const row = await hookOf(tx, requester.caller, apiId, "lock");
  await tx.query(deleteHook, [row.shard, row.account_id, row.id]);
  await audit(requester, tx, "hook.deleted", row, { name: row.name });
  return presentHook(requester.deps, row);
}

export async function listHooks(
  deps: Base,
  { account, mode }: ModedCaller,
  query: RouteInput<"hooks.list">["query"],
): Promise<PageAnswer<Hook>> {
  const scope = { list: "hooks.list", owner: account.id, filters: { mode } };
  const page = pageRequest(deps.secrets, scope, query);
  const after = page.after ? sql`and id < ${page.after[0]}::uuid` : sql``;
  const rows = await deps.db.query<HookRow>(
    composed(
      "list_hooks",
      sql`select ${COLUMNS} from hooks
         where shard = ${account.shard} and account_id = ${account.id} and mode = ${mode} ${after}
         order by id desc limit ${page.limit + 1}`,
    ),
  );
  return pageAnswer(
    deps.secrets,
    scope,
    page,
    rows,
    (row) => [row.id],
    (row) => presentHook(deps, row),
  );
}

async function write(tx: Tx, row: HookRow): Promise<HookRow> {
  const [after] = await tx.query<HookRow>(updateHook, [
    row.shard,
    row.account_id,
    row.id,
    row.name,
    row.preset,
    row.sender,
    row.recipients,
    JSON.stringify(row.declaration),
    row.secret,
    row.messages_per_minute,
    row.messages_per_phone_hour,
    row.active,
  ]);
  return expect(after, "a locked hook is gone");
}

/** Fields of a hook for the audit log. */
function shown(deps: Base, row: HookRow) {
  const {
    id: _,
    object: __,
    mode: ___,
    url: ____,
    created_at: _____,
    ...fields
  } = presentHook(deps, row);
  return fields;
}

function audit(
  requester: Requester,
  tx: Tx,
  action: AuditAction,
  row: HookRow,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  return recordBy(requester, tx, action, toApiId("hook", row.id), changes);
}

/** Standard Webhooks libraries want their own form; everything else takes letters and digits. */
function makeSecret({ random }: Base, { signature }: HookDeclaration): string {
  const bytes = random.bytes(SECRET_BYTES);
  const isBase64 = signature?.type === "hmac" && signature.key_encoding === "base64";
  return isBase64 ? `v1,whsec_${bytes.toString("base64")}` : bytes.toString("hex");
}

/** The preset of a hook; null for a declaration of the account's own. */
export function presetOf({ preset }: HookRow): HookPresetData | null {
  return (preset && HOOK_PRESETS.get(preset)) || null;
}

import { formatTimestamp } from "@longwave/contract";
import {
  listWaitingRequests,
  readAccount,
  type WaitingRequest,
} from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import { monthOf } from "../../core/platform/clock.ts";
import { firstUuidAt, toApiId } from "../../core/platform/ids.ts";
import type { PeriodicTask } from "../../core/queue/periodic.ts";
import { type FailingEndpoint, listFailing } from "../../events/webhooks/index.ts";
import {
  type BindRow,
  type Carriers,
  listBinds,
  readUnowned,
  type UnownedRow,
} from "../../network/carriers/index.ts";
import { type DecidedRegistration, listDecided } from "../../network/registrations/index.ts";
import { type AlertedSpending, listAlerted } from "../spend-limit/index.ts";
import type { OperatorPeopleDeps } from "./deps.ts";
import { ownOrigin } from "./links.ts";
import { noticeMail } from "./mail-templates.ts";
import {
  adminEmails,
  forgetNotice,
  forgetOldNotices,
  operatorEmails,
  recordNotice,
} from "./notice-sql.ts";

const EVERY_SECONDS = 60;
const DAY_MS = 86_400_000;
/** Occurrences older than this are not mailed, such as those of before the mail server was set up. */
const RECENT_MS = DAY_MS;
/** Retries of a webhook take days; an event of the last week may run out of them now. */
const EVENTS_MS = 7 * DAY_MS;
/** Longer than any occurrence counts as recent, so that none is mailed twice. */
const KEPT_MS = 60 * DAY_MS;
/** A carrier that reconnects by itself is no news. */
const CARRIER_DOWN_MS = 5 * 60_000;
/** A receiver that never answers holds up a run for at most this often the deadline. */
const POSTS_PER_RUN_MAX = 10;
const POST_DEADLINE_MS = 5_000;
const POST_ANSWER_BYTES_MAX = 1_024;

export const NOTICE_KINDS = [
  "registration_decided",
  "live_access_requested",
  "carrier_down",
  "carrier_unowned",
  "spend_threshold",
  "webhook_failing",
] as const;

/** Occurrence of a problem or decision, mailed once. */
interface Notice {
  readonly kind: (typeof NOTICE_KINDS)[number];
  /** Names the occurrence: another time of the same thing is another subject. */
  readonly subject: string;
  /** Account whose admins get it; null: the operators. */
  readonly accountId: string | null;
  readonly title: string;
  readonly text: string;
  /** Page of the console that shows it. */
  readonly path: string;
}

interface Deps extends OperatorPeopleDeps {
  readonly carriers: Carriers;
}

/**
 * Mails problems and decisions to the admins of an account, or to the operators, and posts all of them to the
 * operator's webhook. A notice is recorded before it leaves, so that two processes never send it twice.
 */
export const mailNotices: PeriodicTask<Deps> = {
  name: "console.notices",
  everySeconds: EVERY_SECONDS,
  missedPeriods: "upkeep",
  async run(deps, signal) {
    const hookUrl = deps.config.noticesUrl;
    if (!deps.mailer.isSetUp && hookUrl === null) return;
    const now = deps.clock.now();
    await deps.db.query(forgetOldNotices, [new Date(now - KEPT_MS)]);
    let posted = 0;
    for (const notice of await findNotices(deps, now)) {
      if (signal.aborted) return;
      if (deps.mailer.isSetUp) await mailOnce(deps, notice, now);
      if (hookUrl === null || posted >= POSTS_PER_RUN_MAX) continue;
      if (await postOnce(deps, { notice, hookUrl, now }, signal)) posted += 1;
    }
  },
};

async function findNotices(deps: Deps, now: number): Promise<Notice[]> {
  const { db } = deps;
  const since = [new Date(now - RECENT_MS)];
  const month = monthOf(now);
  const names = deps.carriers.links().map(({ config }) => config.name);
  const [decided, requests, binds, unowned, alerted, failing] = await Promise.all([
    db.query<DecidedRegistration>(listDecided, since),
    db.query<WaitingRequest>(listWaitingRequests, since),
    db.query<BindRow>(listBinds, [names]),
    db.query<UnownedRow>(readUnowned, [names]),
    db.query<AlertedSpending>(listAlerted, [month]),
    failingEndpoints(deps, now),
  ]);
  return [
    ...decided.map(registrationDecided),
    ...requests.map(liveAccessRequested),
    ...carriersDown(binds, deps.clock.realNow()),
    ...unowned.filter((row) => row.kind === "inbound").flatMap((row) => unownedInbound(row, now)),
    ...alerted.map((one) => spendThreshold(one, month)),
    ...failing.map((one) => webhookFailing(one, now)),
  ];
}

async function failingEndpoints({ db, shards }: Base, now: number): Promise<FailingEndpoint[]> {
  const values = [firstUuidAt(now - EVENTS_MS), new Date(now - RECENT_MS)];
  const found: FailingEndpoint[] = [];
  for (let shard = 0; shard < shards; shard += 1) {
    found.push(...(await db.query<FailingEndpoint>(listFailing, [shard, ...values])));
  }
  return found;
}

function registrationDecided(row: DecidedRegistration): Notice {
  const id = toApiId("registration", row.id);
  const outcome = row.status === "expired" ? "has expired" : `was ${row.status}`;
  return {
    kind: "registration_decided",
    subject: `${id} ${row.status} ${row.updated_at}`,
    accountId: row.account_id,
    title: `${row.business_name}: registration ${row.status}`,
    text: `The registration of ${row.business_name} ${outcome}.`,
    path: `${pathOf(row.account_id, row.mode ?? "live")}/registrations/${id}`,
  };
}

function liveAccessRequested(row: WaitingRequest): Notice {
  return {
    kind: "live_access_requested",
    subject: `${toApiId("account", row.account_id)} ${row.requested_at}`,
    accountId: null,
    title: `${row.name} requests live access`,
    text: `${row.company} requests live access for the account ${row.name}.`,
    path: "/op/reviews?tab=live-access",
  };
}

/** Carriers without a bind that is up, once all have been down for a while. */
function carriersDown(binds: readonly BindRow[], realNow: number): Notice[] {
  const carriers = [...new Set(binds.map(({ carrier }) => carrier))];
  return carriers.flatMap((carrier): Notice[] => {
    const own = binds.filter((bind) => bind.carrier === carrier);
    const since = Math.max(...own.map((bind) => bind.since));
    const isDown = own.every((bind) => bind.state !== "up");
    if (!isDown || realNow - since < CARRIER_DOWN_MS) return [];
    const reason = own.find((bind) => bind.last_error !== null)?.last_error;
    return [
      {
        kind: "carrier_down",
        subject: `${carrier} ${since}`,
        accountId: null,
        title: `Carrier ${carrier} is down`,
        text: `No bind of the carrier ${carrier} is up.${reason ? ` Its last error: ${reason}` : ""}`,
        path: "/op/carriers",
      },
    ];
  });
}

/** Once a day for a carrier that delivers messages for numbers it does not serve. */
function unownedInbound(
  { carrier, last_at: lastAt, last_number: number }: UnownedRow,
  now: number,
): Notice[] {
  if (now - lastAt > RECENT_MS) return [];
  return [
    {
      kind: "carrier_unowned",
      subject: `${carrier} ${Math.floor(lastAt / DAY_MS)}`,
      accountId: null,
      title: `Carrier ${carrier} delivers for numbers it does not serve`,
      text: `The carrier ${carrier} delivered messages for numbers that it does not serve${number === null ? "" : `, the last one for ${number}`}. They had no effect, a STOP included. Add the numbers to the carrier if they are its own.`,
      path: `/op/carriers/${encodeURIComponent(carrier)}`,
    },
  ];
}

function spendThreshold({ account_id, threshold }: AlertedSpending, month: string): Notice {
  return {
    kind: "spend_threshold",
    subject: `${toApiId("account", account_id)} ${month} ${threshold}`,
    accountId: account_id,
    title: `${threshold} % of this month's spend limit is used`,
    text: `The account has used ${threshold} % of its spend limit of this month. At the limit, messages are refused.`,
    path: `${pathOf(account_id, "live")}/billing`,
  };
}

/** Once a day for an endpoint that keeps failing. */
function webhookFailing(
  { account_id, endpoint_id, url, mode }: FailingEndpoint,
  now: number,
): Notice {
  const id = toApiId("webhook_endpoint", endpoint_id);
  return {
    kind: "webhook_failing",
    subject: `${id} ${Math.floor(now / DAY_MS)}`,
    accountId: account_id,
    title: `Webhook ${url} fails`,
    text: `Events for the webhook ${url} ran out of their attempts. They can be sent again.`,
    path: `${pathOf(account_id, mode)}/webhooks/${id}`,
  };
}

function pathOf(accountId: string, mode: string): string {
  return `/${toApiId("account", accountId)}/${mode}`;
}

async function mailOnce(deps: Deps, notice: Notice, now: number): Promise<void> {
  const { db, config, mailer } = deps;
  const { kind, subject, accountId } = notice;
  const recorded = await db.query(recordNotice, [kind, subject, new Date(now)]);
  if (recorded.length === 0) return;
  const account = accountId === null ? null : await readAccount(db, accountId);
  const people = await (accountId === null
    ? db.query<{ email: string }>(operatorEmails, [])
    : db.query<{ email: string }>(adminEmails, [accountId]));
  const url = `${ownOrigin(config)}${notice.path}`;
  const mails = people.map(({ email }) =>
    noticeMail(email, { ...notice, account: account?.name ?? null, url }),
  );
  const taken = await Promise.all(mails.map((mail) => mailer.send(mail)));
  // With several people, one mail that left is enough: a second run would mail that person again.
  if (mails.length > 0 && !taken.includes(true)) await db.query(forgetNotice, [kind, subject]);
}

/**
 * Posts a notice to the operator's webhook; Slack and similar programs show `text`. Returns whether the notice was due.
 * A failed post deletes the record of the notice, so the next run retries it.
 */
async function postOnce(
  deps: Deps,
  { notice, hookUrl, now }: { notice: Notice; hookUrl: string; now: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { db, config } = deps;
  const { kind, accountId, title, text, path } = notice;
  // Mail and webhook are recorded apart: an outage of one loses nothing in the other.
  const record = [kind, `webhook ${notice.subject}`];
  if ((await db.query(recordNotice, [...record, new Date(now)])).length === 0) return false;
  const account = accountId === null ? null : await readAccount(db, accountId);
  const url = `${ownOrigin(config)}${path}`;
  const body = JSON.stringify({
    text: `${title}\n${text}\n${url}`,
    kind,
    title,
    account_id: accountId === null ? null : toApiId("account", accountId),
    account_name: account?.name ?? null,
    url,
    created_at: formatTimestamp(now),
  });
  const answer = await deps.outgoing.request({
    method: "POST",
    url: hookUrl,
    plainHttp: true,
    headers: ["content-type", "application/json"],
    body,
    deadlineMs: POST_DEADLINE_MS,
    bodyBytesMax: POST_ANSWER_BYTES_MAX,
    signal,
  });
  if (answer.kind === "answer" && answer.status >= 200 && answer.status < 300) return true;
  const reason = answer.kind === "answer" ? `status ${answer.status}` : answer.reason;
  deps.log.warn({ kind, reason }, "console: notice not posted");
  await db.query(forgetNotice, record);
  return true;
}

import { ATTACKER_NUMBER, type Attack, call, remembered, sendMessages, upload } from "./attack.ts";
import { flood, pipelined, type Target, wire } from "./flood.ts";

const batchOf = (recipients: number, more: object) => {
  const list = Array.from({ length: recipients }, (_, index) => ({
    to: `+1415200${String(index).padStart(4, "0")}`,
    variables: { name: `n${index}` },
  }));
  return JSON.stringify({ from: ATTACKER_NUMBER, body: "Hi {{name}}", recipients: list, ...more });
};

/** Imports of 500 rows on four connections, each row another person. */
const importing =
  (path: string, list: string, rowOf: (index: number, batch: number) => object) =>
  (target: Target) => {
    let batch = 0;
    return flood(target, {
      connections: 4,
      varies: true,
      bytes: ({ key }) => {
        batch += 1;
        const rows = Array.from({ length: 500 }, (_, index) => ({
          phone_number: `+1${415 + (batch % 5)}${200 + (Math.floor(batch / 5) % 700)}${String(index).padStart(4, "0")}`,
          ...rowOf(index, batch),
        }));
        return wire({ method: "POST", path, key, body: JSON.stringify({ [list]: rows }) });
      },
    });
  };

/** STOP and START alternately, each from a phone that has not texted before. */
const receiveMessages = (target: Target) => {
  let texts = 0;
  return flood(target, {
    connections: 8,
    varies: true,
    bytes: ({ key }) => {
      texts += 1;
      const from = `+1415${2_000_000 + ((Math.floor(texts / 2) * 7_919) % 7_000_000)}`;
      const text = { from, to: ATTACKER_NUMBER, body: texts % 2 === 0 ? "STOP" : "START" };
      const body = JSON.stringify(text);
      return wire({ method: "POST", path: "/v1/test/inbound", key, body });
    },
  });
};

const EXPORTS = ["contacts", "audit_log", "messages", "events", "consent", "webhook_deliveries"];

const EVERY_HOUR = Array.from({ length: 24 }, (_, hour) => hour).join(",");
/** Recurrence rules that never match, rarely match, or are the slowest to evaluate. */
const RULES: readonly object[] = [
  { rrule: "FREQ=DAILY;BYHOUR=0,1,2,3;BYMINUTE=0;BYSETPOS=366" },
  { rrule: `FREQ=DAILY;BYHOUR=${EVERY_HOUR};BYMINUTE=0;BYSETPOS=366` },
  { rrule: "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30" },
  { rrule: "FREQ=MINUTELY;INTERVAL=7;BYDAY=SA,SU;BYMONTH=2;BYMONTHDAY=29;BYHOUR=3;BYMINUTE=8" },
  { rrule: "FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=1,2;BYMINUTE=1,2,3;BYSETPOS=1,-1;COUNT=10000" },
  { rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;COUNT=10000" },
  { cron: "0 0 30 2 *" },
  { cron: "0 0 31W 2,4,6,9,11 *" },
];

/** Attacks with ordinary API calls, as many and as large as the limits allow. */
export const WORK_ATTACKS: readonly Attack[] = [
  {
    name: "own messages",
    what: "messages beyond its rate limit",
    meets: [201, 429],
    run: sendMessages,
  },
  {
    name: "rules that recur",
    what: "recurring schedules whose rules are the slowest to evaluate; one once took 12 s",
    meets: [201, 400],
    isShort: true,
    run: (target) =>
      flood(target, {
        connections: 4,
        bytes: ({ key }) =>
          Buffer.concat(
            RULES.map((rule) => {
              const text = { to: "+15005550000", from: ATTACKER_NUMBER, body: "Hello" };
              const body = JSON.stringify({ ...text, ...rule, timezone: "America/New_York" });
              return wire({ method: "POST", path: "/v1/schedules", key, body });
            }),
          ),
      }),
  },
  {
    name: "dry runs",
    what: "batches of 10,000 that are only validated",
    meets: [200],
    run: upload("dry runs", () => batchOf(10_000, { dry_run: true })),
  },
  {
    name: "batches",
    what: "batches of 10,000, one after the other",
    meets: [201],
    run: (target) =>
      flood(target, {
        connections: 1,
        restMs: 500,
        bytes: ({ key }) =>
          remembered("batches", () =>
            wire({ method: "POST", path: "/v1/batches", key, body: batchOf(10_000, {}) }),
          ),
      }),
  },
  {
    name: "one idempotency key",
    what: "the same Idempotency-Key on many connections at once",
    meets: [201],
    run: (target) =>
      flood(target, {
        connections: 16,
        bytes: ({ key }) =>
          wire({
            method: "POST",
            path: "/v1/customers",
            key,
            headers: { "idempotency-key": "the-same" },
            body: JSON.stringify({ name: "Storm" }),
          }),
      }),
  },
  {
    name: "imports",
    what: "imports of 500 contacts on four connections, each row another person",
    meets: [200],
    run: importing("/v1/contacts/import", "contacts", (index, batch) => ({
      name: `Person ${index} of ${batch}`,
      tags: [`tag ${index % 50}`],
    })),
  },
  {
    name: "searches",
    what: "searches of contacts that match little, segments of fifty conditions, and lists by every filter",
    meets: [200],
    run: (target) => {
      const leaf = (index: number) => ({ field: "name", op: "contains", value: `zq${index}` });
      const filter = { any: Array.from({ length: 50 }, (_, index) => leaf(index)) };
      return flood(target, {
        connections: 4,
        bytes: ({ key }) =>
          Buffer.concat([
            pipelined(5, { path: "/v1/contacts?q=zzz&limit=100", key }),
            pipelined(5, { path: "/v1/contacts?q=e%20o&limit=100", key }),
            wire({
              method: "POST",
              path: "/v1/segments/preview",
              key,
              body: JSON.stringify({ filter }),
            }),
            pipelined(5, { path: "/v1/conversations?q=zzz&limit=100", key }),
            pipelined(5, { path: "/v1/messages?status=failed&direction=inbound&limit=100", key }),
          ]),
      });
    },
  },
  {
    name: "exports",
    what: "everything exported repeatedly and read slowly",
    meets: [],
    run: (target) =>
      flood(target, {
        connections: 10,
        reads: false,
        restMs: 200,
        bytes: ({ key }) =>
          Buffer.concat(EXPORTS.map((name) => wire({ path: `/v1/exports/${name}`, key }))),
      }),
  },
  {
    name: "personal data",
    what: "everything about one phone, of the account's whole history",
    meets: [200],
    run: (target) =>
      flood(target, {
        connections: 8,
        bytes: ({ key }) => wire({ path: "/v1/personal_data/+15005550000", key }),
      }),
  },
  {
    name: "verifications",
    what: "codes to a new phone with every call, before and after fraud protection refuses",
    meets: [201],
    run: (target) => {
      let phone = 0;
      return flood(target, {
        connections: 8,
        varies: true,
        bytes: ({ key }) => {
          phone += 1;
          const body = JSON.stringify({
            phone: `+1415${2_000_000 + ((phone * 7_919) % 7_000_000)}`,
          });
          return wire({ method: "POST", path: "/v1/verify", key, body });
        },
      });
    },
  },
  {
    name: "lists",
    what: "the longest pages of messages, events and contacts, beyond the rate limit",
    meets: [200],
    run: (target) =>
      flood(target, {
        connections: 8,
        bytes: ({ key }) =>
          Buffer.concat([
            pipelined(6, { path: "/v1/messages?limit=100", key }),
            pipelined(6, { path: "/v1/events?limit=100", key }),
            pipelined(4, { path: "/v1/contacts?limit=100", key }),
          ]),
      }),
  },
  {
    name: "claims",
    what: "a new Idempotency-Key on sixteen connections at once, fifteen of which wait for the first",
    meets: [201],
    run: (target) => {
      let sent = 0;
      return flood(target, {
        connections: 16,
        varies: true,
        restMs: 100,
        bytes: ({ key }) => {
          sent += 1;
          const headers = { "idempotency-key": `claim-${Math.floor(sent / 16)}` };
          const body = JSON.stringify({ name: "Storm" });
          return wire({ method: "POST", path: "/v1/customers", key, headers, body });
        },
      });
    },
  },
  {
    name: "wide batches",
    what: "batches of 10,000 with long bodies of many segments, only validated",
    meets: [200],
    run: upload("wide batches", () =>
      batchOf(10_000, { dry_run: true, body: `${"Hi {{name}} ✓ ".repeat(40)}{{name}}` }),
    ),
  },
  {
    name: "messages received",
    what: "STOP and START in turn from new phones, each with an automatic reply",
    meets: [201],
    run: receiveMessages,
  },
  {
    name: "messages both ways",
    what: "the same while it sends messages, which share group commits with other accounts",
    meets: [201, 429],
    run: async (target) => {
      await Promise.all([receiveMessages(target), sendMessages(target)]);
    },
  },
  {
    name: "verified numbers",
    what: "POST and DELETE of the same foreign phones in turn; 106 of 120 once got a real code",
    meets: [201, 200],
    run: (target) => {
      let phones = 0;
      return flood(target, {
        connections: 4,
        varies: true,
        bytes: ({ key }) => {
          phones += 1;
          const path = "/v1/verified_numbers";
          // The limit is ten per account; eight one after another never exceed it.
          const phone = `+141523${phones % 8}1000`;
          const body = JSON.stringify({ phone_number: phone });
          const removed = `${path}/${encodeURIComponent(phone)}`;
          return Buffer.concat([
            wire({ method: "DELETE", path: removed, key }),
            wire({ method: "POST", path, key, body }),
          ]);
        },
      });
    },
  },
  {
    name: "consent imports",
    what: "imports of 500 opt-outs on four connections, each row another person",
    meets: [200],
    run: importing("/v1/consent/import", "numbers", () => ({ status: "opted_out" })),
  },
];

/**
 * Attacks whose work continues after their responses. They come last, so that it does not slow down a later
 * attack.
 */
export const LASTING_ATTACKS: readonly Attack[] = [
  {
    name: "erasures",
    what: "erasures of new phones, each of which visits every place with personal data",
    meets: [201],
    run: (target) => {
      let phone = 0;
      return flood(target, {
        connections: 8,
        varies: true,
        bytes: ({ key }) => {
          phone += 1;
          const body = JSON.stringify({ phone_number: `+1415${3_000_000 + phone}` });
          return wire({ method: "POST", path: "/v1/erasures", key, body });
        },
      });
    },
  },
  {
    name: "tracked events",
    what: "a hundred events per call, each of which starts runs of ten automations",
    meets: [202],
    run: async (target) => {
      const phone_number = "+14152009999";
      await call(target, "POST", "/v1/contacts", { phone_number });
      const steps = [{ type: "wait", seconds: 86_400 }];
      const made = Array.from({ length: 10 }, (_, index) =>
        call(target, "POST", "/v1/automations", {
          name: `Storm ${index}`,
          trigger: { event: "storm" },
          steps,
          reentry: "any",
        }),
      );
      const automations = await Promise.all(made);
      const events = Array.from({ length: 100 }, () => ({ event: "storm", phone_number }));
      const body = JSON.stringify({ events });
      await flood(target, {
        connections: 8,
        bytes: ({ key }) => wire({ method: "POST", path: "/v1/track", key, body }),
      });
      for (const { id } of automations) await call(target, "DELETE", `/v1/automations/${id}`);
    },
  },
];

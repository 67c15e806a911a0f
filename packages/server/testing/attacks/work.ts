import { ATTACKER_NUMBER, type Attack, remembered, sendTexts, upload } from "./attack.ts";
import { flood, pipelined, wire } from "./socket.ts";

const batchOf = (recipients: number, more: object) => {
  const list = Array.from({ length: recipients }, (_, index) => ({
    to: `+1415200${String(index).padStart(4, "0")}`,
    variables: { name: `n${index}` },
  }));
  return JSON.stringify({ from: ATTACKER_NUMBER, body: "Hi {{name}}", recipients: list, ...more });
};

/** Calls with a key, each of which the API is there for, as many and as large as they may be. */
export const WORK_ATTACKS: readonly Attack[] = [
  {
    name: "own texts",
    what: "texts of its own, beyond its rate limit",
    run: sendTexts,
  },
  {
    name: "dry runs",
    what: "batches of 10,000 that are only validated",
    run: upload("dry runs", () => batchOf(10_000, { dry_run: true })),
  },
  {
    name: "batches",
    what: "batches of 10,000, one after the other",
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
    run: (target) => {
      let import_ = 0;
      return flood(target, {
        connections: 4,
        varies: true,
        bytes: ({ key }) => {
          import_ += 1;
          const contacts = Array.from({ length: 500 }, (_, index) => ({
            phone_number: `+1${415 + (import_ % 5)}${200 + (Math.floor(import_ / 5) % 700)}${String(index).padStart(4, "0")}`,
            name: `Person ${index} of ${import_}`,
            tags: [`tag ${index % 50}`],
          }));
          const body = JSON.stringify({ contacts });
          return wire({ method: "POST", path: "/v1/contacts/import", key, body });
        },
      });
    },
  },
  {
    name: "searches",
    what: "searches of contacts that match little, segments of fifty conditions, and lists by every filter",
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
            pipelined(5, { path: "/v1/messages?status=failed&direction=inbound&limit=100", key }),
          ]),
      });
    },
  },
  {
    name: "exports",
    what: "everything exported again and again, and read a little at a time",
    run: (target) =>
      flood(target, {
        connections: 10,
        reads: false,
        restMs: 200,
        bytes: ({ key }) =>
          Buffer.concat([
            wire({ path: "/v1/exports/contacts", key }),
            wire({ path: "/v1/exports/audit_log", key }),
          ]),
      }),
  },
  {
    name: "verifications",
    what: "codes to a new phone with every call, until fraud protection says no, and then on",
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
    what: "the longest pages of texts, events and contacts, as many as the limit allows and more",
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
    what: "a new Idempotency-Key on sixteen connections at once, which then all wait for one of them",
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
    what: "batches of 10,000 with long texts of many parts, only validated",
    run: upload("wide batches", () =>
      batchOf(10_000, { dry_run: true, body: `${"Hi {{name}} ✓ ".repeat(40)}{{name}}` }),
    ),
  },
];

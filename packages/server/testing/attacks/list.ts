import { mintKey } from "../../src/keys/mint.ts";
import { systemRandom } from "../../src/platform/random.ts";
import { type Flood, flood, pipelined, type Target, wire } from "./socket.ts";

/**
 * What one client can do at its worst without breaking a rule of the API: whatever a review finds is
 * added here, and both the short and the long test then hold the promise against it.
 */
export interface Attack {
  readonly name: string;
  /** What it does, and what it did before there was a bound. */
  readonly what: string;
  /** What a server that has just started holds at most meanwhile; the first of the list meets one. */
  readonly peakMbMax?: number;
  /** Its harm was that one request held everybody up: `npm test` tries it, too. */
  readonly isShort?: true;
  run(target: Target): Promise<void>;
}

const LARGE_BYTES = 7_800_000;
/** A number of the attacker's own; fairness.ts buys it. */
export const ATTACKER_NUMBER = "+14155550100";
const FROM = ATTACKER_NUMBER;

/** A body of the largest size, full of one kind of thing. */
function large(part: (index: number) => string, open = "[", close = "]"): string {
  const parts: string[] = [];
  let bytes = 0;
  for (let index = 0; bytes < LARGE_BYTES; index += 1) {
    const text = part(index);
    parts.push(text);
    bytes += text.length + 1;
  }
  return `${open}${parts.join(",")}${close}`;
}

/** Made once: the attack is what the server does with them. */
const memory = new Map<string, Buffer>();
function remembered(name: string, make: () => Buffer): Buffer {
  const known = memory.get(name) ?? make();
  memory.set(name, known);
  return known;
}

const upload = (name: string, body: () => string) => (target: Target) =>
  flood(target, {
    connections: 4,
    bytes: ({ key }) =>
      remembered(name, () => wire({ method: "POST", path: "/v1/batches", key, body: body() })),
  });

const batchOf = (recipients: number, more: object) => {
  const list = Array.from({ length: recipients }, (_, index) => ({
    to: `+1415200${String(index).padStart(4, "0")}`,
    variables: { name: `n${index}` },
  }));
  return JSON.stringify({ from: FROM, body: "Hi {{name}}", recipients: list, ...more });
};

const withheldUpload = (key: string) =>
  wire({
    method: "POST",
    path: "/v1/batches",
    key,
    body: Buffer.alloc(8 * 1024 * 1024, " "),
    withheld: 1,
  });

export const ATTACKS: readonly Attack[] = [
  {
    name: "withheld bytes",
    what: "300 uploads of 8 MiB by six accounts, whose last byte never comes, which once took 2.5 GB",
    isShort: true,
    peakMbMax: 400,
    run: async (target) => {
      const floods = target.keys.map((key) =>
        flood(target, {
          connections: 300 / target.keys.length,
          once: true,
          bytes: () => remembered(`withheld ${key}`, () => withheldUpload(key)),
        }),
      );
      await Promise.all(floods);
    },
  },
  {
    name: "metrics",
    what: "900 pipelined requests for /metrics without a key, which once took 12.5 s of everybody's time",
    isShort: true,
    run: (target) =>
      flood(target, { connections: 1, bytes: () => pipelined(900, { path: "/metrics" }) }),
  },
  {
    name: "document",
    what: "the OpenAPI document, pipelined, on four connections",
    isShort: true,
    run: (target) =>
      flood(target, {
        connections: 4,
        bytes: () => pipelined(50, { path: "/v1/openapi.json" }),
      }),
  },
  {
    name: "strangers",
    what: "calls with keys that are well formed and unknown: each costs a query until the address is held back",
    run: (target) => {
      const random = systemRandom();
      return flood(target, {
        connections: 8,
        varies: true,
        bytes: () => wire({ path: "/v1/account", key: mintKey(random, "test").key }),
      });
    },
  },
  {
    name: "refusals",
    what: "404, 405 and 400 with a valid key, as fast as they come",
    isShort: true,
    run: (target) =>
      flood(target, {
        connections: 4,
        bytes: ({ key }) =>
          Buffer.concat([
            pipelined(5, { path: "/v1/nothing", key }),
            pipelined(5, { method: "DELETE", path: "/v1/account", key }),
            pipelined(5, { path: "/v1/messages?limit=0", key }),
          ]),
      }),
  },
  {
    name: "keys of an object",
    what: "an object with 700,000 keys, which once held the event loop for 3.6 s",
    isShort: true,
    run: upload("keys", () => large((index) => `"k${index}":1`, "{", "}")),
  },
  {
    name: "numbers",
    what: "8 MB of numbers",
    isShort: true,
    run: upload("numbers", () => large((index) => String(index))),
  },
  {
    name: "escapes",
    what: "8 MB of escaped characters",
    run: upload("escapes", () => large(() => `"${"\\u0041".repeat(50)}"`)),
  },
  {
    name: "nested lists",
    what: "8 MB of lists within lists",
    run: upload("lists", () => large(() => "[[[[[[[[1]]]]]]]]")),
  },
  {
    name: "long polls",
    what: "300 calls that wait for events",
    isShort: true,
    run: async (target) => {
      const headers = { authorization: `Bearer ${target.key}` };
      const answer = await fetch(`${target.url}/v1/events/wait`, { headers });
      const { cursor } = (await answer.json()) as { cursor: string };
      await flood(target, {
        connections: 300,
        once: true,
        bytes: ({ key }) => wire({ path: `/v1/events/wait?timeout=25&cursor=${cursor}`, key }),
      });
    },
  },
  {
    name: "own texts",
    what: "texts of its own, beyond its rate limit",
    run: (target) =>
      flood(target, {
        connections: 8,
        bytes: ({ key }) =>
          pipelined(16, {
            method: "POST",
            path: "/v1/messages",
            key,
            body: JSON.stringify({ to: "+15005550000", from: FROM, body: "Hello" }),
          }),
      }),
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
    name: "unread answers",
    what: "lists asked for and never read",
    run: (target) =>
      flood(target, {
        connections: 50,
        reads: false,
        restMs: 50,
        bytes: ({ key }) => pipelined(16, { path: "/v1/events?limit=100", key }),
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
    name: "pipelines",
    what: "64 KiB of the smallest requests there are on fifty connections at once, again and again",
    isShort: true,
    run: (target) =>
      flood(target, { connections: 50, bytes: () => pipelined(1_400, { path: "/healthz" }) }),
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
    name: "sign-ins",
    what: "passwords guessed for an email that nobody has, each of which is hashed for 80 ms",
    run: (target) =>
      flood(target, {
        connections: 40,
        bytes: ({ url }) =>
          wire({
            method: "POST",
            path: "/console/v1/sign-in",
            headers: { origin: url },
            body: JSON.stringify({ email: "nobody@example.com", password: "guess guess guess" }),
          }),
      }),
  },
  {
    name: "polls that come and go",
    what: "calls that wait for events, left after a moment and made again on new connections",
    run: async (target) => {
      const headers = { authorization: `Bearer ${target.key}` };
      const answer = await fetch(`${target.url}/v1/events/wait`, { headers });
      const { cursor } = (await answer.json()) as { cursor: string };
      const bytes = wire({ path: `/v1/events/wait?timeout=25&cursor=${cursor}`, key: target.key });
      await comeAndGo(target, 20, { connections: 5, once: true, bytes: () => bytes });
    },
  },
  {
    name: "wide batches",
    what: "batches of 10,000 with long texts of many parts, only validated",
    run: upload("wide batches", () =>
      batchOf(10_000, { dry_run: true, body: `${"Hi {{name}} ✓ ".repeat(40)}{{name}}` }),
    ),
  },
  {
    name: "connections",
    what: "connections opened and left, as fast as they come",
    run: (target) => comeAndGo(target, 20, { connections: 5, once: true, bytes: () => "GET / HT" }),
  },
];

/** The same on connections that are left after a moment, so many at a time. */
async function comeAndGo(target: Target, times: number, how: Flood): Promise<void> {
  const again = async () => {
    while (!target.signal.aborted) {
      const brief = AbortSignal.any([target.signal, AbortSignal.timeout(30)]);
      await flood({ ...target, signal: brief }, how);
    }
  };
  await Promise.all(Array.from({ length: times }, again));
}

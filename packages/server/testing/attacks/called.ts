import { createHmac } from "node:crypto";
import { ATTACKER_NUMBER, type Attack, call } from "./attack.ts";
import { flood, pipelined, type Target, wire } from "./flood.ts";

/** Nearly the largest body of a hook's call. */
const CALL_BYTES = 250 * 1_024;
const SECRET = "attacks-of-a-program";
const PHONES = Array.from({ length: 10 }, (_, at) => `+1415555${String(1_000 + at)}`);

/** A hook of the attacker's. */
async function makeHook(target: Target, declaration: object, recipients: readonly string[]) {
  const given = { name: "Storm", from: ATTACKER_NUMBER, recipients, secret: SECRET };
  const hook = await call(target, "POST", "/v1/hooks", { ...given, declaration });
  return {
    path: `/hooks/${hook.id}`,
    remove: () => call(target, "DELETE", `/v1/hooks/${hook.id}`),
  };
}

function signedCall(path: string, body: string, { isGuessed }: { isGuessed: boolean }): Buffer {
  const mac = createHmac("sha256", isGuessed ? "guess" : SECRET)
    .update(body)
    .digest("hex");
  const headers = { "x-signature": mac };
  return wire({ method: "POST", path, headers, body, withheld: isGuessed ? 1 : 0 });
}

/** Attacks on addresses that other programs call: hooks, and the registry's. */
export const CALLED_ATTACKS: readonly Attack[] = [
  {
    name: "calls of hooks",
    what: "calls with a hundred thousand items for ten phones each, and with texts of many long lists",
    meets: [400],
    isShort: true,
    run: async (target) => {
      const list = { purpose: "alerts", list: "items", body: "{{a}}{{b|c|d}} {{e}}" };
      const names = Array.from({ length: 30 }, (_, at) => `$root.x[].${at}`).join("|");
      const long = { purpose: "alerts", list: "items", body: `{{${names}}}` };
      const hooks = [
        await makeHook(target, list, PHONES),
        await makeHook(target, long, PHONES.slice(0, 1)),
      ];
      const bodies = [
        `{"items":[1${",1".repeat(CALL_BYTES / 2)}]}`,
        `{"items":[1${",1".repeat(99)}],"x":[{}${",{}".repeat(CALL_BYTES / 4)}]}`,
      ];
      const bytes = hooks.map(({ path }, at) =>
        wire({ method: "POST", path: `${path}/${SECRET}`, body: bodies[at] ?? "" }),
      );
      const sent = Buffer.concat(bytes);
      await flood(target, { connections: 4, from: "127.0.0.10", bytes: () => sent });
      for (const { remove } of hooks) await remove();
    },
  },
  {
    name: "withheld calls",
    what: "calls of a hook with guessed signatures, whose last byte never comes, beside a program's own",
    meets: [200],
    meetsOnly: true,
    isShort: true,
    run: async (target) => {
      const signature = { type: "hmac", header: "X-Signature" };
      const declaration = { purpose: "alerts", body: "{{text}}", when: NEVER, signature };
      const { path, remove } = await makeHook(target, declaration, PHONES.slice(0, 1));
      const withheld = flood(target, {
        connections: 128,
        from: "127.0.0.11",
        once: true,
        reads: false,
        bytes: () => signedCall(path, "x".repeat(CALL_BYTES), { isGuessed: true }),
      });
      const honest = flood(target, {
        connections: 1,
        from: "127.0.0.12",
        restMs: 50,
        bytes: () => signedCall(path, JSON.stringify({ text: "Hello" }), { isGuessed: false }),
      });
      await Promise.all([withheld, honest]);
      await remove();
    },
  },
  {
    name: "guessed calls",
    what: "calls of hooks and of the registry's address with guessed secrets, some of them withheld",
    meets: [404],
    run: (target) => {
      const guesses = ["/hooks/hook_01jd0000000000000000000000/guess", "/registry-callbacks/guess"];
      const bytes = guesses.flatMap((path) => [
        pipelined(8, { method: "POST", path, body: "{}" }),
        wire({ method: "POST", path, body: " ".repeat(CALL_BYTES), withheld: 1 }),
      ]);
      const floods = bytes.map((each) =>
        flood(target, { connections: 8, from: "127.0.0.13", bytes: () => each }),
      );
      return Promise.all(floods).then(() => {});
    },
  },
];

/** Meets no item, so that no message leaves. */
const NEVER = [{ path: "kind", values: ["alert"] }];

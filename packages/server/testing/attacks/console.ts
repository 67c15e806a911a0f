import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type Attack, FROM_OUR_PAGE, KNOWN_EMAIL, KNOWN_PASSWORD } from "./attack.ts";
import { flood, pipelined, type Target, wire } from "./flood.ts";

/** Console paths that an operator reads in a visited account: lists, searches, counts and exports. */
export function visitedPaths(accountId: string): string[] {
  const own = [
    "requests?limit=100&path=nowhere",
    "contacts?q=e%20o&limit=100",
    "messages?limit=100",
    "usage",
    "deliverability",
    "exports/contacts",
    "webhooks/deliveries?ok=true&limit=100",
    "verify/decisions?allowed=true&limit=100",
    "verify?status=approved&limit=100",
    "search?q=nowhere%20to%20be%20found",
    "conversations?q=nowhere",
    "audit-logs?action=api_key.created&actor=operator&limit=100",
  ].map((path) => `${accountId}/test/${path}`);
  const ofOperators = ["operator/hold", "operator/accounts?status=suspended&limit=100"];
  return [...own, ...ofOperators].map((path) => `/console/v1/${path}`);
}

/** Attacks on the console and the operator API, with and without a session. */
export const CONSOLE_ATTACKS: readonly Attack[] = [
  {
    name: "sign-ins",
    what: "passwords guessed for an unknown email; hashing each takes 80 ms",
    meets: [401],
    run: (target) =>
      flood(target, {
        connections: 40,
        bytes: () =>
          form("/sign-in", { email: "nobody@example.com", password: "guess guess guess" }),
      }),
  },
  {
    name: "password links",
    what: "password reset links for a known email, sent through a mail server that never responds",
    meets: [202, 429],
    run: (target) =>
      flood(target, {
        connections: 40,
        from: "127.0.0.2",
        bytes: () => form("/reset", { email: KNOWN_EMAIL }),
      }),
  },
  {
    name: "guessed links",
    what: "invitations opened and accepted with guessed tokens",
    meets: [404],
    run: (target) => {
      const token = "A".repeat(43);
      return flood(target, {
        connections: 40,
        from: "127.0.0.3",
        bytes: () =>
          Buffer.concat([
            form("/links/open", { token }),
            form("/links/redeem", { token, password: "correct horse battery" }),
          ]),
      });
    },
  },
  {
    name: "made-up links",
    what: "made-up links and unknown emails from eight addresses; hashing them filled the sign-in queue",
    meets: [404, 429],
    run: async (target) => {
      const given = { token: "B".repeat(43), password: "correct horse battery" };
      const guess = { email: "nobody@example.com", password: "guess guess guess" };
      const bytes = () => Buffer.concat([form("/links/redeem", given), form("/sign-in", guess)]);
      const addresses = Array.from({ length: 8 }, (_, at) => `127.0.1.${at + 1}`);
      await Promise.all(addresses.map((from) => flood(target, { connections: 5, from, bytes })));
    },
  },
  {
    name: "withheld forms",
    what: "sign-ins from sixteen addresses whose last byte never comes; they once kept everybody else from signing in",
    meets: [200],
    meetsOnly: true,
    isShort: true,
    run: async (target) => {
      const whole = form("/sign-in", { email: KNOWN_EMAIL, password: "x".repeat(4_000) });
      const withheld = whole.subarray(0, -1);
      const addresses = Array.from({ length: 16 }, (_, at) => `127.0.4.${at + 1}`);
      const floods = addresses.map((from) =>
        flood(target, { connections: 4, from, once: true, reads: false, bytes: () => withheld }),
      );
      const person = { email: KNOWN_EMAIL, password: KNOWN_PASSWORD };
      const honest = flood(target, {
        connections: 1,
        from: "127.0.5.1",
        restMs: 250,
        bytes: () => form("/sign-in", person),
      });
      await Promise.all([...floods, honest]);
    },
  },
  {
    name: "passkeys",
    what: "challenges of passkeys, and sign-ins with a made-up passkey",
    meets: [200, 401],
    run: async (target) => {
      const options = await fetch(`${target.url}/console/v1/passkeys/options`, {
        method: "POST",
        headers: FROM_OUR_PAGE,
      });
      const { setup } = (await options.json()) as { setup: string };
      const part = (bytes: number) => Buffer.alloc(bytes, 7).toString("base64url");
      const assertion = {
        setup,
        id: part(1_400),
        client_data: part(2_900),
        authenticator_data: part(2_900),
        signature: part(2_900),
      };
      await flood(target, {
        connections: 40,
        from: "127.0.0.14",
        bytes: () =>
          Buffer.concat([form("/passkeys/options", {}), form("/passkeys/sign-in", assertion)]),
      });
    },
  },
  {
    name: "current passwords",
    what: "wrong current passwords of a signed-in person; guesses were once not counted, and each is hashed",
    meets: [400, 429],
    run: (target) => {
      const { cookie } = target.visit;
      const given = { password: "guess guess guess", new_password: KNOWN_PASSWORD };
      return flood(target, {
        connections: 20,
        from: "127.0.0.6",
        bytes: () =>
          Buffer.concat([
            form("/me/password", given, { cookie }),
            form("/session/confirm", { password: given.password }, { cookie }),
          ]),
      });
    },
  },
  {
    name: "invitations",
    what: "invitations of new addresses through a mail server that never responds; none was once bounded",
    // The first twenty mails wait for the mail server; further invitations are answered without one.
    meets: [201],
    run: async (target) => {
      const { accountId } = target.visit;
      const cookie = await signIn(target, "127.0.0.7");
      let invited = 0;
      await flood(target, {
        connections: 40,
        varies: true,
        restMs: 250,
        bytes: () => {
          invited += 1;
          const body = { email: `person-${invited}@example.com`, role: "viewer" };
          return form(`/operator/accounts/${accountId}/invitations`, body, { cookie });
        },
      });
    },
  },
  {
    name: "console pages",
    what: "the console's page and the guides without a session, and never read",
    meets: [],
    run: (target) =>
      flood(target, {
        connections: 50,
        reads: false,
        restMs: 50,
        bytes: () =>
          Buffer.concat([
            pipelined(4, { path: "/acct_1/test/messages" }),
            pipelined(4, { path: "/docs" }),
            pipelined(8, { path: "/llms.txt" }),
          ]),
      }),
  },
  {
    name: "visits",
    what: "lists, searches, counts, exports and the log of requests of a busy account that the operator has opened",
    meets: [200],
    needsBusyAccount: true,
    run: (target) => {
      const { cookie, accountId } = target.visit;
      const calls = visitedPaths(accountId).map((path) => wire({ path, headers: { cookie } }));
      return flood(target, { connections: 16, bytes: () => Buffer.concat(calls) });
    },
  },
  {
    name: "operator API",
    what: "operator calls with invalid tokens and with account keys",
    meets: [401],
    run: (target) =>
      flood(target, {
        connections: 8,
        bytes: ({ key }) =>
          Buffer.concat(
            ["guessed", key].map((bearer) =>
              pipelined(8, {
                path: "/operator/v1/registrations/reg_01jd0000000000000000000000",
                key: bearer,
              }),
            ),
          ),
      }),
  },
];

/** A new session of the operator, whose password counts as confirmed. */
async function signIn(target: Target, localAddress: string): Promise<string> {
  const headers = { ...FROM_OUR_PAGE, "content-type": "application/json" };
  const sent = request(`${target.url}/console/v1/sign-in`, {
    method: "POST",
    headers,
    localAddress,
  });
  sent.end(JSON.stringify({ email: KNOWN_EMAIL, password: KNOWN_PASSWORD }));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  const [cookie = ""] = answer.headers["set-cookie"] ?? [];
  return cookie.split(";")[0] ?? "";
}

/** A call as the console's page sends it. */
function form(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Buffer {
  return wire({
    method: "POST",
    path: `/console/v1${path}`,
    headers: { ...FROM_OUR_PAGE, ...headers },
    body: JSON.stringify(body),
  });
}

import { type Attack, comeAndGo } from "./attack.ts";
import { flood, pipelined, wire } from "./socket.ts";

/** Connections that are filled, left, or not read. */
export const SOCKET_ATTACKS: readonly Attack[] = [
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
    name: "pipelines",
    what: "64 KiB of the smallest requests there are on fifty connections at once, again and again",
    isShort: true,
    run: (target) =>
      flood(target, { connections: 50, bytes: () => pipelined(1_400, { path: "/healthz" }) }),
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
    name: "connections",
    what: "connections opened and left, as fast as they come",
    run: (target) => comeAndGo(target, 20, { connections: 5, once: true, bytes: () => "GET / HT" }),
  },
];

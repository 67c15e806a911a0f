import { type Attack, comeAndGo } from "./attack.ts";
import { flood, pipelined, wire } from "./flood.ts";

/** Attacks with connections that are flooded, abandoned or never read. */
export const SOCKET_ATTACKS: readonly Attack[] = [
  {
    name: "unread answers",
    what: "lists requested and never read",
    meets: [],
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
    what: "64 KiB of the smallest requests, pipelined on fifty connections, repeatedly",
    meets: [200],
    isShort: true,
    run: (target) =>
      flood(target, { connections: 50, bytes: () => pipelined(1_400, { path: "/healthz" }) }),
  },
  {
    name: "polls that come and go",
    what: "long polls abandoned after a moment and repeated on new connections",
    meets: [],
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
    what: "connections opened and abandoned, as fast as possible",
    meets: [],
    run: (target) => comeAndGo(target, 20, { connections: 5, once: true, bytes: () => "GET / HT" }),
  },
];

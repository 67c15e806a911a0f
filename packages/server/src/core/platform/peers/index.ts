import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { createPeerLink, type PeerLink } from "./link.ts";
import { type Member, ownersOf } from "./owners.ts";
import { type PeerServer, type PeerServerOptions, startPeerServer } from "./server.ts";

export { NotSent, type PeerLink, PeerLost, PeerRefusal } from "./link.ts";
export type { Member } from "./owners.ts";
export type { PeerServer } from "./server.ts";

/** The processes of this machine that share one supervisor. Without an announcement, this process is alone. */
export interface Peers {
  /** The link to the owner of a class; null when this process writes the class itself. */
  ownerOf(index: number): PeerLink | null;
  /** Sets the members; `selfId` is null in a process that owns nothing. */
  announce(members: readonly Member[], selfId: string | null): void;
  /** Starts to answer other members. */
  serve(options: Pick<PeerServerOptions, "path" | "handle" | "describeError">): Promise<void>;
  /** Takes no more items, and writes its own here. */
  close(): Promise<void>;
}

export interface PeersOptions {
  /** Number of classes that are assigned to members. */
  readonly classes: number;
  /** Identifies the program: members of another build are not used. */
  readonly build: string;
  readonly clock: Clock;
  readonly log: Log;
}

export function createPeers({ classes, build, clock, log }: PeersOptions): Peers {
  const links = new Map<string, PeerLink>();
  let owners: readonly (PeerLink | null)[] = [];
  let server: PeerServer | null = null;
  let isClosed = false;

  const linkTo = ({ path }: Member): PeerLink => {
    const link = links.get(path) ?? createPeerLink({ path, build, clock, log });
    links.set(path, link);
    return link;
  };
  return {
    ownerOf: (index) => owners[index] ?? null,
    announce(members, selfId) {
      if (isClosed) return;
      const assigned = members.length === 0 ? [] : ownersOf(classes, members);
      owners = assigned.map((member) => (member.id === selfId ? null : linkTo(member)));
      const used = new Set(members.map(({ path }) => path));
      for (const [path, link] of links) {
        if (used.has(path)) continue;
        links.delete(path);
        void link.close();
      }
    },
    async serve(options) {
      server = await startPeerServer({ ...options, build, clock, log });
    },
    async close() {
      isClosed = true;
      owners = [];
      await Promise.all([...links.values()].map((link) => link.close()));
      await server?.close();
    },
  };
}

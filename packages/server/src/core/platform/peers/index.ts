import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { createPeerLink, type PeerLink } from "./link.ts";
import { type Member, ownersOf } from "./owners.ts";
import { type PeerServer, type PeerServerOptions, startPeerServer } from "./server.ts";

export { rebalanced } from "./balance.ts";
export { NotSent, type PeerLink, PeerLost, PeerRefusal } from "./link.ts";
export { type Member, ownersOf } from "./owners.ts";
export type { PeerServer } from "./server.ts";

/** The processes of this machine that share one supervisor. Without an announcement, this process is alone. */
export interface Peers {
  /** The link to the owner of a class; null when this process writes the class itself. */
  ownerOf(index: number): PeerLink | null;
  /**
   * Sets the members and the id of each class's owner; `selfId` is null in a process that owns nothing. Without
   * `owners`, every process computes the same ones.
   */
  announce(members: readonly Member[], selfId: string | null, owners?: readonly string[]): void;
  /** Items of each class that this process has looked up the owner for since the last call; null: none. */
  takeLoads(): number[] | null;
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
  const noLoads = () => new Array<number>(classes).fill(0);
  let loads = noLoads();
  let server: PeerServer | null = null;
  let isClosed = false;

  const linkTo = ({ path }: Member): PeerLink => {
    const link = links.get(path) ?? createPeerLink({ path, build, clock, log });
    links.set(path, link);
    return link;
  };
  return {
    ownerOf(index) {
      loads[index] = (loads[index] ?? 0) + 1;
      return owners[index] ?? null;
    },
    takeLoads() {
      if (loads.every((load) => load === 0)) return null;
      const taken = loads;
      loads = noLoads();
      return taken;
    },
    announce(members, selfId, ownerIds = ownersOf(classes, members)) {
      if (isClosed) return;
      const byId = new Map(members.map((member) => [member.id, member]));
      owners = ownerIds.map((id) => {
        const member = byId.get(id);
        return member === undefined || id === selfId ? null : linkTo(member);
      });
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

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STRIPES } from "../../core/db/driver/stripes.ts";
import type { Log } from "../../core/platform/log.ts";
import { type Member, ownersOf, rebalanced } from "../../core/platform/peers/index.ts";
import type { Ownership } from "./api-messages.ts";

/** The processes that take items of their peers, as the supervisor knows them, and what each of them owns. */
export interface Membership {
  /** A member for a process to start as; null where there is no folder for sockets. Each restart has a new socket. */
  create(slot: number): Member | null;
  /** Adds a process that listens. */
  add(member: Member | null): void;
  /** Removes a process that has ended. */
  remove(member: Member | null): void;
  /** Adds the items of each stripe that a process reports. Busy stripes then move to idle owners. */
  addLoads(loads: readonly number[]): void;
  close(): Promise<void>;
}

/** Long enough for the reports of all processes. */
const REBALANCE_EVERY_MS = 1_500;
/** Part of the earlier loads that still counts, so that a short burst moves nothing back and forth. */
const LOADS_KEPT = 0.5;
/** With less load, no owner is busy. */
const ITEMS_MIN = 500;

/** `onChanged` is called after each change of the members or owners. */
export async function openMembership(
  log: Log,
  onChanged: (ownership: Ownership) => void,
): Promise<Membership> {
  const folder = await openFolder(log);
  const members = new Map<string, Member>();
  let owners: readonly string[] = [];
  let loads = new Array<number>(STRIPES).fill(0);
  let created = 0;
  const announce = () => onChanged({ members: [...members.values()], owners });
  const assign = () => {
    owners = ownersOf(STRIPES, [...members.values()]);
    announce();
  };
  const rebalance = () => {
    const items = loads.reduce((sum, load) => sum + load, 0);
    const after = items < ITEMS_MIN ? null : rebalanced(owners, [...members.keys()], loads);
    loads = loads.map((load) => load * LOADS_KEPT);
    if (after === null) return;
    owners = after;
    announce();
  };
  const timer = setInterval(rebalance, REBALANCE_EVERY_MS).unref();
  return {
    create(slot) {
      created += 1;
      return folder === null
        ? null
        : { id: String(slot), path: join(folder, `${slot}-${created}.sock`) };
    },
    add(member) {
      if (member === null) return;
      members.set(member.id, member);
      assign();
    },
    remove(member) {
      if (member === null || members.get(member.id) !== member) return;
      members.delete(member.id);
      assign();
    },
    addLoads(reported) {
      reported.forEach((load, stripe) => {
        loads[stripe] = (loads[stripe] ?? 0) + load;
      });
    },
    async close() {
      clearInterval(timer);
      if (folder) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Only this user may enter the folder. Without one, every process writes its own items. */
async function openFolder(log: Log): Promise<string | null> {
  try {
    return await mkdtemp(join(tmpdir(), "longwave-"));
  } catch (error) {
    log.warn({ err: error }, "supervisor: no folder for sockets, processes do not forward items");
    return null;
  }
}

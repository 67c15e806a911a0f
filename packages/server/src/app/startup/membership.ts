import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "../../core/platform/log.ts";
import type { Member } from "../../core/platform/peers/index.ts";

/** The processes that take items of their peers, as the supervisor knows them. */
export interface Membership {
  /** A member for a process to start as; null where there is no folder for sockets. Each restart has a new socket. */
  create(slot: number): Member | null;
  /** Announces a process that listens. */
  add(member: Member): void;
  /** Announces that a process has ended. */
  remove(member: Member): void;
  close(): Promise<void>;
}

export async function openMembership(
  log: Log,
  onChanged: (members: readonly Member[]) => void,
): Promise<Membership> {
  const folder = await openFolder(log);
  const members = new Map<string, Member>();
  let created = 0;
  const announce = () => onChanged([...members.values()]);
  return {
    create(slot) {
      created += 1;
      return folder === null
        ? null
        : { id: String(slot), path: join(folder, `${slot}-${created}.sock`) };
    },
    add(member) {
      members.set(member.id, member);
      announce();
    },
    remove({ id, path }) {
      if (members.get(id)?.path !== path) return;
      members.delete(id);
      announce();
    },
    async close() {
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

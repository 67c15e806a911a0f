/** A process of this machine that takes items. `id` is stable over restarts of the process. */
export interface Member {
  readonly id: string;
  /** Its Unix socket. */
  readonly path: string;
}

/**
 * Returns the ids of the owners. Assigns classes (0 to `count` - 1) to members: rendezvous hashing with an equal share for each member, so that a
 * member that comes or goes moves few classes. Every process computes the same table from the same members.
 */
export function ownersOf(count: number, members: readonly Member[]): string[] {
  if (members.length === 0) return [];
  const shareMax = Math.ceil(count / members.length);
  const shares = new Map<string, number>();
  return Array.from({ length: count }, (_, index) => {
    const free = members.filter(({ id }) => (shares.get(id) ?? 0) < shareMax);
    const owner = free.reduce((best, one) =>
      scoreOf(one.id, index) > scoreOf(best.id, index) ? one : best,
    );
    shares.set(owner.id, (shares.get(owner.id) ?? 0) + 1);
    return owner.id;
  });
}

/** FNV-1a with a final mix: neighbouring inputs get unrelated scores. */
function scoreOf(id: string, index: number): number {
  let hash = 0x811c9dc5;
  for (const character of `${index} ${id}`) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Addresses that pipeline, and the sockets of every address. */
export interface Pipeliners<T> {
  /** A socket of this address is there; whether the address has pipelined. */
  add(address: string, socket: T): boolean;
  remove(address: string, socket: T): void;
  /** The address pipelines: answers all of its sockets. */
  mark(address: string): readonly T[];
}

/** The one heard of longest ago is forgotten: it can hold us up once more. */
const REMEMBERED_MAX = 10_000;

export function createPipeliners<T>(): Pipeliners<T> {
  const sockets = new Map<string, Set<T>>();
  const marked = new Set<string>();
  return {
    add(address, socket) {
      const known = sockets.get(address);
      if (known) known.add(socket);
      else sockets.set(address, new Set([socket]));
      return marked.has(address);
    },
    remove(address, socket) {
      const known = sockets.get(address);
      known?.delete(socket);
      if (known?.size === 0) sockets.delete(address);
    },
    mark(address) {
      marked.delete(address);
      const [oldest] = marked.size >= REMEMBERED_MAX ? marked : [];
      if (oldest !== undefined) marked.delete(oldest);
      marked.add(address);
      return [...(sockets.get(address) ?? [])];
    },
  };
}

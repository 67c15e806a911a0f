/** Addresses that pipeline, and the open sockets of every address. */
export interface Pipeliners<T> {
  /** Adds a socket of this address; returns whether the address has pipelined. */
  add(address: string, socket: T): boolean;
  remove(address: string, socket: T): void;
  /** Marks the address as pipelining; returns all of its sockets. */
  mark(address: string): readonly T[];
}

/** Addresses kept; the least recently used is dropped, and may then pipeline one unbounded read again. */
const ADDRESSES_MAX = 10_000;

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
      const [oldest] = marked.size >= ADDRESSES_MAX ? marked : [];
      if (oldest !== undefined) marked.delete(oldest);
      marked.add(address);
      return [...(sockets.get(address) ?? [])];
    },
  };
}

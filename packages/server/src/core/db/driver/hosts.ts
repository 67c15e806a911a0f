import type pg from "pg";

/** A PostgreSQL that has several addresses, of which one at a time is the primary. */
export interface Connection extends pg.ClientConfig {
  /** The addresses, each a whole postgres:// one. Without them there is the one that is given. */
  readonly addresses?: readonly string[];
}

/** Which of the addresses is tried next: the one that worked last, until it does not. */
export interface Hosts {
  /** How to connect now, and whom to tell what came of it. */
  current(): { readonly config: pg.ClientConfig; failed(): void };
}

export function createHosts({ addresses, ...config }: Connection): Hosts {
  if (addresses === undefined || addresses.length < 2) {
    return { current: () => ({ config, failed() {} }) };
  }
  let turn = 0;
  return {
    current() {
      const tried = turn;
      const connectionString = addresses[tried % addresses.length] as string;
      return {
        config: { ...config, connectionString },
        // Many connections may fail at the same address: it is passed over once.
        failed() {
          if (turn === tried) turn += 1;
        },
      };
    },
  };
}

const AUTHORITY = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;
/** What a service that writes needs; libpq knows more, which would be of no use here. */
const SESSION_ATTRIBUTES = new Set(["read-write", "primary", "any"]);

/**
 * Reads an address as libpq does, with one host or several (`postgres://me@one:5432,two:5432/texts`).
 * Undefined when it is none, or asks for sessions that cannot be written in.
 */
export function readAddress(text: string): Connection | undefined {
  const [, scheme = "", user = "", hosts = "", rest = ""] = AUTHORITY.exec(text) ?? [];
  if (scheme === "") return undefined;
  const [path = "", query = ""] = rest.split("?", 2);
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get("target_session_attrs");
  if (attributes !== null && !SESSION_ATTRIBUTES.has(attributes)) return undefined;
  parameters.delete("target_session_attrs");
  const kept = parameters.size === 0 ? "" : `?${parameters}`;
  const at = (host: string) => `${scheme}${user}${host}${path}${kept}`;
  // Without a host there is a socket, which a parameter names.
  const isOne = (host: string) => URL.canParse(at(host === "" ? "localhost" : host));
  if (!hosts.split(",").every(isOne)) return undefined;
  const addresses = hosts.split(",").map(at);
  const [connectionString = text] = addresses;
  return addresses.length === 1 ? { connectionString } : { connectionString, addresses };
}

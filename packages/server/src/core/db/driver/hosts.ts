import type pg from "pg";

/** A PostgreSQL with one or more addresses, one of which is the primary at a time. */
export interface Connection extends pg.ClientConfig {
  /** postgres:// URLs, one per host. Unset: a single host, configured by the other fields. */
  readonly addresses?: readonly string[];
}

/** Chooses the address of the next connection: the last working one, until it fails. */
export interface Hosts {
  /** Configuration of the next connection, and a callback to report its failure. */
  current(): { readonly config: pg.ClientConfig; failed(): void };
}

export function createHosts({ addresses, ...config }: Connection): Hosts {
  if (addresses === undefined || addresses.length < 2) {
    return { current: () => ({ config, failed() {} }) };
  }
  let index = 0;
  return {
    current() {
      const tried = index;
      const connectionString = addresses[tried % addresses.length] as string;
      return {
        config: { ...config, connectionString },
        // Concurrent failures at one address skip it only once.
        failed() {
          if (index === tried) index += 1;
        },
      };
    },
  };
}

const AUTHORITY = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;
/** Values of target_session_attrs that fit a service that writes. */
const SESSION_ATTRIBUTES = new Set(["read-write", "primary", "any"]);

/**
 * Parses a connection URL as libpq does, with one or several hosts (`postgres://me@one:5432,two:5432/texts`). Returns
 * undefined if it is invalid or asks for read-only sessions.
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
  // Without a host, a query parameter names a unix socket.
  const isOne = (host: string) => URL.canParse(at(host === "" ? "localhost" : host));
  if (!hosts.split(",").every(isOne)) return undefined;
  const addresses = hosts.split(",").map(at);
  const [connectionString = text] = addresses;
  return addresses.length === 1 ? { connectionString } : { connectionString, addresses };
}

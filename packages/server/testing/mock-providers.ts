import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Lifetime } from "./kit.ts";

/** Replacement of one response of a provider. */
export type Fault =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The connection breaks in the middle of the response. */
  | "cut";

export interface MockProvider {
  readonly url: string;
  /** Paths of all requests so far, with their queries. */
  readonly asked: readonly string[];
  /** Replaces the next response to a path that contains `part`. */
  fail(part: string, fault: Fault, times?: number): void;
  /** Called before every response, so that a test can act in between. */
  onAsk: (path: string) => Promise<void>;
}

export type Answering = (path: string, query: URLSearchParams) => object | null;

/** Starts a mock provider with an authorization check and responses. */
export async function startProvider(
  t: Lifetime,
  isAllowed: (request: IncomingMessage) => boolean,
  answer: Answering,
): Promise<MockProvider> {
  const asked: string[] = [];
  const faults: { part: string; fault: Fault }[] = [];
  const sockets = new Set<Socket>();
  const mock = { asked, onAsk: async (_path: string) => {} };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://mock");
    asked.push(request.url ?? "/");
    await mock.onAsk(request.url ?? "/");
    const json = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const at = faults.findIndex(({ part }) => (request.url ?? "").includes(part));
    const [planned] = at === -1 ? [] : faults.splice(at, 1);
    const body = answer(pathname, searchParams);
    if (planned?.fault === "cut") {
      const text = JSON.stringify(body);
      response.writeHead(200, { "content-length": String(text.length) });
      response.write(text.slice(0, Math.floor(text.length / 2)));
      setImmediate(() => response.destroy());
    } else if (planned) {
      const { status, headers = {}, body: said = "" } = planned.fault;
      response.writeHead(status, headers).end(said);
    } else if (!isAllowed(request))
      json(401, { code: 20003, message: "Authenticate", status: 401 });
    else if (body === null) json(404, { code: 20404, message: "not found", status: 404 });
    else json(200, body);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  t.after(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return Object.assign(mock, {
    url: `http://127.0.0.1:${port}`,
    fail: (part: string, fault: Fault, times = 1) => {
      for (let left = times; left > 0; left -= 1) faults.push({ part, fault });
    },
  });
}

/** Contents of an account at a provider. */
export interface ForeignFixture {
  readonly numbers: readonly { phone: string; sms?: boolean; url?: string; country?: string }[];
  readonly services: readonly {
    id: string;
    name: string;
    phones: string[];
    url?: string;
    status?: string;
  }[];
}

export const TWILIO_LOGIN = {
  provider: "twilio",
  account_sid: `AC${"a".repeat(32)}`,
  secret: "f".repeat(32),
} as const;

/** Twilio's API as far as an import uses it, with smaller pages than requested. */
export function startTwilio(t: Lifetime, given: ForeignFixture, pageItems = 50) {
  const { account_sid, secret } = TWILIO_LOGIN;
  const login = `Basic ${Buffer.from(`${account_sid}:${secret}`).toString("base64")}`;
  const pageOf = <T>(all: readonly T[], query: URLSearchParams) => {
    const page = Number(query.get("Page") ?? 0);
    const items = all.slice(page * pageItems, (page + 1) * pageItems);
    const next = (page + 1) * pageItems < all.length ? page + 1 : null;
    return { items, next };
  };
  const base = `/2010-04-01/Accounts/${account_sid}/IncomingPhoneNumbers.json`;
  return startProvider(
    t,
    (request) => request.headers.authorization === login,
    (path, query) => {
      if (path === base) {
        const { items, next } = pageOf(given.numbers, query);
        return {
          incoming_phone_numbers: items.map((number, index) => ({
            sid: `PN${String(index).padStart(32, "0")}`,
            account_sid,
            phone_number: number.phone,
            friendly_name: number.phone,
            capabilities: { voice: true, sms: number.sms ?? true, mms: true, fax: false },
            sms_url: number.url ?? "",
            sms_method: "POST",
            sms_fallback_url: "",
            status_callback: "",
          })),
          next_page_uri:
            next === null ? null : `${base}?PageSize=1000&Page=${next}&PageToken=PA${next}`,
          page_size: pageItems,
        };
      }
      const meta = (of: string, next: number | null) => ({
        page_size: pageItems,
        next_page_url:
          next === null ? null : `https://messaging.twilio.com${of}?PageSize=100&Page=${next}`,
        key: "services",
      });
      if (path === "/v1/Services") {
        const { items, next } = pageOf(given.services, query);
        return {
          services: items.map((service) => ({
            sid: service.id,
            account_sid,
            friendly_name: service.name,
            inbound_request_url: service.url ?? null,
            fallback_url: null,
            status_callback: service.status ?? null,
          })),
          meta: meta(path, next),
        };
      }
      const [, id] = /^\/v1\/Services\/(\w+)\/PhoneNumbers$/.exec(path) ?? [];
      const service = given.services.find((one) => one.id === id);
      if (!service) return null;
      const { items, next } = pageOf(service.phones, query);
      return {
        phone_numbers: items.map((phone_number) => ({ phone_number, country_code: "US" })),
        meta: meta(path, next),
      };
    },
  );
}

export const TELNYX_LOGIN = { provider: "telnyx", secret: `KEY${"b".repeat(30)}` } as const;

export function startTelnyx(t: Lifetime, given: ForeignFixture, pageItems = 50) {
  const paged = <T>(all: readonly T[], query: URLSearchParams) => {
    const page = Number(query.get("page[number]") ?? 1);
    return {
      data: all.slice((page - 1) * pageItems, page * pageItems),
      meta: {
        total_pages: Math.max(1, Math.ceil(all.length / pageItems)),
        total_results: all.length,
        page_number: page,
        page_size: pageItems,
      },
    };
  };
  return startProvider(
    t,
    (request) => request.headers.authorization === `Bearer ${TELNYX_LOGIN.secret}`,
    (path, query) => {
      if (path === "/v2/phone_numbers/messaging") {
        const all = given.numbers.map((number) => ({
          record_type: "messaging_settings",
          phone_number: number.phone,
          country_code: number.country ?? (number.phone.startsWith("+1") ? "US" : "GB"),
          messaging_profile_id:
            given.services.find(({ phones }) => phones.includes(number.phone))?.id ?? null,
          features: { sms: (number.sms ?? true) ? { domestic_two_way: true } : null, mms: null },
        }));
        return paged(all, query);
      }
      if (path !== "/v2/messaging_profiles") return null;
      const all = given.services.map((service) => ({
        id: service.id,
        name: service.name,
        enabled: true,
        webhook_url: service.url ?? null,
        webhook_failover_url: null,
      }));
      return paged(all, query);
    },
  );
}

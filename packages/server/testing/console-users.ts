import assert from "node:assert/strict";
import { request } from "node:http";
import type { Role } from "@longwave/contract";
import { firstLink } from "../src/surfaces/console/index.ts";
import { hashToken } from "../src/surfaces/console/session-request.ts";
import { totpCode, totpStep } from "../src/surfaces/console/totp.ts";
import type { Kit } from "./kit.ts";

export const PASSWORD = "correct horse battery";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Code that an authenticator app shows for a secret at a time. */
export function codeOfApp(secret: string, nowMs: number): string {
  const bits = [...secret]
    .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  return totpCode(Buffer.from(bytes), totpStep(nowMs));
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  readonly body: any;
  readonly cookie: string | null;
}

export interface VisitorCall {
  readonly cookie?: string | null | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | null>>;
}

export interface Visitors {
  /** A call with the headers of the console's page, unless the test overrides them. */
  call(method: string, path: string, options?: VisitorCall): Promise<Reply>;
  signIn(email: string, more?: object): Promise<Reply>;
  /** The first user: owner of an account, and operator. Created once for all tests. */
  asOwner(): Promise<{ cookie: string; account: string }>;
  /** A new user with this role in that account; returns the cookie. */
  asRole(role: Role): Promise<string>;
}

/** Console users of a kit's server, without a browser. */
export function createVisitors(kit: () => Kit): Visitors {
  let owner: Promise<{ cookie: string; account: string }> | null = null;
  const visitors: Visitors = {
    call: (method, path, options = {}) => callOf(kit().url, method, path, options),
    signIn: (email, more = {}) =>
      visitors.call("POST", "/sign-in", { body: { email, password: PASSWORD, ...more } }),
    asOwner() {
      owner ??= firstPerson(kit(), visitors);
      return owner;
    },
    async asRole(role) {
      const { cookie, account } = await visitors.asOwner();
      const email = `${role}-${Math.round(performance.now() * 1000)}@example.com`;
      const body = { email, role };
      const invited = await visitors.call("POST", `/${account}/invitations`, { cookie, body });
      assert.equal(invited.status, 201, JSON.stringify(invited.body));
      const token = String(invited.body.url).split("#")[1];
      const given = { token, password: PASSWORD };
      return (await visitors.call("POST", "/links/redeem", { body: given })).cookie ?? "";
    },
  };
  return visitors;
}

async function callOf(
  url: string,
  method: string,
  path: string,
  options: VisitorCall,
): Promise<Reply> {
  const headers: Record<string, string> = {
    "sec-fetch-site": "same-origin",
    "longwave-console": "1",
  };
  if (options.cookie) headers["cookie"] = options.cookie;
  if (options.body !== undefined) headers["content-type"] = "application/json";
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value === null) delete headers[name];
    else headers[name] = value;
  }
  const response = await fetch(`${url}/console/v1${path}`, {
    method,
    headers,
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const set = response.headers.get("set-cookie");
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    body: isJson ? JSON.parse(text) : text,
    cookie: set ? (set.split(";")[0] ?? null) : null,
  };
}

/** Sends a console call from another loopback address, as a different client. */
export function callFrom(kit: Kit, address: string, path: string, body: object): Promise<Reply> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = request(
      `${kit.url}/console/v1${path}`,
      {
        method: "POST",
        localAddress: address,
        headers: {
          "sec-fetch-site": "same-origin",
          "longwave-console": "1",
          "content-type": "application/json",
          "content-length": Buffer.byteLength(text),
        },
      },
      (response) => {
        let received = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          received += chunk;
        });
        response.on("end", () => {
          const [cookie = null] = response.headers["set-cookie"] ?? [];
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(received), cookie });
        });
      },
    );
    asked.on("error", reject);
    asked.end(text);
  });
}

async function firstPerson(kit: Kit, { call }: Visitors) {
  const url = await firstLink(kit.deps, kit.url);
  const token = url?.split("#")[1] ?? "";
  const opened = await call("POST", "/links/open", { body: { token } });
  assert.equal(opened.body.kind, "first", JSON.stringify(opened.body));
  const made = await call("POST", "/links/redeem", {
    body: { token, email: "Ada@Example.com", name: "Ada", password: PASSWORD },
  });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const other = { token, email: "eve@example.com", password: PASSWORD };
  assert.equal((await call("POST", "/links/redeem", { body: other })).status, 404);
  const cookie = made.cookie ?? "";
  const session = await call("GET", "/session", { cookie });
  return { cookie, account: session.body.accounts[0].id as string };
}

/** Returns whether a link is used, and marks it unused, so that only the check at redemption can refuse it. */
export async function unspend(kit: Kit, token: string): Promise<boolean> {
  const hash = [hashToken(token)];
  const [link] = await kit.rows("select used_at from console_links where token_hash = $1", hash);
  await kit.rows("update console_links set used_at = null where token_hash = $1", hash);
  return link.used_at !== null;
}

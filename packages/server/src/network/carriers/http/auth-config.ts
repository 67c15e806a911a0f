import type { Environment, FieldCheck } from "../check-fields.ts";

/** Credentials sent with every request, beside those in `headers`, `query` and `body`. */
export type AuthOptions =
  | { readonly type: "header"; readonly value: string }
  | {
      /** Client credentials grant; the token is kept until shortly before it expires. */
      readonly type: "oauth2";
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string | null;
    };

const AUTH_TYPES = ["basic", "bearer", "oauth2"] as const;
const SECRET = /^[\x21-\x7e]{1,4000}$/;
const TAKES = "1 to 4000 characters without spaces";
const USER = /^[\x21-\x39\x3b-\x7e]{1,200}$/;

/** `auth` of an entry; null without one. */
export function readAuth(
  check: FieldCheck,
  env: Environment,
  hasPrivateAddress: boolean,
): AuthOptions | null {
  if (!check.has("auth")) return null;
  const auth = check.nested("auth");
  if (!auth.has("type")) auth.fail("type", `is missing: it takes ${AUTH_TYPES.join(", ")}.`);
  const options = readByType(auth, env, hasPrivateAddress);
  auth.rejectUnknown();
  return options;
}

function readByType(auth: FieldCheck, env: Environment, hasPrivateAddress: boolean): AuthOptions {
  const type = auth.oneOf("type", AUTH_TYPES, "bearer");
  if (type === "bearer") {
    return { type: "header", value: `Bearer ${auth.secret("token", SECRET, TAKES, env)}` };
  }
  if (type === "basic") {
    const user = auth.string("user", USER, "a name without blanks and colons", null);
    const password = auth.secret("password", SECRET, TAKES, env);
    return {
      type: "header",
      value: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
    };
  }
  const scope = /^[\x20-\x7e]{1,500}$/;
  return {
    type,
    tokenUrl: readUrl(auth, "token_url", hasPrivateAddress),
    clientId: auth.string("client_id", SECRET, TAKES, null),
    clientSecret: auth.secret("client_secret", SECRET, TAKES, env),
    scope: auth.has("scope") ? auth.string("scope", scope, "a line of text", null) : null,
  };
}

const URL_FORM = /^https?:\/\/[^\s#?]+$/;

/** A URL over https, or over http to a private address. */
export function readUrl(check: FieldCheck, name: string, hasPrivateAddress: boolean): string {
  const takes = "an address such as https://api.example.com/messages, without ? and #";
  const url = check.string(name, URL_FORM, takes, null);
  if (url.startsWith("http:") && !hasPrivateAddress) {
    check.fail(name, "must begin with https://, unless private_address is true.");
  }
  if (url !== "" && !URL.canParse(url)) check.fail(name, `takes ${takes}.`);
  return url;
}

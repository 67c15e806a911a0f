import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { load } from "../../testing/yaml.ts";
import { jsonnet, oneBlock, properties } from "./page.ts";

/** Address and proof of a call, as a page has its program make them. */
export interface Calling {
  readonly url: string;
  /** Headers of a call with this body, once the page's placeholder is the secret. */
  readonly headers: (body: string, secret: string) => Readonly<Record<string, string>>;
  /** The program makes the secret: the hook is changed to it, as the page says. */
  readonly secret?: string;
  /** Body by the page's settings, of the preset's documented call; that call itself without it. */
  readonly content?: (sample: Sample) => string;
  /** Each call is a code of its own. */
  readonly repeats?: true;
}

// biome-ignore lint/suspicious/noExplicitAny: the programs' own calls
type Sample = any;

/** The placeholder of the pages. */
const SECRET = "SECRET";
const seconds = () => String(Math.floor(Date.now() / 1_000));

function bearer(given: string): Calling["headers"] {
  assert.equal(given, `Bearer ${SECRET}`);
  return (_, secret) => ({ authorization: given.replace(SECRET, secret) });
}

/** Calls that each page has its program make, by the lines of the page. */
export const HOOK_PAGES: Readonly<Record<string, (page: string) => Calling>> = {
  "alertmanager.md": (page) => {
    // biome-ignore lint/suspicious/noExplicitAny: the program's own configuration
    const [config] = (load(oneBlock(page, "yaml")) as any).receivers[0].webhook_configs;
    const { type, credentials } = config.http_config.authorization;
    return { url: config.url, headers: bearer(`${type} ${credentials}`) };
  },
  "auth0.md": (page) => {
    const code = oneBlock(page, "js");
    const [, url = ""] = /fetch\("([^"]+)"/.exec(code) ?? [];
    assert.ok(code.includes("JSON.stringify({ notification: event.notification })"));
    assert.ok(page.includes("`LONGWAVE_SECRET`"));
    const [, given = ""] = /authorization: `([^`]+)`/.exec(code) ?? [];
    return { url, headers: bearer(given.replace(`\${event.secrets.LONGWAVE_SECRET}`, SECRET)) };
  },
  "authentik.md": (page) => {
    const set = properties(page);
    assert.deepEqual([set["Provider"], set["API Auth Type"]], ["Generic", "bearer"]);
    const { "External API URL": url = "", "API Auth Username": secret = "" } = set;
    return { url, headers: bearer(`Bearer ${secret}`), repeats: true };
  },
  "gatus.md": (page) => {
    // biome-ignore lint/suspicious/noExplicitAny: the program's own configuration
    const { url, method, headers, body } = (load(oneBlock(page, "yaml")) as any).alerting.custom;
    assert.equal(method, "POST");
    const proof = bearer(headers.Authorization);
    return {
      url,
      headers: (...call) => ({ ...proof(...call), "content-type": headers["Content-Type"] }),
      content: ({ name, state, description }) =>
        body
          .replace("[ENDPOINT_NAME]", name)
          .replace("[ALERT_TRIGGERED_OR_RESOLVED]", state)
          .replace("[ALERT_DESCRIPTION]", description),
    };
  },
  "grafana.md": (page) => {
    // biome-ignore lint/suspicious/noExplicitAny: the program's own configuration
    const [receiver] = (load(oneBlock(page, "yaml")) as any).contactPoints[0].receivers;
    const { settings, type } = receiver;
    assert.deepEqual([type, settings.httpMethod], ["webhook", "POST"]);
    const given = `${settings.authorization_scheme} ${settings.authorization_credentials}`;
    return { url: settings.url, headers: bearer(given) };
  },
  "home-assistant.md": (page) => {
    // biome-ignore lint/suspicious/noExplicitAny: the program's own configuration
    const [notifier] = (load(oneBlock(page, "yaml")) as any).notify;
    assert.deepEqual([notifier.platform, notifier.method], ["rest", "POST_JSON"]);
    const { message_param_name: name = "message", target_param_name: target } = notifier;
    return {
      url: notifier.resource,
      headers: bearer(notifier.headers.Authorization),
      content: (sample) => JSON.stringify({ [name]: sample.message, [target]: sample.target }),
    };
  },
  "keycloak.md": (page) => {
    const set = properties(page);
    const { apiurl: url = "", apitoken = "", senderId = "" } = set;
    assert.equal(set["apiTokenInHeader"], "true");
    const field = (name: string, value: string) => `"${set[name]}":"${value}"`;
    return {
      url,
      headers: bearer(apitoken),
      repeats: true,
      content: ({ text, to }) => {
        const fields = [field("messageattribute", text), field("receiverattribute", to)];
        return `{${[...fields, field("senderattribute", senderId)].join(",")}}`;
      },
    };
  },
  "kratos.md": (page) => {
    // biome-ignore lint/suspicious/noExplicitAny: the program's own configuration
    const { request_config: config, type } = (load(oneBlock(page, "yaml")) as any).courier
      .channels[0];
    assert.deepEqual([type, config.method, config.auth.config.in], ["http", "POST", "header"]);
    return {
      url: config.url,
      headers: bearer(config.auth.config.value),
      repeats: true,
      content: (sample) => jsonnet(page, sample),
    };
  },
  "listmonk.md": (page) => {
    const set = properties(page);
    assert.equal(set["Password"], SECRET);
    const basic = (secret: string) =>
      Buffer.from(`${set["Username"]}:${secret}`).toString("base64");
    const { URL: url = "" } = set;
    return {
      url,
      headers: (_, secret) => ({ authorization: `Basic ${basic(secret)}` }),
    };
  },
  "novu.md": (page) => {
    const set = properties(page);
    assert.deepEqual([set["API Key"], set["Id Path"], set["Date Path"]], [SECRET, "id", "date"]);
    const { "API Key Request Header": header = "", "Base URL": url = "" } = set;
    return { url, headers: (_, secret) => ({ [header]: secret }) };
  },
  "supabase.md": (page) => {
    const toml = oneBlock(page, "toml");
    const settingOf = (name: string) => new RegExp(`^${name} = "(.+)"$`, "m").exec(toml)?.[1] ?? "";
    assert.match(settingOf("secrets"), /^v1,whsec_/);
    return { url: settingOf("uri"), headers: standardWebhooks };
  },
  "uptime-kuma.md": (page) => {
    const { "Additional Headers": text = "", "Post URL": url = "" } = properties(page);
    return { url, headers: bearer(JSON.parse(text).Authorization) };
  },
  "zitadel.md": (page) => {
    const [, url = ""] = /"endpoint": "([^"]+)"/.exec(page) ?? [];
    assert.ok(page.includes("longwave hooks update hook_… --secret SIGNING_KEY"));
    const headers = (body: string, key: string) => {
      const time = seconds();
      const signature = createHmac("sha256", key).update(`${time}.${body}`).digest("hex");
      return { "zitadel-signature": `t=${time},v1=${signature}` };
    };
    return { url, headers, secret: "a-signing-key-of-zitadel" };
  },
};

/** Signature of Standard Webhooks, with the base64 part of v1,whsec_… as key. */
function standardWebhooks(body: string, secret: string): Readonly<Record<string, string>> {
  assert.match(secret, /^v1,whsec_/);
  const [id, time] = [randomUUID(), seconds()];
  const key = Buffer.from(secret.slice("v1,whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": time,
    "webhook-signature": `v1,${signature}`,
  };
}

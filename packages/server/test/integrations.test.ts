/** The settings of docs/integrations without a hook, in the requests that the programs make of them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { giveNumber } from "../testing/give-number.ts";
import { ROOT } from "../testing/source-process.ts";
import { suiteKit } from "../testing/suite.ts";
import { load } from "../testing/yaml.ts";
import { HOOK_PAGES } from "./integrations/hook-pages.ts";
import { jsonnet, oneBlock, properties, WITHOUT_A_HOOK } from "./integrations/page.ts";
import { TWILIO_PAGES } from "./integrations/twilio-pages.ts";

const FOLDER = join(ROOT, "docs/integrations");
const PHONE = "+15005550000";
const TEXT = "Your code is 123456.";

interface Sent {
  readonly url: string;
  readonly authorization: string;
  readonly body: string;
  /** Text of the message that must arrive. */
  readonly text?: string;
}

const pageOf = (name: string) => readFileSync(join(FOLDER, name), "utf8");

// biome-ignore lint/suspicious/noExplicitAny: the programs' own configuration
function yaml(page: string): any {
  return load(oneBlock(page, "yaml"));
}

/** The request of each program, made as its source code and documentation say. */
const REQUESTS: Readonly<Record<string, (page: string) => Sent>> = {
  "keycloak.md": (page) => {
    const set = properties(page);
    const { apiurl: url = "", apitoken: authorization = "", senderId = "" } = set;
    const field = (name: string, value: string) => `"${set[name]}":"${value}"`;
    const fields = [
      field("messageattribute", TEXT),
      field("receiverattribute", PHONE),
      field("senderattribute", senderId),
    ];
    assert.equal(set["apiTokenInHeader"], "true");
    return { url, authorization, body: `{${fields.join(",")}}` };
  },
  "kratos.md": (page) => {
    const { url = "", value: authorization = "" } = properties(page);
    const body = jsonnet(page, { recipient: PHONE, body: TEXT });
    return { url, authorization, body };
  },
  "authentik.md": (page) => {
    const set = properties(page);
    assert.equal(set["API Auth Type"], "bearer");
    const body = oneBlock(page, "python")
      .replace(/^return /, "")
      .replace("device.phone_number", JSON.stringify(PHONE))
      .replace(/f("[^"]*")/, "$1")
      .replace("{token}", "123456");
    const authorization = `Bearer ${set["API Auth Username"]}`;
    const { "External API URL": url = "" } = set;
    return { url, authorization, body };
  },
  "gatus.md": (page) => {
    const { url, method, headers, body } = yaml(page).alerting.custom;
    assert.deepEqual([method, headers["Content-Type"]], ["POST", "application/json"]);
    const filled = body
      .replace("[ENDPOINT_NAME]", "website")
      .replace("[ALERT_TRIGGERED_OR_RESOLVED]", "TRIGGERED")
      .replace("[ALERT_DESCRIPTION]", "health check failed");
    const text = "website TRIGGERED: health check failed";
    return { url, authorization: headers.Authorization, body: filled, text };
  },
  "home-assistant.md": (page) => {
    const [notifier] = yaml(page).notify;
    assert.deepEqual([notifier.platform, notifier.method], ["rest", "POST_JSON"]);
    const body = {
      [notifier.message_param_name]: TEXT,
      [notifier.target_param_name]: [PHONE][0],
      ...notifier.data,
    };
    const { Authorization: authorization } = notifier.headers;
    return { url: notifier.resource, authorization, body: JSON.stringify(body) };
  },
};

describe("docs/integrations", () => {
  const kit = suiteKit();
  before(async () => {
    await giveNumber(kit());
  });

  it("has a request for every page", () => {
    const pages = readdirSync(FOLDER).filter((name) => name !== "README.md");
    assert.deepEqual(
      new Set(pages),
      new Set([...Object.keys(HOOK_PAGES), ...Object.keys(TWILIO_PAGES)]),
    );
    const parted = pages.filter((name) => WITHOUT_A_HOOK.test(pageOf(name)));
    assert.deepEqual(new Set(parted), new Set(Object.keys(REQUESTS)));
    const list = readFileSync(join(FOLDER, "README.md"), "utf8");
    for (const name of pages) assert.ok(list.includes(`(${name})`), name);
  });

  for (const [name, requestOf] of Object.entries(REQUESTS)) {
    it(`${name} sends a message`, async () => {
      const [, page = ""] = pageOf(name).split(WITHOUT_A_HOOK);
      const { url, authorization, body, text = TEXT } = requestOf(page);
      assert.ok(url.startsWith("https://longwave.example.com/"), url);
      const answer = await fetch(url.replace("https://longwave.example.com", kit().url), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: authorization.replace("svc_sk_live_…", kit().testKey),
        },
        body,
      });
      const sent = (await answer.json()) as Record<string, unknown>;
      assert.equal(answer.status, 201, JSON.stringify(sent));
      assert.deepEqual([sent["to"], sent["from"], sent["body"]], [PHONE, "+15005550100", text]);
    });
  }
});

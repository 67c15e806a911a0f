import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { giveNumber } from "../../server/testing/give-number.ts";
import { nodeArguments, ROOT } from "../../server/testing/source-process.ts";
import { suiteKit } from "../../server/testing/suite.ts";
import { OPERATIONS } from "../src/generated/operations.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const NUMBER = "+15005550100";

describe("the official client uses the MCP server", () => {
  const kit = suiteKit();

  async function connected(t: TestContext, key: string): Promise<Client> {
    const client = new Client({ name: "test", version: "1" });
    const bundle = process.env["LONGWAVE_TEST_BUNDLE"];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...nodeArguments(MAIN), "mcp"],
        cwd: ROOT,
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: "/nonexistent",
          LONGWAVE_URL: kit().url,
          LONGWAVE_API_KEY: key,
          ...(bundle ? { LONGWAVE_TEST_BUNDLE: bundle } : {}),
        },
      }),
    );
    t.after(() => client.close());
    return client;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  function told(result: any): { text: string; isError: boolean } {
    return { text: result.content[0].text, isError: result.isError === true };
  }

  test("a key with full access has a tool for every operation that a key can call", async (t) => {
    const client = await connected(t, kit().testKey);
    const { tools } = await client.listTools();
    const wanted = OPERATIONS.filter(({ scope, streams }) => scope !== "operator" && !streams);
    assert.deepEqual(
      new Set(tools.map((tool) => tool.name)),
      new Set(wanted.map(({ name }) => name.replaceAll(".", "_"))),
    );
    const send = tools.find((tool) => tool.name === "messages_send");
    assert.deepEqual(send?.inputSchema.required, ["to", "from", "body"]);
    assert.ok("confirm" in (send?.inputSchema.properties ?? {}));
    const list = tools.find((tool) => tool.name === "messages_list");
    assert.equal(list?.annotations?.readOnlyHint, true);
    assert.ok(!("confirm" in (list?.inputSchema.properties ?? {})));
  });

  test("nothing is sent without confirm: true, and a dry run needs none", async (t) => {
    await giveNumber(kit(), { phone: NUMBER });
    const client = await connected(t, kit().testKey);
    const text = { to: "+15005550000", from: NUMBER, body: "Hello" };
    const call = async (name: string, given: Record<string, unknown>) =>
      told(await client.callTool({ name, arguments: given }));
    const count = async () => (await kit().rows("select count(*)::int as n from messages"))[0].n;
    for (const confirm of [undefined, false]) {
      const held = await call("messages_send", confirm === undefined ? text : { ...text, confirm });
      assert.equal(held.isError, true);
      assert.match(held.text, /Nothing was done/);
    }
    const preview = await call("messages_send", { ...text, dry_run: true });
    assert.equal(JSON.parse(preview.text).object, "message_preview");
    assert.equal(await count(), 0);
    const sent = await call("messages_send", { ...text, confirm: true });
    assert.equal(JSON.parse(sent.text).object, "message");
    assert.equal(await count(), 1);
    const read = await call("messages_get", { id: JSON.parse(sent.text).id });
    assert.equal(JSON.parse(read.text).body, "Hello");
    const refused = await call("messages_get", { id: "msg_nothing" });
    assert.equal(refused.isError, true);
    assert.equal(JSON.parse(refused.text).error.code, "not_found");
    const wrong = await call("messages_send", { ...text, schedule_at: "now", confirm: true });
    assert.equal(wrong.isError, true);
    assert.equal(await count(), 1, "a typing error sends nothing");
  });

  test("a restricted key has only the tools of its scopes", async (t) => {
    const made = await kit().operatorApi.keys.create(await accountId(), {
      mode: "test",
      scopes: ["messages:read"],
    });
    const client = await connected(t, made.key ?? "");
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    assert.ok(names.includes("messages_list"));
    assert.ok(!names.includes("messages_send"));
    assert.ok(!names.some((name) => name.startsWith("operator")));
  });

  const accountId = async () => (await kit().api.account.get()).id;
});

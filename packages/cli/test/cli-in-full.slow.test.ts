import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { before, describe, test } from "node:test";
import { giveNumber } from "../../server/testing/give-number.ts";
import { OPERATOR_TOKEN } from "../../server/testing/kit.ts";
import { suiteKit } from "../../server/testing/suite.ts";
import { commandLine } from "./longwave.ts";

/** Commands that call a server many times; `cli.test.ts` has one flow of each kind. */
describe("the command line against a server, in full", () => {
  const kit = suiteKit();
  const number = "+15005550100";
  before(() => giveNumber(kit(), { phone: number }));
  const at = (key = kit().testKey) => ({ LONGWAVE_URL: kit().url, LONGWAVE_API_KEY: key });

  test("exit codes distinguish a wrong command line, a refusal and an unreachable server", async (t) => {
    const cli = commandLine(t, at());
    assert.equal((await cli.run(["nonsense"])).code, 2);
    const missing = await cli.run(["messages", "send", "--to", "+15005550000"]);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /missing: --from, --body/);
    const unknown = await cli.run(["messages", "get", "msg_nothing"]);
    assert.equal(unknown.code, 3);
    assert.match(unknown.stderr, /^not_found: .*\n {2}request {4}req_/);
    const asJson = await cli.run(["messages", "get", "msg_nothing", "--json"]);
    assert.equal(JSON.parse(asJson.stderr).error.code, "not_found");
    const away = await cli.run(["account", "get", "--server", "http://127.0.0.1:1"]);
    assert.equal(away.code, 5);
    assert.match(
      away.stderr,
      /^The exchange with .* broke: fetch failed \(.+\)\nIs the server running\? /,
    );
    const keyless = commandLine(t, { LONGWAVE_URL: kit().url });
    assert.equal((await keyless.run(["account", "get"])).code, 2);
  });

  test("a profile's key goes to the profile's own server, and to no other", async (t) => {
    const cli = commandLine(t, {});
    const seen: IncomingHttpHeaders[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers);
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { code: "unauthorized", message: "Who are you?" } }));
    }).listen(0, "127.0.0.1");
    t.after(() => other.close());
    await once(other, "listening");
    const there = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const login = ["login", "--server", kit().url, "--key", kit().testKey];
    assert.equal((await cli.run(login)).code, 0);
    const file = join(cli.folder, "config/profiles.json");
    const kept = JSON.parse(readFileSync(file, "utf8"));
    kept.profiles.default.operatorToken = OPERATOR_TOKEN;
    writeFileSync(file, JSON.stringify(kept));
    assert.equal((await cli.run(["operator", "accounts", "list"])).code, 0, "its own server");

    for (const words of [
      ["account", "get"],
      ["send", "+15005550000", "Hello"],
      ["listen"],
      ["mcp"],
      ["operator", "accounts", "list"],
      ["account", "get", "--profile", "default"],
    ]) {
      const refused = await cli.run([...words, "--server", there]);
      assert.equal(refused.code, 2, `${words.join(" ")}: ${refused.stderr}`);
      assert.match(refused.stderr, /^The profile default belongs to http.* is not sent to http/);
      assert.ok(refused.stderr.includes(`longwave login --profile NAME --server ${there}`));
    }
    const byVariable = commandLine(t, { LONGWAVE_URL: there, LONGWAVE_CONFIG: dirname(file) });
    assert.equal((await byVariable.run(["account", "get"])).code, 2);
    assert.equal(seen.length, 0, "the other server was not even asked");

    const given = await cli.run(["account", "get", "--server", there, "--key", "svc_sk_test_2"]);
    assert.equal(given.code, 3);
    assert.deepEqual(
      seen.map(({ authorization }) => authorization),
      ["Bearer svc_sk_test_2"],
    );
    const alone = await cli.run(["operator", "accounts", "list", "--server", there]);
    assert.deepEqual([alone.code, seen.length], [2, 1], "a key given along frees no token");
    kept.profiles.there = { url: there, apiKey: "svc_sk_test_3" };
    writeFileSync(file, JSON.stringify(kept));
    assert.equal((await cli.run(["account", "get", "--server", `${there}/v1`])).code, 3);
    assert.equal(seen.at(-1)?.authorization, "Bearer svc_sk_test_3", "the profile of that server");
    const relogin = ["login", "--profile", "there", "--server", kit().url, "--key", kit().testKey];
    assert.equal((await cli.run(relogin)).code, 0);
    assert.equal((await cli.run(["account", "get", "--server", "nowhere"])).code, 2);
    assert.equal(seen.length, 2);
  });

  test("a wrong code ends with 3, a phone's text limit with 4", async (t) => {
    const cli = commandLine(t, at());
    const phone = "+15005550012";
    const { test_code: code = "" } = await kit().api.verify.start({ phone });
    const other = code === "111111" ? "222222" : "111111";
    const wrong = await cli.run(["verify", phone, "--code", other]);
    assert.deepEqual([wrong.code, /^verified +false$/m.test(wrong.stdout)], [3, true]);
    assert.match(wrong.stderr, /^That is not the code\. Tries used: 1;/);
    const asJson = await cli.run(["verify", "check", "--phone", phone, "--code", other, "--json"]);
    assert.equal(asJson.code, 3);
    assert.deepEqual(JSON.parse(asJson.stdout), {
      verified: false,
      status: "pending",
      attempts: 2,
      charged: false,
    });
    assert.equal((await cli.run(["verify", phone, "--code", "no digits"])).code, 3);
    for (let sent = 1; sent < 5; sent += 1) await kit().api.verify.start({ phone });
    const limited = await cli.run(["verify", phone]);
    assert.deepEqual([limited.code, limited.stderr.split(":")[0]], [4, "rate_limited"]);
    assert.equal((await cli.run(["verify", phone, "--code", code ?? ""])).code, 0);
  });

  test("contacts import after a dry run; rejected rows go to a file", async (t) => {
    const cli = commandLine(t, at());
    const file = join(cli.folder, "contacts.csv");
    writeFileSync(
      file,
      "Handy,Full name,Groups,Plan\n500 555 0016,Ann Lee,vip;new,gold\n12,Bob,,\n+15005550017,Eve,,\n",
    );
    const given = ["contacts", "import", file, "--map", "phone_number=Handy"];
    const tried = await cli.run(given);
    assert.equal(tried.code, 0, tried.stderr);
    assert.match(tried.stderr, /^3 found, 2 valid, 1 malformed, 2 will create/);
    assert.match(tried.stderr, /1 rejected: see .*contacts\.csv\.rejected\.csv[\s\S]*add --yes/);
    assert.equal((await kit().api.contacts.list()).data.length, 0, "a dry run stores nothing");
    assert.match(readFileSync(`${file}.rejected.csv`, "utf8"), /\r\n12,Bob,,,/);
    assert.deepEqual(await cli.json([...given, "--yes"]), {
      created: 2,
      updated: 0,
      opted_out: 0,
    });
    const { data } = await kit().api.contacts.list({ tag: "vip" });
    assert.deepEqual(
      data.map(({ phone_number, name, attributes }) => [phone_number, name, attributes]),
      [["+15005550016", "Ann Lee", { plan: "gold" }]],
    );
    const unnamed = await cli.run(["contacts", "import", file]);
    assert.deepEqual([unnamed.code, /--map phone_number=COLUMN/.test(unnamed.stderr)], [2, true]);
  });

  test("numbering data uploads from a file or standard input, whole or not at all", async (t) => {
    const operator = { LONGWAVE_URL: kit().url, LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN };
    const cli = commandLine(t, operator);
    const header = "npa_nxx,line_type,carrier,locality,region\n";
    const file = join(cli.folder, "ranges.csv");
    const load = ["operator", "numbering", "load", "--file"];
    const kindOf = async (phone: string) => (await kit().api.lookup.get(phone)).line_type;
    writeFileSync(file, `${header}415555,mobile,"Zoë, Wireless",San Francisco,CA\n`);
    assert.deepEqual(await cli.json([...load, file]), { object: "numbering", rows: 1 });
    assert.deepEqual((await kit().api.lookup.get("+14155550123")).carrier, {
      name: "Zoë, Wireless",
    });
    writeFileSync(file, `${header}415555,landline,,,\n12,mobile,,,\n`);
    const refused = await cli.run([...load, file]);
    assert.deepEqual([refused.code, /line 3/i.test(refused.stderr)], [3, true], refused.stderr);
    assert.equal(await kindOf("+14155550123"), "mobile");
    const piped = await cli.json([...load, "-"], `${header}212555,landline,,,\n206555,voip,,,\n`);
    assert.equal(piped.rows, 2);
    assert.deepEqual(
      [await kindOf("+14155550123"), await kindOf("+12125550123")],
      ["unknown", "landline"],
    );
    const away = await cli.run([...load, join(cli.folder, "nothing.csv")]);
    assert.deepEqual([away.code, /--file/.test(away.stderr)], [2, true], away.stderr);
    assert.equal((await cli.run(load.slice(0, -1))).code, 2);
    const bare = await kit().operatorApi.numbering.load(header);
    assert.equal(bare.rows, 0);
    const blob = new Blob([`${header}312555,mobile,,,\n`], { type: "text/csv" });
    assert.equal((await kit().operatorApi.numbering.load(blob)).rows, 1);
    assert.equal(await kindOf("+13125550123"), "mobile");
    await kit().operatorApi.numbering.load(header);
  });
});

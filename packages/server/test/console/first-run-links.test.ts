import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { firstLink } from "../../src/surfaces/console/index.ts";
import { createVisitors, PASSWORD, unspend } from "../../testing/console-users.ts";
import { startKit } from "../../testing/kit.ts";

const tokenOf = (url: string | null) => url?.split("#")[1] ?? "";

describe("first-run links", () => {
  const start = async (t: TestContext) => {
    const kit = await startKit(t);
    const { call } = createVisitors(() => kit);
    const open = (token: string) => call("POST", "/links/open", { body: { token } });
    const redeem = (token: string, email: string) =>
      call("POST", "/links/redeem", { body: { token, email, password: PASSWORD } });
    const link = async () => tokenOf(await firstLink(kit.deps, kit.url));
    const people = async () => {
      const [row] = await kit.rows(
        "select count(*)::int as users, count(*) filter (where is_operator)::int as operators from users",
      );
      return row;
    };
    return { kit, open, redeem, link, people };
  };

  it("an older link creates no second operator after the first sign-up", async (t) => {
    const { kit, open, redeem, link, people } = await start(t);
    const older = await link();
    const newer = await link();
    await unspend(kit, older);
    assert.equal((await redeem(newer, "ada@example.com")).status, 200);
    const isSpent = await unspend(kit, older);
    const statuses = [(await open(older)).status, (await redeem(older, "eve@example.com")).status];
    assert.deepEqual({ isSpent, statuses }, { isSpent: true, statuses: [404, 404] });
    assert.deepEqual(await people(), { users: 1, operators: 1 });
  });

  it("a new link invalidates earlier ones", async (t) => {
    const { open, redeem, link } = await start(t);
    const older = await link();
    const newer = await link();
    assert.equal((await redeem(older, "eve@example.com")).status, 404);
    assert.equal((await open(newer)).body.kind, "first");
    assert.equal((await redeem(newer, "ada@example.com")).status, 200);
  });

  it("two links used at once create one user", async (t) => {
    const { kit, redeem, link, people } = await start(t);
    const tokens = [await link(), await link()];
    for (const token of tokens) await unspend(kit, token);
    const answers = await Promise.all(
      tokens.map((token, at) => redeem(token, `person-${at}@example.com`)),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404]);
    assert.deepEqual(await people(), { users: 1, operators: 1 });
  });

  it("the first person names the account, and nobody else does by a link", async (t) => {
    const { kit, open, link } = await start(t);
    const { call } = createVisitors(() => kit);
    const token = await link();
    assert.notEqual((await open(token)).body.account_name, null);
    const redeemAs = (account_name: string) =>
      call("POST", "/links/redeem", {
        body: { token, email: "ada@example.com", name: "Ada", password: PASSWORD, account_name },
      });
    for (const name of ["  ", "two\nlines", "x".repeat(1_000)]) {
      const refused = await redeemAs(name);
      assert.deepEqual([refused.status, refused.body.error.param], [400, "account_name"], name);
    }
    const { cookie } = await redeemAs(" Hillside Dental ");
    const session = await call("GET", "/session", { cookie });
    const [{ id, name }] = session.body.accounts;
    assert.equal(name, "Hillside Dental");
    const body = { email: "bo@example.com", role: "member" };
    const invited = await call("POST", `/${id}/invitations`, { cookie, body });
    const invitation = tokenOf(invited.body.url);
    const { account_name, invited_by, role } = (await open(invitation)).body;
    assert.deepEqual([account_name, invited_by, role], ["Hillside Dental", "Ada", "member"]);
    const given = { token: invitation, password: PASSWORD, account_name: "Mine" };
    const refused = await call("POST", "/links/redeem", { body: given });
    assert.deepEqual([refused.status, refused.body.error.param], [400, "account_name"]);
    const [row] = await kit.rows("select name from accounts where name = 'Mine'");
    assert.equal(row, undefined);
  });
});

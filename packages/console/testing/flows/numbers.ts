import assert from "node:assert/strict";
import { until } from "../../../server/testing/until.ts";
import type { Stage } from "../stage.ts";

/** As `coming-over.ts` has brought it over. */
const PORTED = "+12065562001";

export function numberFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const button = (name: string) => page().getByRole("button", { name, exact: true });

  test("a number is bought, labelled, tagged, put into a pool, and released", async () => {
    await open("numbers/buy?area_code=415");
    await button("Buy").first().click();
    await page()
      .getByRole("button", { name: /^Buy · free/ })
      .click();
    await page().waitForURL(/\/numbers\/(\+|%2B)1415555/);
    const [, phone = ""] = /(\+1415\d{7})$/.exec(decodeURIComponent(page().url())) ?? [];
    const shown = `(415) ${phone.slice(5, 8)}-${phone.slice(8)}`;
    await page().getByLabel("Label").fill("Front desk");
    await page().getByLabel("Tags").fill("support, spring");
    await button("Save").click();
    await page().locator(".code").getByText('"Front desk"').waitFor();
    await open("numbers?tag=spring");
    await page().locator(".list-row", { hasText: "Front desk" }).getByText(shown).waitFor();
    await open("pools");
    await button("New pool").first().click();
    await page().getByRole("dialog").getByLabel("Name").fill("Reception");
    await page().getByLabel(shown).check();
    await button("Create the pool").click();
    await page().getByRole("heading", { name: "Reception" }).waitFor();
    const [pool] = (await kit().api.pools.list({})).data;
    assert.deepEqual(pool?.numbers, [phone]);
    await open(`numbers/${phone}`);
    await button("Release").click();
    await button("Release the number").click();
    await page().waitForURL(/\/numbers$/);
    const [row] = await kit().rows(
      "select label, tags, released_at is not null as released from numbers where phone_number = $1",
      [phone],
    );
    assert.deepEqual(row, { label: "Front desk", tags: ["support", "spring"], released: true });
    assert.deepEqual((await kit().api.pools.get(pool?.id ?? "")).numbers, []);
    const audit = await kit().rows(
      "select action from audit_log where action like 'number.%' and target_id = $1 and actor_type = 'user' order by seq",
      [phone],
    );
    assert.deepEqual(
      audit.map(({ action }) => action),
      ["number.purchased", "number.updated", "number.released"],
    );
  });

  test("a live number is tied to a registration, and says when the carriers know it", async () => {
    const sandbox = new URL(stage.home()).pathname;
    await stage.go(`${sandbox.replace(/test$/, "live")}/numbers/${PORTED}`);
    const standing = page().getByRole("list", { name: "Progress" });
    await standing.getByText("Active", { exact: true }).waitFor();
    await page().getByLabel("Registration").selectOption({ index: 1 });
    await page()
      .getByRole("button", { name: /^Tie it/ })
      .click();
    await page().getByRole("link", { name: "See the registration" }).waitFor();
    await until(async () => {
      const [row] = await kit().rows(
        "select sender_state, registration_tied from numbers where phone_number = $1",
        [PORTED],
      );
      return row.registration_tied && row.sender_state === "active";
    });
    await standing.locator("[aria-current=step]", { hasText: "Active" }).waitFor();
    await stage.go(sandbox);
  });
}

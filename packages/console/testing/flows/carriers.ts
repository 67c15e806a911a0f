import assert from "node:assert/strict";
import { Smsc } from "@longwave/smpp/smsc";
import type { Lifetime } from "../../../server/testing/kit.ts";
import { carriersFile, smppEntry, writeCarriers } from "../../../server/testing/smpp-stage.ts";
import { until } from "../../../server/testing/until.ts";
import type { Stage } from "../stage.ts";

/** A carrier that a flow stops and starts. */
export interface Link {
  readonly env: Readonly<Record<string, string>>;
  /** Rewrites the carriers file with changes to this entry. */
  rewrite(changes: object): Promise<void>;
  down(): Promise<void>;
  up(): Promise<void>;
}

export async function startLink(lifetime: Lifetime): Promise<Link> {
  let smsc = await Smsc.start({ password: "secret" });
  const { port } = smsc;
  lifetime.after(() => smsc.stop());
  const file = await carriersFile(lifetime, [smppEntry(smsc)]);
  return {
    env: { LONGWAVE_CARRIERS: file },
    rewrite: (changes) => writeCarriers(file, [smppEntry({ port }, changes)]),
    down: () => smsc.stop(),
    async up() {
      smsc = await Smsc.start({ password: "secret", port });
    },
  };
}

export function carrierFlows(stage: Stage, link: Link): void {
  const { kit, page, test } = stage;

  test("the operator sees a carrier go down with its reason and waiting accounts, and come back", async () => {
    const account = new URL(stage.home()).pathname;
    const card = page().locator(".card", { hasText: "wire" });
    const says = (state: string) => card.getByText(state, { exact: true }).waitFor();
    await stage.go("/op/carriers");
    await says("Up");
    await link.down();
    await says("Down");
    const why = ((await card.locator(".note[data-tone=red]").textContent()) ?? "").trim();
    const [carrier] = (await kit().operatorApi.carriers.list({})).data;
    assert.equal(carrier?.state === "up", false);
    assert.notEqual(why, "");
    await card
      .getByText(/Next try in \d+ s/)
      .first()
      .waitFor();
    await stage.picture("carrier-down");
    await stage.go("/op");
    await says("Down");
    await page()
      .getByText(/^The carriers of \d+ live numbers? are down; their texts wait/)
      .waitFor();
    await link.up();
    await says("Up");
    await until(async () => (await kit().operatorApi.carriers.list({})).data[0]?.state === "up");
    await stage.go(account);
  });

  test("the operator reloads the carriers file: a mistake is named and changes nothing", async () => {
    const account = new URL(stage.home()).pathname;
    const card = page().locator(".card", { hasText: "wire" });
    const reload = page().getByRole("button", { name: "Reload the file" });
    await stage.go("/op/carriers");
    await card.getByText(/no limit$/).waitFor();
    await link.rewrite({ bind: "sideways" });
    await reload.click();
    await page()
      .getByRole("alert")
      .getByText(/carriers\[0\]\.bind/)
      .waitFor();
    await card.getByText(/no limit$/).waitFor();
    await link.rewrite({ rate: 250 });
    await reload.click();
    await card.getByText(/of 250$/).waitFor();
    await page().getByRole("alert").waitFor({ state: "detached" });
    await link.rewrite({});
    await reload.click();
    await card.getByText(/no limit$/).waitFor();
    await card.getByText("Up", { exact: true }).waitFor();
    await stage.go(account);
  });
}

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../../../server/testing/until.ts";
import type { Stage } from "../stage.ts";
import { HOSTILE_MARKUP } from "./contacts.ts";

const TABS_MAX = 120;
const COMPLETE_MS_MAX = 120_000;

/**
 * Sends a batch from a CSV file without a mouse: pages by `g` and `c`, fields by Tab, buttons by
 * Enter. Columns are detected, rejected rows are listed and downloaded, and all others get a
 * message.
 */
export function csvByKeyboard(stage: Stage, of: { people: number; reloads: boolean }): void {
  const { kit, page, open, test } = stage;

  test(`a file of ${of.people} becomes a batch by keyboard alone`, async () => {
    await open("messages");
    const keys = page().keyboard;
    await keys.press("g");
    await keys.press("b");
    await page().getByRole("heading", { name: "Batches", exact: true }).waitFor();
    await keys.press("c");
    await page().getByRole("heading", { name: "Recipients", exact: true }).waitFor();
    const chooser = page().waitForEvent("filechooser");
    await tabTo(page(), "Choose a CSV file");
    await keys.press("Enter");
    await (await chooser).setFiles({
      name: "people.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(fileOf(of.people)),
    });
    await page().getByRole("button", { name: "Next: message" }).waitFor();
    await tabTo(page(), "Next: message");
    await keys.press("Enter");
    await page().getByRole("heading", { name: "The message", exact: true }).waitFor();
    await tabTo(page(), "Text");
    await keys.type("Hi {{first_name}}, hello");
    await page().getByText("Hi Ada, hello").waitFor();
    // A reload in the middle loses nothing.
    if (of.reloads) await page().reload();
    await page().getByRole("button", { name: "Review", exact: true }).waitFor();
    await tabTo(page(), "Review");
    await keys.press("Enter");
    await page().getByText("Skipped rows").waitFor();
    const saved = page().waitForEvent("download");
    await tabTo(page(), "Download");
    await keys.press("Enter");
    assert.equal((await saved).suggestedFilename(), "skipped.csv");
    await tabTo(page(), `Send to ${of.people.toLocaleString("en-US")} people`);
    await keys.press("Enter");
    await page().getByRole("heading", { name: "people", exact: true }).waitFor();
    await page().getByText("Complete", { exact: true }).waitFor({ timeout: COMPLETE_MS_MAX });
    const { data } = await kit().api.batches.list({ limit: 1 });
    await until(
      async () => (await kit().api.batches.get(data[0]?.id ?? "")).counts.sent === of.people,
    );
  });
}

function fileOf(people: number): string {
  const phones = Array.from({ length: people }, (_, at) => `+1415${String(2_000_000 + at)}`);
  const lines = phones.map((phone) => `Ada,${phone}`);
  return ["First name,Mobile", ...lines, `${HOSTILE_MARKUP[0]},12`, `Twice,${phones[1]}`].join(
    "\n",
  );
}

/** Presses Tab until the named element has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focusOrder: string[] = [];
  for (let tab = 0; tab < TABS_MAX; tab += 1) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      const labels = (element as HTMLInputElement | null)?.labels ?? [];
      const label = [...labels].map((each) => each.textContent).join(" ");
      return label || element?.getAttribute("aria-label") || element?.textContent || "";
    });
    if (focused.trim().startsWith(name)) return;
    focusOrder.push(focused.slice(0, 30));
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${name}, but to ${focusOrder.join(" | ")}`);
}

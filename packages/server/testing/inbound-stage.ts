import { after, before } from "node:test";
import { giveNumber } from "./give-number.ts";
import { type Answer, type Kit, type Lifetime, startKit } from "./kit.ts";
import { secondAccount } from "./live.ts";

export const OURS = "+15005550100";
export const PERSON = "+14155552671";

/** Shares one server among the tests of a file. The result creates an account with a number for each test. */
export function shareInstallation(): () => Promise<Kit> {
  let installation: Kit;
  const takeDowns: (() => Promise<void>)[] = [];
  const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };
  before(async () => {
    installation = await startKit(lifetime);
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });
  return async () => {
    const kit = await secondAccount(installation);
    await giveNumber(kit);
    return kit;
  };
}

/** Simulates an inbound message from a person to the account's number. */
export function text(
  kit: Kit,
  body: string,
  more: { from?: string; to?: string } = {},
): Promise<Answer> {
  return kit.request("POST", "/v1/test/inbound", {
    body: { from: PERSON, to: OURS, body, ...more },
  });
}

export function eventsOf(kit: Kit): Promise<{ type: string; data: Record<string, unknown> }[]> {
  return kit.rows("select type, data from events where account_id = $1 order by seq", [
    kit.account.id,
  ]);
}

/** Event types in commit order, without `message.delivered`, whose time varies. */
export async function typesOf(kit: Kit): Promise<string[]> {
  const types = (await eventsOf(kit)).map((event) => event.type);
  return types.filter((type) => type !== "message.delivered");
}

/** Automatic replies to keywords, oldest first. */
export function replies(
  kit: Kit,
): Promise<{ to_number: string; from_number: string; body: string }[]> {
  return kit.rows("select * from messages where auto_reply and account_id = $1 order by id", [
    kit.account.id,
  ]);
}

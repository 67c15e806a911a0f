import assert from "node:assert/strict";
import { Longwave } from "@longwave/sdk";
import { createAccount } from "../src/account/accounts/index.ts";
import { createKey } from "../src/account/keys/index.ts";
import { toApiId } from "../src/core/platform/ids.ts";
import { type Answer, type Kit, OPERATOR_TOKEN, type RequestOptions, withOwnKeys } from "./kit.ts";
import { checkedFetch } from "./openapi-check.ts";

/** Gives the kit's account live access and, by default, credit. */
export async function goLive(kit: Kit, creditUsd = 100): Promise<void> {
  const path = `/accounts/${toApiId("account", kit.account.id)}`;
  const granted = await kit.operator("PATCH", path, { live_access: "granted" });
  assert.equal(granted.status, 200);
  if (creditUsd > 0) await addCredit(kit, creditUsd);
}

export async function addCredit(kit: Kit, amountUsd: number): Promise<void> {
  const path = `/accounts/${toApiId("account", kit.account.id)}/credits`;
  const answer = await kit.operator("POST", path, { amount_usd: amountUsd });
  assert.equal(answer.status, 201);
}

export async function balanceUsd(kit: Kit): Promise<number> {
  const answer = await kit.request("GET", "/v1/account");
  return answer.body.balance_usd;
}

/** Adds numbers to the operator's inventory. The area code decides whether they are toll-free. */
export async function stock(kit: Kit, ...phones: readonly string[]): Promise<void> {
  const numbers = phones.map((phone_number) => ({
    phone_number,
    type: /^\+18(00|33|44|55|66|77|88)/.test(phone_number) ? "toll_free" : "local",
  }));
  const answer = await kit.operator("POST", "/inventory", { numbers });
  assert.deepEqual(answer.body, { added: phones.length, skipped: 0 });
}

/** Valid numbers of one US exchange. */
export function usNumbers(count: number, prefix = "+1206555"): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(2_000 + index)}`);
}

/** Buys a number and returns it. */
export async function buy(kit: Kit, phone: string, options: RequestOptions = {}) {
  const body = { phone_number: phone, ...(options.body as object | undefined) };
  const answer = await kit.request("POST", "/v1/numbers", { ...options, body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

/** Creates another account of the installation, with an unrestricted test and live key. */
export async function secondAccount(kit: Kit): Promise<Kit> {
  const { deps } = kit;
  const { account, testKey, liveKey } = await deps.db.tx(async (tx) => {
    const made = await createAccount(deps, tx, "Second account");
    const test = await createKey(deps, tx, made, { mode: "test", name: null, scopes: null });
    const live = await createKey(deps, tx, made, { mode: "live", name: null, scopes: null });
    return { account: made, testKey: test.key ?? "", liveKey: live.key ?? "" };
  });
  const api = new Longwave({
    apiKey: testKey,
    operatorToken: OPERATOR_TOKEN,
    baseUrl: kit.url,
    retryDelaysMs: [],
    fetch: checkedFetch,
  });
  return {
    ...kit,
    api,
    account,
    testKey,
    liveKey,
    request: withOwnKeys(kit.request, { testKey, liveKey }),
  };
}

/** Asserts the status, code and field of an error response. */
export function assertRefused(
  answer: Answer,
  status: number,
  code: string,
  param: string | null = null,
): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(answer.body.error.code, code);
  assert.equal(answer.body.error.param, param);
}

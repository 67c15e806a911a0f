import type { Mode } from "@longwave/contract";
import { accountApiId } from "./account-rows.ts";
import { createVisitors } from "./console-users.ts";
import type { Kit } from "./kit.ts";

/** Sends a request of the API in one mode; the path begins below `/v1`. */
export type ModedSend = (
  mode: Mode,
  method: string,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
) => Promise<{ status: number; body: any }>;

/** Clients of the API: with a key of a mode, or the console with the mode in its path. */
export async function modedClients(kit: Kit): Promise<Readonly<Record<string, ModedSend>>> {
  const { call, asOwner } = createVisitors(() => kit);
  const { cookie } = await asOwner();
  return {
    key: (mode, method, path, body) =>
      kit.request(method, `/v1${path}`, { key: mode === "test" ? kit.testKey : kit.liveKey, body }),
    console: (mode, method, path, body) =>
      call(method, `/${accountApiId(kit)}/${mode}${path}`, { cookie, body }),
  };
}

import type { Longwave } from "@longwave/sdk";

/** Makes a hook of a number that the account buys for it; answers its id. */
export async function giveHook(api: Longwave, from: string): Promise<string> {
  await api.numbers.create({ phone_number: from });
  return (await api.hooks.create({ name: "Codes", from, preset: "supabase" })).id;
}

import { systemClock } from "../src/core/platform/clock.ts";
import { systemRandom } from "../src/core/platform/random.ts";
import { DOUBLES, DoubleServer } from "../src/network/carriers/doubles/index.ts";
import { callbackUrls, readCarriersFile } from "../src/network/carriers/index.ts";
import type { Lifetime } from "./kit.ts";
import { carriersFile } from "./smpp-stage.ts";

/** Public origin of the server under test: its callback URLs begin with it, and signatures cover it. */
export const PUBLIC_URL = "https://us.example";

export interface DoubleStage {
  readonly double: DoubleServer;
  readonly file: string;
  /** Callback URL of each entry. */
  urlOf(name: string, kind: "receipts" | "inbound"): string;
}

/** A provider's double, and a carriers file with an entry for each name, in order of priority. */
export async function startDouble(
  lifetime: Lifetime,
  type: string,
  entries: readonly { readonly name: string; readonly [field: string]: unknown }[],
  sendsReceipts = false,
): Promise<DoubleStage> {
  const provider = DOUBLES.get(type)?.();
  if (!provider) throw new Error(`There is no double of ${type}.`);
  const options = {
    port: 0,
    host: "127.0.0.1",
    receiptsUrl: null,
    inboundUrl: null,
    ratePerSecond: null,
    sendsReceipts,
  };
  const deps = { clock: systemClock(), random: systemRandom() };
  const double = await DoubleServer.start(provider, options, deps);
  lifetime.after(() => double.stop());
  Object.assign(process.env, provider.env);
  const file = await carriersFile(
    lifetime,
    entries.map((entry, index) => ({
      ...provider.entry,
      base_url: double.url,
      private_address: true,
      priority: 10 * (index + 1),
      ...entry,
    })),
  );
  const configs = await readCarriersFile(file, { ...process.env, ...provider.env });
  const urlOf: DoubleStage["urlOf"] = (name, kind) => {
    const config = configs.find((one) => one.name === name);
    const url = config && callbackUrls(config, PUBLIC_URL)[kind];
    if (!url) throw new Error(`${name} brings no ${kind}.`);
    return url;
  };
  const [first] = entries;
  if (first && first["poll_seconds"] === undefined) {
    double.receiptsUrl = urlOf(first.name, "receipts");
    double.inboundUrl = urlOf(first.name, "inbound");
  }
  return { double, file, urlOf };
}

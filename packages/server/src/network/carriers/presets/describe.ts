import type { CarrierConfig, HttpConfig } from "../config.ts";
import { PRESETS } from "./index.ts";

/** Preset of each entry that has one, and how the provider's traffic comes in: a line each. */
export function describePresets(configs: readonly CarrierConfig[]): string[] {
  return configs.flatMap((config) => {
    const preset = config.type === "http" ? PRESETS.get(config.preset ?? "") : undefined;
    if (!preset || config.type !== "http") return [];
    return [
      `${config.name} is ${preset.title} (preset version ${preset.version}): ${intakeOf(config)}`,
    ];
  });
}

function intakeOf({ http: { poll, callbacks } }: HttpConfig): string {
  if (poll?.receipts && callbacks?.inbound) {
    return `its receipts are read every ${poll.everyMs / 1_000} s, and inbound messages come by callback`;
  }
  if (poll !== null) return `its lists are read every ${poll.everyMs / 1_000} s`;
  return callbacks !== null && callbacks.signatures.length > 0
    ? "its callbacks are checked by their signature"
    : "its callbacks are checked by the secret end of their URLs";
}

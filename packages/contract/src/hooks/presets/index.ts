import type { HookPresetName } from "../../enums.ts";
import type { HookPreset } from "../../schemas/hook.ts";
import { ALERT_PRESETS } from "./alerts.ts";
import { CODE_PRESETS } from "./codes.ts";
import type { HookPresetData } from "./preset.ts";

export type { HookPresetData } from "./preset.ts";

/** Every preset, by name. */
export const HOOK_PRESETS: ReadonlyMap<HookPresetName, HookPresetData> = new Map(
  [...CODE_PRESETS, ...ALERT_PRESETS]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((preset) => [preset.name, preset]),
);

export function presentHookPreset(preset: HookPresetData): HookPreset {
  return {
    object: "hook_preset",
    name: preset.name,
    title: preset.title,
    declaration: preset.declaration,
    needs_recipients: preset.needsRecipients === true,
    secret_from_program: preset.secretFromProgram === true,
    setup: preset.setup,
    source: preset.source,
    sample: JSON.stringify(preset.sample, null, 2),
  };
}

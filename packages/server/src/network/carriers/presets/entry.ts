import { Problem } from "@longwave/contract";
import type { Preset, PresetOption } from "./preset.ts";

/** Variable of a secret, in capitals. A shell's variable does not begin with a digit. */
export function secretVariable(name: string, field: string): string {
  const words = `${name}_${field}`.replace(/^(\d+)([a-z]+)/i, "$2$1");
  const variable = words.replaceAll("-", "_").toUpperCase();
  return /^\d/.test(variable) ? `_${variable}` : variable;
}

/** Entry of the carriers file for a preset, and the secrets that its variables hold. */
export function entryOf(
  preset: Preset,
  name: string,
  fields: Readonly<Record<string, string>>,
): { entry: Readonly<Record<string, unknown>>; secrets: Readonly<Record<string, string>> } {
  const entry: Record<string, unknown> = { name, type: preset.type };
  const secrets: Record<string, string> = {};
  const known = Object.keys(preset.options).map((option) => option.replace(/_env$/, ""));
  for (const [field, value] of Object.entries(fields)) {
    const option = preset.options[field];
    if (preset.options[`${field}_env`]) {
      const variable = secretVariable(name, field);
      entry[`${field}_env`] = variable;
      secrets[variable] = value;
    } else if (option && !field.endsWith("_env")) {
      entry[field] = plainValue(option, value);
    } else {
      const message = `${preset.title} has no field ${field}. It has: ${known.join(", ")}.`;
      throw new Problem("invalid_request", message, { param: `fields.${field}` });
    }
  }
  for (const [option, { isRequired }] of Object.entries(preset.options)) {
    const field = option.replace(/_env$/, "");
    if (isRequired && fields[field] === undefined) {
      const message = `${field} is missing: ${preset.title} needs it.`;
      throw new Problem("invalid_request", message, { param: `fields.${field}` });
    }
  }
  return { entry, secrets };
}

function plainValue({ isNumber, isFlag }: PresetOption, value: string): string | number | boolean {
  if (isNumber && /^\d{1,4}$/.test(value)) return Number(value);
  return isFlag && /^(?:true|false)$/.test(value) ? value === "true" : value;
}

import type { Environment, FieldCheck } from "../check-fields.ts";
import type { Json, JsonObject, Preset, PresetOption } from "./preset.ts";

const VALUE = /^[\w.@+-]{1,200}$/;
const VALUE_TAKES = "1 to 200 letters, digits and . _ - @ +";
const VARIABLE = /^\w{1,100}$/;
const ORIGIN = /^https?:\/\/[^\s/?#]+$/;
/** Fields of every carrier; the others belong to the declaration. */
const COMMON_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "type",
  "numbers",
  "destinations",
  "priority",
]);
const PLACEHOLDER = /\{\{(option\.\w+|base_url)\}\}/g;

type OptionValue = string | number | true | undefined;
type Options = Readonly<Record<string, OptionValue>>;

/**
 * The declaration of an entry whose type is a preset: the preset's, with the entry's own fields
 * over it. Mistakes in the preset's options are reported under their own names.
 */
export function expandPreset(preset: Preset, check: FieldCheck, env: Environment): JsonObject {
  const options: Record<string, OptionValue> = {};
  for (const [name, option] of Object.entries(preset.options)) {
    options[name] = readOption(check, env, name, option);
  }
  options["base_url"] = readBaseUrl(preset, check, options);
  const own = check.names().filter((name) => !COMMON_FIELDS.has(name) && !(name in options));
  const overrides = Object.fromEntries(own.map((name) => [name, check.value(name) as Json]));
  return merged(filled(preset.entry, options) as JsonObject, overrides) as JsonObject;
}

function readOption(
  check: FieldCheck,
  env: Environment,
  name: string,
  {
    isRequired,
    default: fallback,
    form = VALUE,
    takes = VALUE_TAKES,
    isNumber,
    isFlag,
    charsMin = 1,
  }: PresetOption,
): OptionValue {
  if (!check.has(name)) {
    if (isRequired)
      check.fail(
        name,
        `is missing: it takes ${name.endsWith("_env") ? "the name of a variable" : takes}.`,
      );
    return fallback;
  }
  if (isFlag) return check.flag(name, false) || undefined;
  if (isNumber) return check.whole(name, 0, 1_000, 0);
  if (!name.endsWith("_env")) return check.string(name, form, takes, "");
  const variable = check.string(name, VARIABLE, "the name of a variable", "");
  const value = env[variable] ?? "";
  if (variable !== "" && value === "") check.fail(name, `names ${variable}, which is not set.`);
  else if (variable !== "" && value.length < charsMin) {
    check.fail(
      name,
      `names ${variable}, whose value is too short: it takes ${charsMin} characters.`,
    );
  }
  return variable;
}

function readBaseUrl({ baseUrl, title }: Preset, check: FieldCheck, options: Options): string {
  const takes = "an origin such as https://api.example.com, without a path";
  const fallback = baseUrl === null ? null : String(filled(baseUrl, options));
  if (fallback === null && !check.has("base_url")) {
    check.fail("base_url", `is missing: ${title} gives each customer an own address.`);
    return "https://localhost";
  }
  return check.string("base_url", ORIGIN, takes, fallback ?? "");
}

/** The preset's JSON with the options in place. */
function filled(value: Json, options: Options): Json {
  if (typeof value === "string") return filledText(value, options);
  if (Array.isArray(value)) return value.map((one) => filled(one, options));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value as JsonObject).flatMap(([key, one]) => {
    const [name = "", ...conditions] = key.split("?");
    return conditions.every((one) => isMet(one, options))
      ? [[name, filled(one, options)] as const]
      : [];
  });
  return Object.fromEntries(fields);
}

/** Whether the entry has the option, or lacks the one after an exclamation mark. */
function isMet(condition: string, options: Options): boolean {
  if (condition.startsWith("!")) return options[condition.slice(1)] === undefined;
  return options[condition] !== undefined;
}

/** An option that stands alone keeps its type. */
function filledText(text: string, options: Options): Json {
  const optionOf = (name: string) => options[name.replace(/^option\./, "")] ?? "";
  const [whole] = text.match(/^\{\{option\.\w+\}\}$/) ?? [];
  if (whole !== undefined) return optionOf(whole.slice(2, -2));
  return text.replaceAll(PLACEHOLDER, (_, name: string) => String(optionOf(name)));
}

/** Objects are merged field by field; everything else is replaced. */
function merged(base: Json, over: Json | undefined): Json {
  if (over === undefined) return base;
  if (!isObject(base) || !isObject(over)) return over;
  const names = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      Object.hasOwn(base, name) ? merged(base[name] as Json, over[name]) : (over[name] as Json),
    ]),
  );
}

function isObject(value: Json): value is JsonObject {
  return value instanceof Object && !Array.isArray(value);
}

import { readFile } from "node:fs/promises";
import { CARRIER_TYPES } from "@longwave/contract";
import { type Environment, FieldCheck } from "./check-fields.ts";
import { type HttpOptions, readHttpOptions } from "./http/config.ts";
import { jsonFaultIn } from "./json-fault.ts";
import { expandPreset, PRESETS, type Preset } from "./presets/index.ts";
import { readSmppOptions, type SmppOptions } from "./smpp/config.ts";

/**
 * Mistakes in the carriers file: one line each, with the file, the path and the accepted values.
 */
export class CarriersFileError extends Error {
  readonly file: string;
  readonly problems: readonly string[];

  constructor(file: string, problems: readonly string[]) {
    const lines = problems.map((problem) => `LONGWAVE_CARRIERS: ${file}: ${problem}`);
    super(lines.join("\n"));
    this.name = "CarriersFileError";
    this.file = file;
    this.problems = problems;
  }
}

interface CommonConfig {
  readonly name: string;
  /** Numbers it carries messages from; "*" for all. */
  readonly numbers: "*" | readonly string[];
  /** Beginnings of the numbers that it carries messages to, such as "+44"; "*" for all. */
  readonly destinations: "*" | readonly string[];
  /** Lower values are tried first. */
  readonly priority: number;
}

export interface SimulatorConfig extends CommonConfig {
  readonly type: "simulator";
  readonly window: number;
  readonly journal: string | null;
}

export interface SmppConfig extends CommonConfig {
  readonly type: "smpp";
  readonly smpp: SmppOptions;
}

export interface HttpConfig extends CommonConfig {
  readonly type: "http";
  /** Preset that declares the carrier; null for a declaration of one's own. */
  readonly preset: string | null;
  readonly http: HttpOptions;
}

export type CarrierConfig = SimulatorConfig | SmppConfig | HttpConfig;

const CARRIERS_MAX = 50;
const DESTINATIONS_MAX = 1_000;
const WINDOW_DEFAULT = 1_000;
const WINDOW_MAX = 100_000;

/** Contents of the carriers file; null where there is none and none is needed. */
export async function readJsonFile(file: string, isOptional: boolean): Promise<unknown> {
  let text = "";
  try {
    text = await readFile(file, "utf8");
    return JSON.parse(text);
  } catch (error) {
    if (isOptional && (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw unreadable(file, error as Error, text);
  }
}

/** Every mistake of the file, each as a sentence that begins with its path. */
export function checkCarriers(
  parsed: unknown,
  env: Environment,
): { carriers: CarrierConfig[]; problems: string[] } {
  const list = (parsed as { carriers?: unknown } | null)?.carriers;
  if (!Array.isArray(list) || list.length > CARRIERS_MAX) {
    return {
      carriers: [],
      problems: [`needs "carriers": a list of at most ${CARRIERS_MAX} entries.`],
    };
  }
  const problems: string[] = [];
  const pathOf = new Map<string, string>();
  const carriers = list.map((entry: unknown, index) => {
    const path = `carriers[${index}]`;
    const check = new FieldCheck(entry, path);
    const config = carrierOf(check, env);
    const other = config.name === "" ? undefined : pathOf.get(config.name);
    if (other !== undefined) check.fail("name", `is that of ${other}, too: each has its own.`);
    else pathOf.set(config.name, path);
    check.rejectUnknown();
    problems.push(...check.problems);
    return config;
  });
  return { carriers: carriers.sort((a, b) => a.priority - b.priority), problems };
}

function carrierOf(check: FieldCheck, env: Environment): CarrierConfig {
  const common: CommonConfig = {
    name: check.string("name", /^[\w-]{1,40}$/, "1 to 40 letters, digits, _ and -", null),
    numbers: check.take("numbers", isNumbers, '"*" or a list of +1 numbers', "*"),
    destinations: check.take(
      "destinations",
      isPrefixes,
      '"*" or a list of beginnings such as "+1" and "+44"',
      "*",
    ),
    priority: check.whole("priority", 0, 1_000, 10),
  };
  const types = [...CARRIER_TYPES, ...PRESETS.keys()];
  if (!check.has("type")) check.fail("type", `is missing: it takes ${types.join(", ")}.`);
  const named = check.oneOf("type", types, "simulator");
  const preset = PRESETS.get(named);
  if (preset)
    return { ...common, type: "http", preset: named, http: readPreset(preset, check, env) };
  const type = named as (typeof CARRIER_TYPES)[number];
  if (type === "http") return { ...common, type, preset: null, http: readHttpOptions(check, env) };
  if (type === "smpp") return { ...common, type, smpp: readSmppOptions(check, env) };
  const isText = (value: unknown): value is string | null =>
    value === null || typeof value === "string";
  return {
    ...common,
    type,
    window: check.whole("window", 1, WINDOW_MAX, WINDOW_DEFAULT),
    journal: check.take("journal", isText, "the path of a file", null),
  };
}

function readPreset(preset: Preset, check: FieldCheck, env: Environment): HttpOptions {
  const before = check.problems.length;
  const entry = expandPreset(preset, check, env);
  const areOptionsRight = check.problems.length === before;
  // A wrong option would be reported again wherever the preset uses it.
  const expanded = check.replacedBy(entry, areOptionsRight ? check.problems : []);
  const options = readHttpOptions(expanded, env);
  expanded.rejectUnknown();
  return options;
}

function isNumbers(value: unknown): value is "*" | string[] {
  if (value === "*") return true;
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item === "string" && /^\+1\d{10}$/.test(item))
  );
}

function isPrefixes(value: unknown): value is "*" | string[] {
  if (value === "*") return true;
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= DESTINATIONS_MAX &&
    value.every((item) => typeof item === "string" && /^\+[1-9]\d{0,14}$/.test(item))
  );
}

function unreadable(
  file: string,
  error: Error & { readonly code?: string },
  text: string,
): CarriersFileError {
  if (error.code === "ENOENT") {
    return new CarriersFileError(file, ["cannot be read: there is no such file."]);
  }
  if (!(error instanceof SyntaxError)) {
    return new CarriersFileError(file, [`cannot be read: ${error.message}.`]);
  }
  const { line, column } = jsonFaultIn(text);
  const fault = "a comma, a quote or a bracket is missing there, or one too many";
  return new CarriersFileError(file, [`is not JSON at line ${line}, column ${column}: ${fault}.`]);
}

import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { Problem } from "@longwave/contract";
import type { Config } from "../../core/config/config.ts";
import { writePrivate } from "../../core/platform/whole-file.ts";
import type { Environment } from "./check-fields.ts";
import { type CarrierConfig, CarriersFileError, checkCarriers, readJsonFile } from "./config.ts";

export type CarriersFileSettings = Pick<Config, "carriersFile" | "dataFolder">;

/** Entry of the carriers file as it is written. */
export type CarrierFields = Readonly<Record<string, unknown>>;

/** Contents of the carriers file, and the secrets of its private file. */
export interface CarriersContent {
  readonly entries: readonly CarrierFields[];
  readonly secrets: Readonly<Record<string, string>>;
}

const WRITE_REFUSALS = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "ENOENT", "ENOSPC"]);

/** The file of LONGWAVE_CARRIERS, or carriers.json of the data folder. */
export function carriersPath({ carriersFile, dataFolder }: CarriersFileSettings): string {
  return carriersFile ?? join(dataFolder, "carriers.json");
}

/** Private file beside the carriers file, with variables in the form of a shell. */
function secretsPath(file: string): string {
  return `${file.replace(/\.json$/, "")}.env`;
}

/** Carriers in order of priority. The environment's variables win over those of the private file. */
export async function loadCarriers(
  settings: CarriersFileSettings,
  env: Environment = {},
): Promise<CarrierConfig[]> {
  return readCarriersFile(carriersPath(settings), env, settings.carriersFile === null);
}

/** Carriers of a file; none without a file that is optional. */
export async function readCarriersFile(
  file: string,
  env: Environment = {},
  isOptional = false,
): Promise<CarrierConfig[]> {
  const parsed = await readJsonFile(file, isOptional);
  if (parsed === null) return [];
  const secrets = await readSecrets(file);
  return checked(file, parsed, { ...secrets, ...env });
}

/**
 * Changes the carriers file and its secrets, unless the result would be wrong. The caller holds the
 * installation's lock, so that two changes do not overwrite each other.
 */
export async function changeCarriers(
  settings: CarriersFileSettings,
  env: Environment,
  change: (before: CarriersContent) => CarriersContent,
): Promise<void> {
  const file = carriersPath(settings);
  const parsed = (await readJsonFile(file, true)) ?? { carriers: [] };
  const before = await readSecrets(file);
  checked(file, parsed, { ...before, ...env });
  const { carriers: entries } = parsed as { carriers: readonly CarrierFields[] };
  const after = change({ entries, secrets: before });
  const content = { ...(parsed as object), carriers: after.entries };
  checked(file, content, { ...after.secrets, ...env });
  try {
    await mkdir(dirname(file), { recursive: true });
    // The secrets come first: an entry without its variables would stop the next start.
    if (after.secrets !== before) await writePrivate(secretsPath(file), envText(after.secrets));
    await writePrivate(file, `${JSON.stringify(content, null, 2)}\n`);
  } catch (error) {
    throw unwritable(file, error as NodeJS.ErrnoException);
  }
}

function unwritable(file: string, error: NodeJS.ErrnoException): Error {
  const { code = "" } = error;
  if (!WRITE_REFUSALS.has(code)) return error;
  return new Problem(
    "invalid_state",
    `The server may not write ${file} (${code}). Add the entry there by hand, and reload the carriers.`,
  );
}

/** Carriers of a new content of the file, before it is written. */
export function readCarriers(content: unknown, env: Environment): CarrierConfig[] {
  return checked("The new entry", content, env);
}

function checked(file: string, parsed: unknown, env: Environment): CarrierConfig[] {
  const { carriers, problems } = checkCarriers(parsed, env);
  if (problems.length > 0) throw new CarriersFileError(file, problems);
  return carriers;
}

async function readSecrets(file: string): Promise<Readonly<Record<string, string>>> {
  try {
    return parseEnv(await readFile(secretsPath(file), "utf8")) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

/** One variable a line, in a quote that its value does not contain. */
function envText(secrets: Readonly<Record<string, string>>): string {
  const lines = Object.entries(secrets).map(([name, value]) => {
    const quote = ["'", '"', "`"].find((one) => !value.includes(one));
    if (quote === undefined || /[\r\n]/.test(value)) {
      throw new Problem("invalid_request", "A secret has line breaks, or every kind of quote.", {
        param: "fields",
      });
    }
    return `${name}=${quote}${value}${quote}\n`;
  });
  return lines.join("");
}

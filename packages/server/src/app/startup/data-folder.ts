import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../core/config/config.ts";
import { explainFileError } from "../../core/db/embedded/index.ts";
import { StartFailure } from "../../core/platform/assert.ts";
import { OPERATOR_TOKEN_PREFIX } from "../../core/platform/log.ts";
import { systemRandom } from "../../core/platform/random.ts";
import { writeOnce } from "../../core/platform/whole-file.ts";

const ROOT_KEY_BYTES = 32;
const TOKEN_BYTES = 24;

/** Files of the installation beside its database. */
export interface DataFolder {
  readonly path: string;
  readonly rootKey: Buffer;
  readonly operatorToken: string;
  /** File of the operator token; null if LONGWAVE_OPERATOR_TOKEN sets it. */
  readonly operatorTokenFile: string | null;
  /** File of the first run's API key. */
  readonly firstRunFile: string;
}

/** Reads the secrets of the data folder, and creates missing ones. */
export async function openDataFolder(config: Config): Promise<DataFolder> {
  try {
    return await open(config);
  } catch (error) {
    throw explainFileError(error, config.dataFolder);
  }
}

async function open(config: Config): Promise<DataFolder> {
  const path = config.dataFolder;
  await mkdir(path, { recursive: true, mode: 0o755 });
  const random = systemRandom();
  const tokenFile = join(path, "operator-token");
  const rootKey =
    config.secretKey ??
    (await keptSecret(join(path, "secret-key"), /^[0-9a-fA-F]{64}$/, () =>
      random.bytes(ROOT_KEY_BYTES).toString("hex"),
    ));
  const operatorToken =
    config.operatorToken ??
    (await keptSecret(
      tokenFile,
      /^\S{16,200}$/,
      () => `${OPERATOR_TOKEN_PREFIX}${random.bytes(TOKEN_BYTES).toString("hex")}`,
    ));
  return {
    path,
    rootKey: Buffer.from(rootKey, "hex"),
    operatorToken,
    operatorTokenFile: config.operatorToken === null ? tokenFile : null,
    firstRunFile: join(path, "first-run.json"),
  };
}

async function keptSecret(file: string, form: RegExp, make: () => string): Promise<string> {
  const kept = await readSecret(file, form);
  if (kept !== null) return kept;
  await writeOnce(file, `${make()}\n`);
  // A process starting in the same folder may have been faster; its secret wins.
  return (await readSecret(file, form)) ?? "";
}

async function readSecret(file: string, form: RegExp): Promise<string | null> {
  try {
    const secret = (await readFile(file, "utf8")).trim();
    if (form.test(secret)) return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  throw new StartFailure(`The file ${file} is damaged: restore it from a backup.`);
}

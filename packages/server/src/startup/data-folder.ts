import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { systemRandom } from "../platform/random.ts";

const ROOT_KEY_BYTES = 32;
const TOKEN_BYTES = 24;

/** What the installation keeps on disk beside its database. */
export interface DataFolder {
  readonly path: string;
  readonly rootKey: Buffer;
  readonly operatorToken: string;
}

/** Reads the secrets of the data folder; makes those that neither it nor the environment has. */
export async function openDataFolder(config: Config): Promise<DataFolder> {
  const path = config.dataFolder;
  await mkdir(path, { recursive: true, mode: 0o755 });
  const random = systemRandom();
  const rootKey =
    config.secretKey ??
    (await keptSecret(join(path, "secret-key"), () =>
      random.bytes(ROOT_KEY_BYTES).toString("hex"),
    ));
  const operatorToken =
    config.operatorToken ??
    (await keptSecret(
      join(path, "operator-token"),
      () => `op_${random.bytes(TOKEN_BYTES).toString("hex")}`,
    ));
  return { path, rootKey: Buffer.from(rootKey, "hex"), operatorToken };
}

async function keptSecret(file: string, make: () => string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const secret = make();
  await writeFile(file, `${secret}\n`, { mode: 0o600, flag: "wx" });
  return secret;
}

import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../core/config/config.ts";
import { explainFileError } from "../../core/db/embedded/index.ts";
import { UsageFailure } from "../../core/platform/assert.ts";
import { systemRandom } from "../../core/platform/random.ts";
import { createSecrets } from "../../core/platform/secrets.ts";
import {
  createAuthority,
  hostInstructions,
  keepAuthority,
} from "../../surfaces/twilio-hosts/index.ts";
import { openDataFolder } from "./data-folder.ts";

/** The authority's certificate, or how programs come to trust it. Needs no database: all derives from the root key. */
export async function twilioCaCommand(config: Config, isPem: boolean): Promise<string> {
  await refuseWithoutKey(config);
  const { rootKey, path: folder } = await openDataFolder(config);
  const authority = createAuthority(createSecrets(rootKey, systemRandom()));
  try {
    const { path, pem } = await keepAuthority(folder, authority);
    return (isPem ? pem : hostInstructions(path, config)).trimEnd();
  } catch (error) {
    throw explainFileError(error, folder);
  }
}

/** A new key would make an authority that no server has. */
async function refuseWithoutKey({ secretKey, dataFolder }: Config): Promise<void> {
  if (secretKey !== null) return;
  try {
    await access(join(dataFolder, "secret-key"));
  } catch (error) {
    const message = `${dataFolder} holds no installation: start the server first, or name its LONGWAVE_DATA.`;
    throw new UsageFailure(message, { cause: error });
  }
}

import { startCluster } from "../../packages/server/testing/cluster.ts";
import { migratedSchemaText, SCHEMA_PATH } from "../../packages/server/testing/schema-text.ts";
import type { Output } from "./output.ts";

/** The schema after all migrations, read back from a PostgreSQL started for it. */
export async function schemaFile(): Promise<Output[]> {
  const { cluster, stop } = await startCluster();
  try {
    return [{ path: SCHEMA_PATH, text: await migratedSchemaText(cluster) }];
  } finally {
    await stop();
  }
}

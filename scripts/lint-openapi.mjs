// npm run lint:openapi: checks the OpenAPI document with Redocly and Spectral. The linters are not part of the
// workspaces; they are installed on first use.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, root } from "./install.mjs";

const folder = join(root, "lint/openapi");
const document = join(root, "packages/contract/openapi.json");

const LINTERS = [
  ["redocly", ["lint", document, "--config", "redocly.yaml", "--format", "stylish"]],
  ["spectral", ["lint", document, "--ruleset", "spectral.yaml", "--fail-severity", "warn"]],
];

await ensureInstalled(folder, "the linters of the OpenAPI document");
const failed = LINTERS.filter(([name, args]) => {
  const result = spawnSync(join(folder, "node_modules/.bin", name), args, {
    cwd: folder,
    stdio: "inherit",
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });
  return result.status !== 0;
});
if (failed.length > 0) {
  console.error(
    `The OpenAPI document does not pass ${failed.map(([name]) => name).join(" and ")}.`,
  );
  process.exitCode = 1;
}

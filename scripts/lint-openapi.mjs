// npm run lint:openapi: holds the OpenAPI document against Redocly's and Spectral's rules. The
// linters live apart from the workspaces and are installed when they are first needed.
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

/** Program of a server process that tests may kill: the API and the console on an existing database. */
import type { ClientConfig } from "pg";
import { assemble } from "../src/app/assemble.ts";
import { serve } from "../src/app/serve.ts";
import { loadConfig } from "../src/core/config/config.ts";
import { createLog } from "../src/core/platform/log.ts";
import { OPERATOR_TOKEN } from "./kit.ts";

const connection = JSON.parse(process.argv[2] ?? "{}") as ClientConfig;
const env = JSON.parse(process.argv[3] ?? "{}") as Record<string, string>;
const config = loadConfig({ LONGWAVE_TEST_CLOCK: "1", LONGWAVE_ROLES: "api", ...env });
const { deps } = await assemble({
  config,
  connection,
  rootKey: Buffer.alloc(32, 7),
  log: createLog({ level: process.env["LOG_LEVEL"] ?? "silent" }),
});
const { url } = await serve(deps, {
  host: "127.0.0.1",
  port: config.port,
  operatorToken: OPERATOR_TOKEN,
});
console.log(url);

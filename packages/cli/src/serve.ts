import { spawnSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Command } from "commander";

/** The server's program, which is a package of its own. */
function serverFile(): string {
  return fileURLToPath(import.meta.resolve("@longwave/server"));
}

/** `longwave serve`, `migrate` and `check-config`: the server's own commands. */
export function addServe(program: Command): void {
  program
    .command("serve")
    .summary("start the server (what longwave does without a command)")
    .description(
      "Starts the server in this folder, with a PostgreSQL of its own unless DATABASE_URL names one. Settings are environment variables; longwave doctor shows them.",
    )
    .option("--port <port>", "the port to listen on (PORT)")
    .option("--host <host>", "the address to listen on (HOST)")
    .option("--data <folder>", "where everything is kept (LONGWAVE_DATA)")
    .action(async (options: { port?: string; host?: string; data?: string }) => {
      if (options.port !== undefined) process.env["PORT"] = options.port;
      if (options.host !== undefined) process.env["HOST"] = options.host;
      if (options.data !== undefined) process.env["LONGWAVE_DATA"] = options.data;
      await runServer("serve");
    });
  program
    .command("migrate")
    .summary("bring the database up to date")
    .description("Brings the database up to date and ends.")
    .action(() => runServer("migrate"));
}

/** In this very process: nothing stands between the server and the signals meant for it. */
async function runServer(command: string): Promise<void> {
  // As --disable-proto does: bodies from outside must not reach the prototype of every object.
  Reflect.deleteProperty(Object.prototype, "__proto__");
  process.setSourceMapsEnabled(true);
  const file = serverFile();
  process.argv = [process.execPath, file, command];
  await import(pathToFileURL(file).href);
}

/** Runs one of the server's commands as a child and gives what it printed. */
export function serverCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): { status: number; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [serverFile(), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...settings },
  });
  return { status: status ?? 1, stdout, stderr };
}

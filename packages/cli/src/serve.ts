import { spawnSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Command } from "commander";
import { EXIT } from "./exit-codes.ts";

/** Program of the server package. */
function serverFile(): string {
  return fileURLToPath(import.meta.resolve("@longwave/server"));
}

/** Commands of the server: `longwave serve`, and maintenance of an installation. */
export function addServe(program: Command): void {
  program
    .command("serve")
    .summary("start the server (what longwave does without a command)")
    .description(
      "Starts the server in this folder, with a PostgreSQL of its own unless DATABASE_URL names one. Settings are environment variables; longwave doctor shows them.",
    )
    .option("--port <port>", "the port to listen on (PORT)")
    .option("--host <host>", "the address to listen on (HOST)")
    .option("--data <folder>", "the data folder (LONGWAVE_DATA)")
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
  program
    .command("console-link")
    .summary("print a link into the console that works once")
    .description(
      "Prints a link into the console of the server in this folder: for the first person, or with --email for a new password. The server may run meanwhile; give the PORT and LONGWAVE_PUBLIC_URL that it has.",
    )
    .option("--email <address>", "email of the user who needs a new password")
    .action(({ email }: { email?: string }) =>
      runServer("console-link", ...(email === undefined ? [] : ["--email", email])),
    );
  program
    .command("twilio-ca")
    .summary("print a certificate for programs that call Twilio's host names")
    .description(
      "Prints the certificate authority of the installation in this folder, with lines to paste for Node.js, Python, Ruby, Go, Java and Docker: programs with a fixed Twilio host then find this server and trust it. The server may run meanwhile.",
    )
    .option("--pem", "print the certificate alone")
    .action(({ pem }: { pem?: boolean }) => runServer("twilio-ca", ...(pem ? ["--pem"] : [])));
  program
    .command("hold")
    .summary("put the server of this folder on hold: it starts, and sends nothing")
    .description(
      "For a copy of a data folder that was made by hand: it starts on hold, and sends nothing until the operator releases it.",
    )
    .action(() => runServer("hold"));
  program
    .command("smsc")
    .summary("start an SMPP message centre for testing")
    .description(
      "Starts an SMPP message centre on this machine that accepts every text, prints it and sends a receipt. --help lists its options, and the phones that make it misbehave.",
    )
    .argument("[options...]")
    .allowUnknownOption()
    .helpOption(false)
    .action((options: string[]) => runServer("smsc", ...options));
  program
    .command("mock")
    .summary("start a mock of a provider's API for testing")
    .description(
      "Starts a mock of the API of Telnyx, Twilio, Bandwidth or another provider on this machine: it accepts every text, prints it, and posts receipts and replies with the provider's signature. --help lists the providers and options, and the phones that make it misbehave.",
    )
    .argument("[options...]")
    .allowUnknownOption()
    .helpOption(false)
    .action((options: string[]) => runServer("mock", ...options));
}

/** Runs in this process, so that signals reach the server directly. */
async function runServer(...words: readonly string[]): Promise<void> {
  // Like --disable-proto: request bodies must not reach the prototype of every object.
  Reflect.deleteProperty(Object.prototype, "__proto__");
  process.setSourceMapsEnabled(true);
  // The server's program exits with 1 on any failure; the CLI reserves 1 for checks.
  process.once("exit", (code) => {
    if (code === EXIT.found) process.exitCode = EXIT.unreachable;
  });
  const file = serverFile();
  process.argv = [process.execPath, file, ...words];
  await import(pathToFileURL(file).href);
}

/** Runs a server command as a child process and returns its output. */
export function serverCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): { status: number; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [serverFile(), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...settings },
  });
  // Stack traces of the server do not help the user.
  return { status: status ?? 1, stdout, stderr: stderr.replaceAll(/^ +at .*\n?/gm, "") };
}

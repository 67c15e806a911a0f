import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { basename, dirname, extname, join } from "node:path";
import { builtFolder } from "../../core/platform/built-folder.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { PlainAnswer, PlainRoute } from "../../http/server/router.ts";

/**
 * Content Security Policy: nothing inline, nothing from other origins; Trusted Types keep strings out of
 * markup.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
} as const;

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".html": "text/html; charset=utf-8",
};

const ASSETS = "console-assets";
const BUILD_LOOK_MS = 100;
const BUILD_WAIT_MS_MAX = 60_000;
/** Files whose name contains no hash of their content. */
const UNHASHED = new Set(["boot.js", "icon.svg"]);
const PAGES = /^\/(?:|sign-in|first|join|reset|me|op(?:\/.*)?|acct_[^/]+(?:\/.*)?)$/;

export interface ConsoleFiles {
  readonly routes: readonly PlainRoute[];
  pageAt(path: string): PlainRoute | null;
}

interface StoredFile {
  readonly type: string;
  readonly whole: Buffer;
  readonly gzip: Buffer | null;
  readonly brotli: Buffer | null;
}

/** The console's files, kept in memory: few, small and requested often. */
export function createConsoleFiles(
  clock: Pick<Clock, "sleep">,
  folder: string = builtFolder("console"),
): ConsoleFiles {
  return filesIn(folder) ?? filesOnceBuilt(clock, folder);
}

/**
 * Files of a console that `npm start` builds while the server starts already. Requests wait for the build;
 * without one they get an explanation.
 */
function filesOnceBuilt(clock: Pick<Clock, "sleep">, folder: string): ConsoleFiles {
  let built: ConsoleFiles | null = null;
  const answer = async (path: string, request: IncomingMessage): Promise<PlainAnswer | null> => {
    for (let waitedMs = 0; ; waitedMs += BUILD_LOOK_MS) {
      built ??= filesIn(folder);
      if (built || waitedMs >= BUILD_WAIT_MS_MAX || !isBeingBuilt(folder)) break;
      await clock.sleep(BUILD_LOOK_MS);
    }
    if (!built) return isBeingBuilt(folder) ? BEING_BUILT : NOT_BUILT;
    const route = built.routes.find((one) => one.path === path) ?? built.pageAt(path);
    return route ? route.answer(request) : null;
  };
  return {
    routes: [],
    pageAt: (path) =>
      PAGES.test(path) || path.startsWith(`/${ASSETS}/`)
        ? { path, answer: (request) => answer(path, request) }
        : null,
  };
}

/** The build writes into a folder beside this one, and renames it at its end. */
function isBeingBuilt(folder: string): boolean {
  const parent = dirname(folder);
  const unfinished = `${basename(folder)}.new-`;
  return existsSync(parent) && readdirSync(parent).some((name) => name.startsWith(unfinished));
}

function filesIn(folder: string): ConsoleFiles | null {
  const page = load(folder, "index.html");
  if (!page) return null;
  const names = readdirSync(join(folder, ASSETS)).filter(
    (name) => TYPES[extname(name)] !== undefined,
  );
  const routes = names.map((name): PlainRoute => {
    const file = load(join(folder, ASSETS), name);
    const cache = UNHASHED.has(name) ? "no-cache" : "public, max-age=31536000, immutable";
    return {
      path: `/${ASSETS}/${name}`,
      answer: (request) => answerOf(file as StoredFile, request.headers["accept-encoding"], cache),
    };
  });
  const pageRoute: PlainRoute = {
    path: "/",
    answer: (request) => answerOf(page, request.headers["accept-encoding"], "no-cache"),
  };
  return {
    routes: [...routes, pageRoute],
    pageAt: (path) => (PAGES.test(path) ? pageRoute : null),
  };
}

function load(folder: string, name: string): StoredFile | null {
  const whole = read(join(folder, name));
  if (!whole) return null;
  const type = TYPES[extname(name)] ?? "application/octet-stream";
  return {
    type,
    whole,
    gzip: read(join(folder, `${name}.gz`)),
    brotli: read(join(folder, `${name}.br`)),
  };
}

function read(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function answerOf(
  file: StoredFile,
  accepted: string | string[] | undefined,
  cache: string,
): PlainAnswer {
  const takes = String(accepted ?? "");
  const headers: Record<string, string> = {
    ...HEADERS,
    "cache-control": cache,
    vary: "accept-encoding",
  };
  const { type } = file;
  if (file.brotli && /\bbr\b(?!;q=0)/.test(takes)) {
    return {
      status: 200,
      type,
      body: file.brotli,
      headers: { ...headers, "content-encoding": "br" },
    };
  }
  if (file.gzip && /\bgzip\b(?!;q=0)/.test(takes)) {
    return {
      status: 200,
      type,
      body: file.gzip,
      headers: { ...headers, "content-encoding": "gzip" },
    };
  }
  return { status: 200, type, body: file.whole, headers };
}

/** Explains how to build the pages when the server runs from source without them. */
const NOT_BUILT: PlainAnswer = {
  status: 503,
  type: "text/plain; charset=utf-8",
  body: "The console is not built. Run `npm run build:serving` and start again.\n",
  headers: HEADERS,
};

/** Browsers ask again by themselves. */
const BEING_BUILT: PlainAnswer = {
  ...NOT_BUILT,
  body: "The console is being installed and built beside the server. This page reloads by itself.\n",
  headers: { ...HEADERS, refresh: "5", "retry-after": "5" },
};

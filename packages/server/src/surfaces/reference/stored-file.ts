import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { PlainAnswer, PlainRoute } from "../../http/server/router.ts";

/** A page may load from and talk to its own origin, and nothing else. */
export const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
};

const GZIP_BYTES_MIN = 1_024;
const compress = promisify(gzip);

/** A file kept as the bytes that are sent: whole, compressed, and under a tag of its own. */
interface StoredFile {
  readonly whole: Buffer;
  /** null where compressing would save nothing. */
  readonly compressed: Buffer | null;
  readonly etag: string;
}

export interface FileOptions {
  readonly path: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly read: () => Promise<string | Buffer>;
}

/** Read and compressed once, when first asked for; to a client that has it already, only that. */
export function fileRoute(options: FileOptions): PlainRoute {
  let stored: Promise<StoredFile> | null = null;
  return {
    path: options.path,
    async answer(request) {
      stored ??= store(options);
      return answerOf(await stored, options, request);
    },
  };
}

async function store({ read }: FileOptions): Promise<StoredFile> {
  const whole = Buffer.from(await read());
  const packed = whole.length >= GZIP_BYTES_MIN ? await compress(whole, { level: 9 }) : null;
  const compressed = packed && packed.length < whole.length ? packed : null;
  const etag = `"${createHash("sha256").update(whole).digest("base64url").slice(0, 22)}"`;
  return { whole, compressed, etag };
}

function answerOf(file: StoredFile, options: FileOptions, request: IncomingMessage): PlainAnswer {
  const { type } = options;
  const headers = { ...options.headers, etag: file.etag, vary: "accept-encoding" };
  if (knows(request.headers["if-none-match"], file.etag)) {
    return { status: 304, type, body: "", headers };
  }
  if (!file.compressed || !takesGzip(request.headers["accept-encoding"])) {
    return { status: 200, type, body: file.whole, headers };
  }
  return {
    status: 200,
    type,
    body: file.compressed,
    headers: { ...headers, "content-encoding": "gzip" },
  };
}

function knows(given: string | undefined, etag: string): boolean {
  const tags = (given ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}

function takesGzip(accepted: string | string[] | undefined): boolean {
  return String(accepted ?? "")
    .split(",")
    .some((one) => /^(gzip|\*)(\s*;\s*q=(1(\.0*)?|0?\.0*[1-9]\d*))?$/i.test(one.trim()));
}

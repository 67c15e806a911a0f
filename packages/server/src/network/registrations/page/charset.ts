import { TextDecoder } from "node:util";

/**
 * Decodes bytes as browsers do. Precedence: byte order mark, Content-Type header, the page's own
 * declaration in its first bytes, then UTF-8 if valid, else Windows-1252.
 */
const PRESCAN_BYTES = 4_096;
const DECLARED = /<meta[^>]{0,200}?charset\s{0,8}=\s{0,8}["']?\s{0,8}([a-z0-9_:.-]{1,40})/i;
const IN_HEADER = /charset\s{0,8}=\s{0,8}["']?([a-z0-9_:.-]{1,40})/i;

export interface Decoded {
  readonly text: string;
  /** More than one character in ten could not be decoded. */
  readonly isBroken: boolean;
}

export function decode(bytes: Uint8Array, contentType: string | null): Decoded {
  const label = labelOf(bytes, contentType);
  const text = (decoderOf(label) ?? fallbackFor(bytes)).decode(bytes);
  return { text, isBroken: isUnreadable(text) };
}

function labelOf(bytes: Uint8Array, contentType: string | null): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  const inHeader = IN_HEADER.exec(contentType ?? "")?.[1];
  if (inHeader !== undefined && decoderOf(inHeader) !== null) return inHeader;
  const beginning = Buffer.from(bytes.subarray(0, PRESCAN_BYTES)).toString("latin1");
  const declared = DECLARED.exec(beginning)?.[1] ?? null;
  // A declaration readable as ASCII proves that the page is not UTF-16, whatever it declares.
  return declared !== null && /^utf-?16/i.test(declared) ? "utf-8" : declared;
}

function decoderOf(label: string | null): TextDecoder | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}

function fallbackFor(bytes: Uint8Array): TextDecoder {
  try {
    // Ignores a last character that the byte limit may have cut.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return new TextDecoder("utf-8");
  } catch {
    return new TextDecoder("windows-1252");
  }
}

function isUnreadable(text: string): boolean {
  let unreadable = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd || code === 0) unreadable += 1;
  }
  return unreadable * 10 > text.length;
}

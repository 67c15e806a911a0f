import { TWILIO_REPLIES_MAX } from "@longwave/contract";

/** CDATA, comment, processing instruction, end tag, start tag, or text. */
const TOKEN =
  /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<\/([\w:.-]+)\s*>|<([\w:.-]+)(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)>|([^<]+)/gy;
const DEPTH_MAX = 20;
const ROOT = "Response";
const MESSAGE = "Response/Message";
const BODY = "Response/Message/Body";
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/**
 * Message bodies of a TwiML document: the text of `<Response><Message>`, or of its `<Body>`. Null if the
 * document is not TwiML; then nothing is sent.
 */
export function repliesIn(document: string): string[] | null {
  const text = document.replace(/^\ufeff/, "").trim();
  const reader = new TwimlReader();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text);
    if (!token) return null;
    const [, cdata, ended, begun, slash, plain] = token;
    const isFine =
      begun !== undefined
        ? reader.begin(begun, slash === "/")
        : ended !== undefined
          ? reader.end(ended)
          : reader.text(cdata ?? decoded(plain ?? ""));
    if (!isFine) return null;
  }
  return reader.replies();
}

/** Reads a document tag by tag; each step returns whether the tag is allowed there. */
class TwimlReader {
  readonly #open: string[] = [];
  readonly #found: { plain: string; body: string | null }[] = [];
  #isResponse: boolean = false;

  begin(name: string, isEmpty: boolean): boolean {
    if (this.#open.length === 0) {
      if (this.#isResponse || name !== ROOT) return false;
      this.#isResponse = true;
    }
    const path = [...this.#open, name].join("/");
    if (path === MESSAGE) this.#found.push({ plain: "", body: null });
    const last = this.#found.at(-1);
    if (path === BODY && last) last.body ??= "";
    if (!isEmpty) this.#open.push(name);
    return this.#open.length <= DEPTH_MAX;
  }

  end(name: string): boolean {
    return this.#open.pop() === name;
  }

  text(text: string): boolean {
    const path = this.#open.join("/");
    const last = this.#found.at(-1);
    if (last && path === MESSAGE) last.plain += text;
    if (last && path === BODY) last.body = (last.body ?? "") + text;
    return this.#open.length > 0 || text.trim() === "";
  }

  replies(): string[] | null {
    if (!this.#isResponse || this.#open.length > 0) return null;
    return this.#found
      .map(({ plain, body }) => (body ?? plain).trim())
      .filter((reply) => reply !== "")
      .slice(0, TWILIO_REPLIES_MAX);
  }
}

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,10}));/g;

function decoded(text: string): string {
  return text.replace(ENTITY, (whole, ten, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const point = ten === undefined ? Number.parseInt(hex, 16) : Number(ten);
    const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
    return isCharacter ? String.fromCodePoint(point) : whole;
  });
}

const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const SPACES = /\s+/g;

/** Text in reading order: spaces collapsed as in a browser, blocks on their own lines. */
export class TextBuilder {
  readonly #pieces: string[] = [];
  readonly #charsMax: number;
  #length = 0;
  #last = "\n";

  constructor(charsMax: number = Number.POSITIVE_INFINITY) {
    this.#charsMax = charsMax;
  }

  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    if (this.#length >= this.#charsMax) return;
    let piece = text.replace(INVISIBLE, "").replace(SPACES, " ");
    if (piece.startsWith(" ") && (this.#last === " " || this.#last === "\n")) {
      piece = piece.slice(1);
    }
    this.#push(piece);
  }

  breakLine(): void {
    if (this.#last !== "\n") this.#push("\n");
  }

  #push(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.#length += piece.length;
    this.#last = piece.charAt(piece.length - 1);
  }

  toString(): string {
    return this.#pieces.join("");
  }
}

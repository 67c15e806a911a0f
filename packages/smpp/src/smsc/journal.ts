import { type FileHandle, open } from "node:fs/promises";

/** What the SMSC saw and did, in order: the witness in a test. */
export type JournalEntry =
  | {
      readonly kind: "bind";
      readonly systemId: string;
      readonly mode: string;
      readonly status: number;
    }
  | { readonly kind: "closed"; readonly systemId: string }
  | SubmitEntry
  | {
      readonly kind: "delivery";
      readonly systemId: string;
      readonly isReceipt: boolean;
      /** Of the phone that a text is from, or that a receipt is about. */
      readonly phone: string;
      /** What our answer said; null when none came. */
      readonly status: number | null;
    };

export interface SubmitEntry {
  readonly kind: "submit";
  readonly systemId: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly esmClass: number;
  readonly dataCoding: number;
  readonly validityPeriod: string;
  readonly registeredDelivery: number;
  readonly userMessageReference: number | null;
  /** As the answer spells it, or null where the SMSC did not take the message. */
  readonly messageId: string | null;
  /** What the answer says; null when it never says anything. */
  readonly status: number | null;
  /** Submits of this connection without an answer, this one included. */
  readonly outstanding: number;
  /** When it came, in milliseconds since 1970. */
  readonly atMs: number;
}

const ENTRIES_MAX_DEFAULT = 100_000;

export interface JournalOptions {
  /** Lines of JSON; each is on the disk before the submit is answered. */
  readonly file?: string;
  readonly entriesMax?: number;
}

export class Journal {
  readonly #entriesMax: number;
  readonly #file: FileHandle | null;
  #entries: JournalEntry[] = [];
  #unwritten: string[] = [];
  /** The last write that was planned. */
  #written: Promise<void> = Promise.resolve();
  #isGathering: boolean = false;
  #isClosed: boolean = false;
  #dropped = 0;
  #submitCount = 0;

  static async open(options: JournalOptions = {}): Promise<Journal> {
    const file = options.file ? await open(options.file, "a") : null;
    return new Journal(file, options.entriesMax ?? ENTRIES_MAX_DEFAULT);
  }

  private constructor(file: FileHandle | null, entriesMax: number) {
    this.#file = file;
    this.#entriesMax = entriesMax;
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** Entries no longer in memory, because there were too many. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Submits that came so far, also those no longer in memory. */
  get submitCount(): number {
    return this.#submitCount;
  }

  /** Messages the SMSC took, whether or not it said so. */
  taken(): SubmitEntry[] {
    return this.submits().filter((entry) => entry.messageId !== null);
  }

  submits(): SubmitEntry[] {
    return this.#entries.filter((entry) => entry.kind === "submit");
  }

  /** The most submits that one connection had outstanding. */
  mostOutstanding(): number {
    return this.submits().reduce((most, entry) => Math.max(most, entry.outstanding), 0);
  }

  /** Resolves once the entry is on the disk; null where there is no file to wait for. */
  append(entry: JournalEntry): Promise<void> | null {
    this.#entries.push(entry);
    if (entry.kind === "submit") this.#submitCount += 1;
    if (this.#entries.length > this.#entriesMax * 1.1) {
      const excess = this.#entries.length - this.#entriesMax;
      this.#entries = this.#entries.slice(excess);
      this.#dropped += excess;
    }
    if (!this.#file || this.#isClosed) return null;
    this.#unwritten.push(JSON.stringify(entry));
    if (!this.#isGathering) {
      this.#isGathering = true;
      const file = this.#file;
      this.#written = this.#written.then(() => this.#write(file));
    }
    return this.#written;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#written;
    await this.#file?.close();
  }

  /** All that gathered while the last write went on share one write and one fsync. */
  async #write(file: FileHandle): Promise<void> {
    const lines = this.#unwritten;
    this.#unwritten = [];
    this.#isGathering = false;
    await file.appendFile(`${lines.join("\n")}\n`);
    await file.datasync();
  }
}

import { type FileHandle, open } from "node:fs/promises";

/** Everything that the SMSC received and did, in order, for assertions in tests. */
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
      /** Phone that sent the message, or that the receipt is about. */
      readonly phone: string;
      /** Status of the client's response; null without one. */
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
  /** Id as the response spells it; null when the SMSC did not accept the message. */
  readonly messageId: string | null;
  /** Status of the response; null when the SMSC never responds. */
  readonly status: number | null;
  /** Unanswered submits of this connection, this one included. */
  readonly outstanding: number;
  /** Time of arrival, in milliseconds since 1970. */
  readonly atMs: number;
}

const ENTRIES_MAX_DEFAULT = 100_000;

export interface JournalOptions {
  /** JSON lines; each entry is on disk before the SMSC responds to the submit. */
  readonly file?: string;
  readonly entriesMax?: number;
}

export class Journal {
  readonly #entriesMax: number;
  readonly #file: FileHandle | null;
  #entries: JournalEntry[] = [];
  #unwritten: string[] = [];
  /** Completion of the last scheduled write. */
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

  /** Entries evicted from memory. */
  get dropped(): number {
    return this.#dropped;
  }

  /** All submits so far, evicted ones included. */
  get submitCount(): number {
    return this.#submitCount;
  }

  /** Accepted messages, including unanswered ones. */
  taken(): SubmitEntry[] {
    return this.submits().filter((entry) => entry.messageId !== null);
  }

  submits(): SubmitEntry[] {
    return this.#entries.filter((entry) => entry.kind === "submit");
  }

  /** Highest number of unanswered submits on one connection. */
  mostOutstanding(): number {
    return this.submits().reduce((most, entry) => Math.max(most, entry.outstanding), 0);
  }

  /** Resolves once the entry is on disk; null without a file. */
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

  /** Group commit: entries that arrive during a write share the next write and fsync. */
  async #write(file: FileHandle): Promise<void> {
    const lines = this.#unwritten;
    this.#unwritten = [];
    this.#isGathering = false;
    await file.appendFile(`${lines.join("\n")}\n`);
    await file.datasync();
  }
}

import type { ImportFailure, ImportProvider } from "@longwave/contract";

/** API of another provider, as an import reads it. `testImportProvider` is its conformance test. */
export interface Provider {
  readonly name: ImportProvider;
  /** Credential fields that a request must have; missing ones are refused before the first call. */
  readonly needs: readonly (keyof Credentials)[];
  /** Display name. */
  readonly title: string;
  /** Base URL for a path. */
  baseOf(path: string): string;
  /**
   * Reads the whole account. Throws ImportStopped when the provider refuses, limits, fails or answers
   * malformed: half an account is never taken for a whole one.
   */
  read(asking: Asking): Promise<ForeignAccount>;
}

export interface Credentials {
  readonly account_sid?: string;
  readonly key_sid?: string;
  readonly secret: string;
}

/** Context of one read: credentials, client and progress callback. */
export interface Asking {
  readonly credentials: Credentials;
  readonly ask: Ask;
  readonly onNumbers: (count: number) => void;
}

/** Requests a path of the provider's API and returns the JSON object or list of the answer. */
export type Ask = (path: string, headers: readonly string[], change?: Change) => Promise<Answer>;

/** Request that changes a setting at the provider. Repeating it changes nothing more. */
export interface Change {
  readonly method: "POST" | "PATCH" | "PUT";
  readonly type: string;
  readonly body: string;
}
export type Answer = Readonly<Record<string, unknown>>;

export interface ForeignNumber {
  readonly phone: string;
  /** ISO 3166, two capital letters; null if the provider does not say. */
  readonly country: string | null;
  readonly sms: boolean;
}

/** A messaging service or profile: several numbers that send together. */
export interface ForeignService {
  readonly id: string;
  readonly name: string;
  readonly phones: readonly string[];
}

/** A webhook URL at the provider. */
export interface ForeignUrl {
  readonly url: string;
  /** Inbound messages, or status changes of outbound ones. */
  readonly carries: "inbound" | "status";
}

export interface ForeignAccount {
  /** One more than the limit at most; the extra number stands for all beyond it. */
  readonly numbers: readonly ForeignNumber[];
  readonly services: readonly ForeignService[];
  readonly urls: readonly ForeignUrl[];
}

/** An import cannot continue. The message is for the user who started it. */
export class ImportStopped extends Error {
  readonly code: ImportFailure;

  constructor(code: ImportFailure, message: string) {
    super(message);
    this.code = code;
  }
}

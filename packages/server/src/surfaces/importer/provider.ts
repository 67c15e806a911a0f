import type { ImportFailure, ImportProvider } from "@longwave/contract";

/** Another provider, as an import reads it. `testImportProvider` says what it must keep to. */
export interface Provider {
  readonly name: ImportProvider;
  /** The fields that a request needs for it; what is missing is told before anything is asked. */
  readonly needs: readonly (keyof Credentials)[];
  /** As people write it. */
  readonly title: string;
  /** Where a path of theirs is asked for. */
  baseOf(path: string): string;
  /**
   * Everything there is to bring over. Throws ImportStopped when the provider refuses, limits, fails
   * or answers what nobody can read: half an account is never taken for a whole.
   */
  read(asking: Asking): Promise<ForeignAccount>;
}

export interface Credentials {
  readonly account_sid?: string;
  readonly key_sid?: string;
  readonly secret: string;
}

/** One run of questions: by whom they are asked, and who wants to hear how far it has come. */
export interface Asking {
  readonly credentials: Credentials;
  readonly ask: Ask;
  readonly onNumbers: (count: number) => void;
}

/** Asks for a path of the provider's and answers the JSON object that it answers. */
export type Ask = (path: string, headers: readonly string[]) => Promise<Answer>;
export type Answer = Readonly<Record<string, unknown>>;

export interface ForeignNumber {
  readonly phone: string;
  /** ISO 3166, two letters, in capitals; null where the provider does not say. */
  readonly country: string | null;
  readonly sms: boolean;
}

/** What sends from several numbers over there. */
export interface ForeignService {
  readonly id: string;
  readonly name: string;
  readonly phones: readonly string[];
}

/** An address that the provider calls. */
export interface ForeignUrl {
  readonly url: string;
  /** Texts that arrive, or what becomes of those that leave. */
  readonly tells: "inbound" | "status";
}

export interface ForeignAccount {
  /** One more than the limit at most: it stands for all that are past it. */
  readonly numbers: readonly ForeignNumber[];
  readonly services: readonly ForeignService[];
  readonly urls: readonly ForeignUrl[];
}

/** Why an import cannot go on, in words for whoever asked for it. */
export class ImportStopped extends Error {
  readonly code: ImportFailure;

  constructor(code: ImportFailure, message: string) {
    super(message);
    this.code = code;
  }
}

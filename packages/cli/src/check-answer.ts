import type { VerificationCheck } from "@longwave/sdk";
import { EXIT } from "./exit-codes.ts";
import { printAnswer } from "./print.ts";
import { styled, type Terminal } from "./terminal.ts";

const SENTENCES: Readonly<Record<string, (check: VerificationCheck) => string>> = {
  pending: ({ attempts }) =>
    `That is not the code. Tries used: ${attempts}; after the fifth this code is no longer taken.`,
  expired: () => "The code is too old to be taken: text a new one with longwave verify PHONE.",
  max_attempts: () =>
    "Five wrong codes: this one is no longer taken. Text a new one with longwave verify PHONE.",
};

/**
 * Reports a code check. The API answers 200 to a wrong code too, so the exit code differs: a script
 * that continues after `longwave verify … --code …` must not let anybody in.
 */
export function reportCheck(terminal: Terminal, check: VerificationCheck): void {
  printAnswer(terminal, check);
  process.exitCode = check.verified ? EXIT.ok : EXIT.refused;
  if (check.verified || terminal.json) return;
  const sentence = SENTENCES[check.status]?.(check) ?? "The code was not taken.";
  terminal.err(styled(terminal, "red", sentence));
}

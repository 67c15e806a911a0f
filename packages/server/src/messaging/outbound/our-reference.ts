/**
 * Identifies a submit by message and attempt.
 *
 * The reference travels with the message. A receipt that carries it identifies a submit whose answer was lost or
 * is still outstanding. It encodes the key of the attempt, so nothing more is stored.
 */
export interface NamedAttempt {
  readonly messageId: string;
  readonly attempt: number;
}

const FORM = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-([1-9]\d{0,3})$/;

export function ourReferenceOf({ messageId, attempt }: NamedAttempt): string {
  return `${messageId.replaceAll("-", "")}-${attempt}`;
}

/** Parses a reference; null if it is not ours. Some networks change the letter case. */
export function parseOurReference(reference: string | null | undefined): NamedAttempt | null {
  const parts = FORM.exec(reference?.toLowerCase() ?? "");
  if (!parts) return null;
  return { messageId: parts.slice(1, 6).join("-"), attempt: Number(parts[6]) };
}

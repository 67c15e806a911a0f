/**
 * Our own name of a hand-over. It travels with the text, and a receipt that carries it back tells of
 * a hand-over whose answer was lost, or has not come yet. It is made of what the hand-over's row is
 * found by, so nothing more is stored.
 */
export interface NamedAttempt {
  readonly messageId: string;
  readonly attempt: number;
}

const FORM = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-([1-9]\d{0,3})$/;

export function ourReferenceOf({ messageId, attempt }: NamedAttempt): string {
  return `${messageId.replaceAll("-", "")}-${attempt}`;
}

/** What a reference names, or null where it is none of ours. Some networks change the case. */
export function parseOurReference(reference: string | null | undefined): NamedAttempt | null {
  const parts = FORM.exec(reference?.toLowerCase() ?? "");
  if (!parts) return null;
  return { messageId: parts.slice(1, 6).join("-"), attempt: Number(parts[6]) };
}

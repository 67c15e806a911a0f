/** White space and zero-width characters: joiners, direction marks, soft hyphens, fillers. */
const NOTHING_SHOWN = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;

/** True when the recipient would see nothing. */
export function isBlank(text: string): boolean {
  return NOTHING_SHOWN.test(text);
}

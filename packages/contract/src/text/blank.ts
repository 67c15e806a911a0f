/** White space, and what takes no space at all: joiners, marks of direction, soft hyphens, fillers. */
const NOTHING_SHOWN = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;

/** Whether whoever gets the text would see nothing. */
export function isBlank(text: string): boolean {
  return NOTHING_SHOWN.test(text);
}

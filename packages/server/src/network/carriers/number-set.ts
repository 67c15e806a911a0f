/** Numbers, of which the carriers file names some and the others are all alike. */
export interface NumberSet {
  /** Whether it holds all numbers but those named, or only those. */
  readonly isAllBut: boolean;
  readonly numbers: readonly string[];
}

/** The numbers that belong to it; null stands for every one that is not named. */
export function numbersThat(
  belongs: (number: string | null) => boolean,
  named: readonly string[],
): NumberSet {
  const isAllBut = belongs(null);
  return { isAllBut, numbers: named.filter((number) => belongs(number) !== isAllBut) };
}

export function isIn({ isAllBut, numbers }: NumberSet, number: string): boolean {
  return isAllBut !== numbers.includes(number);
}

export function isEverybody({ isAllBut, numbers }: NumberSet): boolean {
  return isAllBut && numbers.length === 0;
}

export function isNobody({ isAllBut, numbers }: NumberSet): boolean {
  return !isAllBut && numbers.length === 0;
}

/** The same in SQL: the values of a set, and whether it holds what a column has. */
export function valuesOf({ isAllBut, numbers }: NumberSet): [boolean, readonly string[]] {
  return [isAllBut, numbers];
}

export function holdsSql(column: string, isAllBut: string, numbers: string): string {
  return `(${isAllBut}::boolean <> (${column} = any(${numbers}::text[])))`;
}

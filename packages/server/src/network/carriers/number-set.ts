import type { Config } from "../../core/config/config.ts";
import { otherCountries } from "../../core/platform/foreign-phones.ts";

/**
 * Set of numbers, relative to the numbers that the carriers file names. All other numbers are
 * alike.
 */
export interface NumberSet {
  /** Whether the set contains all numbers except `numbers`, or only `numbers`. */
  readonly isAllBut: boolean;
  readonly numbers: readonly string[];
}

/** The set of numbers for which `belongs` holds; null stands for every unnamed number. */
export function numbersWhere(
  belongs: (number: string | null) => boolean,
  named: readonly string[],
): NumberSet {
  const isAllBut = belongs(null);
  return { isAllBut, numbers: named.filter((number) => belongs(number) !== isAllBut) };
}

export function isIn({ isAllBut, numbers }: NumberSet, number: string): boolean {
  return isAllBut !== numbers.includes(number);
}

export function isAllNumbers({ isAllBut, numbers }: NumberSet): boolean {
  return isAllBut && numbers.length === 0;
}

export function isNoNumbers({ isAllBut, numbers }: NumberSet): boolean {
  return !isAllBut && numbers.length === 0;
}

/** Parameter values of a set for `containsSql`. */
export function valuesOf({ isAllBut, numbers }: NumberSet): [boolean, readonly string[]] {
  return [isAllBut, numbers];
}

export function containsSql(column: string, isAllBut: string, numbers: string): string {
  return `(${isAllBut}::boolean <> (${column} = any(${numbers}::text[])))`;
}

/** A phone number without the plus, as most carriers write it. */
export function digitsOf(phone: string): string {
  return phone.replace(/^\+/, "");
}

/**
 * North American numbers in E.164; short codes and names unchanged. Numbers of other countries that
 * the operator allows are in E.164, too.
 */
export function phoneOf(address: string, { countries }: Pick<Config, "countries">): string {
  const isInternational = otherCountries(countries).length > 0;
  if (isInternational && address.startsWith("+")) return address;
  const digits = digitsOf(address);
  if (/^1\d{10}$/.test(digits)) return `+${digits}`;
  if (/^\d{10}$/.test(digits)) return `+1${digits}`;
  return isInternational && /^[1-9]\d{10,14}$/.test(digits) ? `+${digits}` : address;
}

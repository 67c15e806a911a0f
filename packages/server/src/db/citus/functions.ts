/**
 * A value that is taken out of an array and assigned. Citus 13.2 ends the whole server on one: it writes statements
 * anew for its workers, and takes the array for the column that is assigned to.
 */
const TAKEN_OUT = /^(\s+(?:set )?\w+ = )(\w+\[\w*\.?i\])(,?)/gm;
/**
 * A hint that leaves from a worker is heard there alone, by nobody, and a transaction over several nodes cannot be
 * committed with one. Whoever waits for it polls as well.
 */
const NOTIFIED = /^\s+perform pg_notify\(.*\);\n/gm;

/** A function's definition as Citus can run it. */
export function forCitus(definition: string): string {
  return definition.replaceAll(TAKEN_OUT, "$1(select $2)$3").replaceAll(NOTIFIED, "");
}

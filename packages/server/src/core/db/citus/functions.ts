/**
 * A value that is taken out of an array and assigned. Citus 13.2 ends the whole server on one: it writes statements
 * anew for its workers, and takes the array for the column that is assigned to.
 */
const TAKEN_OUT = /^(\s+(?:set )?\w+ = )(\w+\[\w*\.?i\])(,?)/gm;
/** One whose bytes are: how a text is encoded is looked up (a stable function), which an update may not do with a row's own. */
const ENCODED = /( = )(convert_to\(\w+\[\w*\.?i\], 'UTF8'\))/g;
/**
 * A hint that leaves from a worker is heard there alone, by nobody, and a transaction over several nodes cannot be
 * committed with one. Whoever waits for it polls as well.
 */
const NOTIFIED = /^\s+perform pg_notify\(.*\);\n/gm;

/** What PostgreSQL prints before the body of one that has no settings. */
const UNSET = /^( LANGUAGE plpgsql)\n(AS \$function\$)/m;
/** Settings of our sessions do not reach the workers, where a generic plan does not know the shard either. */
const SET_PLANNING = "$1\n SET plan_cache_mode TO 'force_custom_plan'\n$2";

/** A function's definition as Citus can run it. */
export function forCitus(definition: string): string {
  return definition
    .replaceAll(TAKEN_OUT, "$1(select $2)$3")
    .replaceAll(ENCODED, "$1(select $2)")
    .replaceAll(NOTIFIED, "")
    .replace(UNSET, SET_PLANNING);
}

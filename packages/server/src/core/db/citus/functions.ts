/**
 * An array element assigned in PL/pgSQL. Citus 13.2 crashes the server on one: deparsing the statement for workers, it
 * takes the array for the assigned column.
 */
const TAKEN_OUT = /^(\s+(?:set )?\w+ = )(\w+\[\w*\.?i\])(,?)/gm;
/**
 * An array element in convert_to. The function is stable, and Citus refuses stable functions of a row's own values in
 * an UPDATE.
 */
const ENCODED = /( = )(convert_to\(\w+\[\w*\.?i\], 'UTF8'\))/g;
/**
 * NOTIFY on a worker reaches no listener, and a transaction over several nodes cannot commit with one. Listeners poll
 * as well.
 */
const NOTIFIED = /^\s+perform pg_notify\(.*\);\n/gm;

/** End of the header that PostgreSQL prints for a function without settings. */
const UNSET = /^( LANGUAGE plpgsql)\n(AS \$function\$)/m;
/** Session settings do not reach workers, where a generic plan does not know the shard either. */
const SET_PLANNING = "$1\n SET plan_cache_mode TO 'force_custom_plan'\n$2";

/** Rewrites a function definition for Citus. */
export function forCitus(definition: string): string {
  return definition
    .replaceAll(TAKEN_OUT, "$1(select $2)$3")
    .replaceAll(ENCODED, "$1(select $2)")
    .replaceAll(NOTIFIED, "")
    .replace(UNSET, SET_PLANNING);
}

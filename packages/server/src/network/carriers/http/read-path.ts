import type { FieldCheck } from "../check-fields.ts";
import { PATH_FORM, parsePath, type ValuePath } from "./path.ts";

const TAKES = 'a path such as "messages[0].id"';
const PATHS_MAX = 5;

export function readPath(check: FieldCheck, name: string): ValuePath | null;
export function readPath(check: FieldCheck, name: string, isNeeded: true): ValuePath;
export function readPath(check: FieldCheck, name: string, isNeeded = false): ValuePath | null {
  if (!isNeeded && !check.has(name)) return null;
  return parsePath(check.string(name, PATH_FORM, TAKES, null));
}

/** One path, or a list of paths of which the first with a value counts. */
export function readPaths(check: FieldCheck, name: string, isNeeded = false): readonly ValuePath[] {
  const given = check.value(name);
  if (!Array.isArray(given)) {
    const path = readPath(check, name);
    if (path === null && isNeeded) check.fail(name, `is missing: it takes ${TAKES}.`);
    return path === null ? [] : [path];
  }
  const arePaths = given.every((one) => typeof one === "string" && PATH_FORM.test(one));
  if (!arePaths || given.length === 0 || given.length > PATHS_MAX) {
    check.fail(name, `takes ${TAKES}, or a list of at most ${PATHS_MAX}.`);
    return [];
  }
  return given.map((one) => parsePath(one));
}

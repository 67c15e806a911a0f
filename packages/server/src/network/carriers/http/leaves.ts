/** A value of a carrier's content, with the path that a declaration would name it by. */
export interface Leaf {
  readonly path: string;
  readonly value: string;
}

const LEAVES_MAX = 100;
const DEPTH_MAX = 12;
const NAME = /^[\w$@-]+$/;

/** Scalar values of a carrier's content in order, with paths in the declaration's form. */
export function leavesOf(content: unknown): Leaf[] {
  const leaves: Leaf[] = [];
  collect(content, "", 0, leaves);
  return leaves;
}

function collect(value: unknown, path: string, depth: number, leaves: Leaf[]): void {
  if (leaves.length >= LEAVES_MAX || depth > DEPTH_MAX) return;
  if (typeof value === "object" && value !== null) {
    for (const [step, one] of stepsOf(value)) {
      collect(one, joined(path, step), depth + 1, leaves);
    }
  } else if (path !== "" && value !== null && value !== undefined && value !== "") {
    leaves.push({ path, value: String(value).slice(0, 300) });
  }
}

/** Steps into an object, or to the first item of a list, which shows the form of the others. */
function stepsOf(value: object): [string, unknown][] {
  if (Array.isArray(value)) return value.length > 0 ? [["[0]", value[0]]] : [];
  return Object.entries(value).filter(([name]) => NAME.test(name));
}

function joined(path: string, step: string): string {
  return path === "" || step.startsWith("[") ? path + step : `${path}.${step}`;
}

import { createRequire } from "node:module";

interface Yaml {
  /** Strict: a key that is there twice, or anything that is no YAML, throws. */
  load(text: string): unknown;
  dump(value: unknown): string;
}

const yaml = createRequire(import.meta.url)("js-yaml") as Yaml;
export const { load, dump } = yaml;

import { createRequire } from "node:module";

interface Yaml {
  /** Strict: duplicate keys and invalid YAML throw. */
  load(text: string): unknown;
  dump(value: unknown): string;
}

const yaml = createRequire(import.meta.url)("js-yaml") as Yaml;
export const { load, dump } = yaml;

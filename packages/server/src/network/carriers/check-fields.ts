/** Environment variables with the secrets that the carriers file names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Checks the fields of one entry of the carriers file. Every mistake becomes one sentence. */
export class FieldCheck {
  readonly problems: string[];
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #readFields = new Set<string>();

  constructor(entry: unknown, path: string, problems: string[] = []) {
    this.problems = problems;
    const isObject = typeof entry === "object" && entry !== null && !Array.isArray(entry);
    this.#fields = isObject ? (entry as Record<string, unknown>) : {};
    this.#path = path;
    if (!isObject) this.problems.push(`${path} must be an object.`);
  }

  has(name: string): boolean {
    this.#readFields.add(name);
    return this.#fields[name] !== undefined;
  }

  /** Checks of a nested object; an absent object counts as empty. */
  nested(name: string): FieldCheck {
    const value = this.value(name) ?? {};
    return new FieldCheck(value, `${this.#path}.${name}`, this.problems);
  }

  /** Checks of another entry in this one's place. */
  replacedBy(entry: unknown, problems: string[]): FieldCheck {
    return new FieldCheck(entry, this.#path, problems);
  }

  /** Checks of a list's objects; a single object counts as a list of one. */
  each(name: string): FieldCheck[] {
    const value = this.value(name);
    if (!Array.isArray(value)) return [this.nested(name)];
    return value.map(
      (one, at) => new FieldCheck(one, `${this.#path}.${name}[${at}]`, this.problems),
    );
  }

  names(): string[] {
    return Object.keys(this.#fields);
  }

  value(name: string): unknown {
    this.#readFields.add(name);
    return this.#fields[name];
  }

  fail(name: string, problem: string): void {
    this.problems.push(`${this.#path}.${name} ${problem}`);
  }

  /** The value if `isRight` accepts it, else the fallback. A wrong value adds a sentence. */
  take<T>(name: string, isRight: (value: unknown) => value is T, takes: string, fallback: T): T {
    const value = this.value(name);
    if (value === undefined) return fallback;
    if (isRight(value)) return value;
    this.fail(name, `takes ${takes}.`);
    return fallback;
  }

  whole(name: string, min: number, max: number, fallback: number): number {
    const isRight = (value: unknown): value is number =>
      Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
    return this.take(name, isRight, `a whole number from ${min} to ${max}`, fallback);
  }

  flag(name: string, fallback: boolean): boolean {
    const isRight = (value: unknown): value is boolean => typeof value === "boolean";
    return this.take(name, isRight, "true or false", fallback);
  }

  string(name: string, pattern: RegExp, takes: string, fallback: string | null): string {
    const isRight = (value: unknown): value is string =>
      typeof value === "string" && pattern.test(value);
    if (fallback === null && !this.has(name)) this.fail(name, `is missing: it takes ${takes}.`);
    return this.take(name, isRight, takes, fallback ?? "");
  }

  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const isRight = (value: unknown): value is T => values.includes(value as T);
    const takes = values.map((value) => `"${value}"`).join(" or ");
    return this.take(name, isRight, takes, fallback);
  }

  /**
   * A secret given as `name`, or in the environment variable that `name_env` names. Secrets never
   * appear in a sentence.
   */
  secret(name: string, pattern: RegExp, takes: string, env: Environment): string {
    const byName = `${name}_env`;
    if (!this.has(byName)) return this.string(name, pattern, `${takes}, or use ${byName}`, null);
    if (this.has(name)) this.fail(name, `and ${byName} are both given: one is enough.`);
    const variable = this.string(byName, /^\w{1,100}$/, "the name of a variable", null);
    const value = env[variable];
    if (variable !== "" && value === undefined) {
      this.fail(byName, `names ${variable}, which is not set.`);
    } else if (variable !== "" && !pattern.test(value ?? "")) {
      this.fail(byName, `names ${variable}, whose value does not do: it takes ${takes}.`);
    }
    return value ?? "";
  }

  /** Reports unknown fields, which are usually typing errors. */
  rejectUnknown(): void {
    for (const name of Object.keys(this.#fields)) {
      if (!this.#readFields.has(name)) this.fail(name, "is not a known field.");
    }
  }
}

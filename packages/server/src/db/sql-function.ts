import type { Move } from "@longwave/contract";
import type { Statement } from "./statement.ts";
import { statement } from "./statement.ts";

/**
 * A function that lives in the database: several small statements that one call runs where the rows
 * are. A migration installs it, with its version in its name, so that two releases can run side by
 * side: whoever changes one gives it a new name, in a new migration. Its first parameter is the shard,
 * which its text calls $1, as statements do.
 */
export interface SqlFunction {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** What the migration runs. */
  readonly text: string;
  /** The moves of state machines that it makes: a test compares them with its text. */
  readonly moves: readonly Move[];
  /** What calls it. */
  readonly call: Statement;
}

export interface Parameter {
  readonly name: string;
  readonly type: string;
}

interface Definition {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** The columns of the one row that it answers; none: nothing. */
  readonly answers?: readonly Parameter[];
  /** From `declare` or `begin` to `end`, in PL/pgSQL. Columns win over parameters of the same name. */
  readonly body: string;
  readonly moves?: readonly Move[];
  /** Whether it tells of what it does to the accounts in its parameter `accounts`. */
  readonly tells?: true;
}

export const SHARD: Parameter = { name: "of_shard", type: "integer" };

export function sqlFunction(definition: Definition): SqlFunction {
  const { name, parameters, answers = [], body, moves = [], tells } = definition;
  const given = parameters.map((one) => `${one.name} ${one.type}`);
  const answered = answers.map((one) => `out ${one.name} ${one.type}`);
  const returns = answers.length === 0 ? " returns void" : "";
  const text = `create function ${name}(
  ${[...given, ...answered].join(",\n  ")}
)${returns} language plpgsql as $function$
#variable_conflict use_column
${body.trim()}
$function$;`;
  const values = parameters.map((one, index) => `$${index + 1}::${one.type}`);
  const tellsAt = parameters.findIndex((one) => one.name === "accounts");
  const call = statement(
    `call_${name}`,
    `select * from ${name}(${values.join(", ")})`,
    tells ? { tellsAt } : {},
  );
  return { name, parameters, text, moves, call };
}

import { CommitUnknown, DatabaseUnavailable, isUnavailable, sqlStateOf } from "./failures.ts";
import { GroupFull } from "./group.ts";

/** An error of a write, as one process reports it to another. */
interface DescribedError {
  readonly is: "full" | "commit_unknown" | "unavailable" | "fault";
  readonly message: string;
  readonly code: string | null;
}

/** The fault of a single item in another process, with its SQLSTATE. */
class ForwardedFault extends Error {
  readonly code: string | undefined;

  constructor(message: string, code: string | null) {
    super(message);
    this.name = "ForwardedFault";
    this.code = code ?? undefined;
  }
}

export function describedError(error: unknown): DescribedError {
  const message = error instanceof Error ? error.message : String(error);
  const code = sqlStateOf(error) ?? sqlStateOf((error as { cause?: unknown } | null)?.cause);
  return { is: kindOf(error), message, code };
}

function kindOf(error: unknown): DescribedError["is"] {
  if (error instanceof GroupFull) return "full";
  if (error instanceof CommitUnknown) return "commit_unknown";
  return isUnavailable(error) ? "unavailable" : "fault";
}

/** The error that callers handle as if this process had met it. */
export function revivedError(described: unknown): Error {
  const { is, message = "", code = null } = (described ?? {}) as Partial<DescribedError>;
  const fault = new ForwardedFault(message, code);
  if (is === "full") return new GroupFull();
  if (is === "commit_unknown") return new CommitUnknown({ cause: fault });
  if (is === "unavailable") return new DatabaseUnavailable(message, { cause: fault });
  return fault;
}

/**
 * A failure that keeps the embedded database from starting, as one line with a remedy. The server prints the message
 * without a stack, and exits.
 */
export class EmbeddedFailure extends Error {
  override readonly name: string = "EmbeddedFailure";
}

/** Another Longwave process works on the same data folder. */
export class DataFolderBusy extends EmbeddedFailure {
  override readonly name: string = "DataFolderBusy";
}

export function errorCode(error: unknown): string | undefined {
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    return error.code;
  }
  return undefined;
}

export function diskFull(folder: string, cause?: unknown): EmbeddedFailure {
  return new EmbeddedFailure(
    `The disk that holds the data folder ${folder} is full: free some space, or set LONGWAVE_DATA to a folder on another disk.`,
    { cause },
  );
}

/**
 * Turns a file system error of the data folder into one clear line; returns other errors unchanged.
 */
export function explainFileError(error: unknown, folder: string): unknown {
  if (error instanceof EmbeddedFailure) return error;
  switch (errorCode(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(folder, error);
    case "EROFS":
      return new EmbeddedFailure(
        `The data folder ${folder} is on a read-only file system: set LONGWAVE_DATA to a folder that can be written.`,
        { cause: error },
      );
    case "EACCES":
    case "EPERM":
      return new EmbeddedFailure(
        `The data folder ${folder} cannot be read and written by this account: give it to the account that runs Longwave, or set LONGWAVE_DATA to another folder.`,
        { cause: error },
      );
    case "ENOTDIR":
    case "EEXIST":
      return new EmbeddedFailure(
        `The data folder ${folder} cannot be used because a file stands in its place: remove it, or set LONGWAVE_DATA to another folder.`,
        { cause: error },
      );
    default:
      return error;
  }
}

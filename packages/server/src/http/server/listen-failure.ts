import { StartFailure } from "../../core/platform/assert.ts";

/** Explains why the API cannot listen, naming the setting that changes it. */
export function explainListenError(
  error: unknown,
  host: string,
  port: number,
  portSetting = "PORT",
  hostSetting = "HOST",
): unknown {
  const cause = { cause: error };
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new StartFailure(
        `${portSetting} ${port} is taken on ${host} by another program: stop that one, or set ${portSetting} to a free port.`,
        cause,
      );
    case "EACCES":
      return new StartFailure(
        `${portSetting} ${port} may not be opened by this account: set ${portSetting} to one above 1023.`,
        cause,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return new StartFailure(
        `${hostSetting} ${host} is not an address of this machine: set ${hostSetting} to one that is, such as 127.0.0.1 or 0.0.0.0.`,
        cause,
      );
    default:
      return error;
  }
}

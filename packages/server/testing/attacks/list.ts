import type { Attack } from "./attack.ts";
import { LASTING_ATTACKS, WORK_ATTACKS } from "./authenticated.ts";
import { CONSOLE_ATTACKS } from "./console.ts";
import { OUTSIDE_ATTACKS } from "./outbound.ts";
import { REQUEST_ATTACKS } from "./requests.ts";
import { SOCKET_ATTACKS } from "./sockets.ts";

/**
 * Whatever a review finds is added here, and both the short and the long test then hold the promise
 * against it. The first one meets a server that has just started; those after the work meet accounts
 * with much to list.
 */
export const ATTACKS: readonly Attack[] = [
  ...REQUEST_ATTACKS,
  ...WORK_ATTACKS,
  ...SOCKET_ATTACKS,
  ...OUTSIDE_ATTACKS,
  ...CONSOLE_ATTACKS,
  ...LASTING_ATTACKS,
];

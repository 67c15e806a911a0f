import type { Attack } from "./attack.ts";
import { LASTING_ATTACKS, WORK_ATTACKS } from "./authenticated.ts";
import { CALLED_ATTACKS } from "./called.ts";
import { CARRIER_ATTACKS } from "./carrier.ts";
import { CONSOLE_ATTACKS } from "./console.ts";
import { OUTSIDE_ATTACKS } from "./outbound.ts";
import { REQUEST_ATTACKS } from "./requests.ts";
import { SOCKET_ATTACKS } from "./sockets.ts";

/**
 * All attacks. A newly found one is added here; the short and the long test then cover it. The first attack
 * meets a server that has just started. The console attacks follow the authenticated ones, whose accounts
 * then have much data.
 */
export const ATTACKS: readonly Attack[] = [
  ...REQUEST_ATTACKS,
  ...WORK_ATTACKS,
  ...SOCKET_ATTACKS,
  ...OUTSIDE_ATTACKS,
  ...CARRIER_ATTACKS,
  ...CALLED_ATTACKS,
  ...CONSOLE_ATTACKS,
  ...LASTING_ATTACKS,
];

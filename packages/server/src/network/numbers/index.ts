export { collectUnpaid, numberChargesLane } from "./charge-lane.ts";
export { choosePoolMember, type PoolRefusal } from "./choose-pool-member.ts";
export type { LinkResult, NumberHandlersDeps, NumberLinksDeps } from "./deps.ts";
export {
  createNumberDirectory,
  findLiveSender,
  findSender,
  type NumberDirectory,
  readSenders,
} from "./directory.ts";
export { cooldownTask } from "./end-cooldown-task.ts";
export { endLinks, linkedPhones } from "./end-links.ts";
export { countAssigned, numberOf } from "./find.ts";
export { followRegistrations } from "./follow-registrations.ts";
export { rateCentreOf } from "./geo/rate-centre-of.ts";
export { numberHandlers } from "./handlers.ts";
export { findHolders } from "./holders.ts";
export { operatorInventoryHandlers } from "./inventory.ts";
export { linkTask } from "./link-task.ts";
export { liveNumbersIn } from "./live-numbers.ts";
export { lockSenderStates } from "./move-senders.ts";
export type { NumberRow } from "./number-row.ts";
export { clearDeletedPools } from "./pool-sweep.ts";
export { addPool, listPoolRows, type PoolRow, poolHandlers, poolOf } from "./pools.ts";
export { findLiveHolder, portIn } from "./port-in.ts";
export { type Changer, changerOf, grantFirstNumber, recordNumber } from "./purchase.ts";
export { releaseAllNumbers } from "./release-all.ts";
export { releasedTask } from "./released-task.ts";
export { listNumberRows, numberRowById } from "./rows.ts";
export { firstSenderState, isRegisterable, type Sender } from "./sender.ts";
export type { RegistrationState } from "./sender-state.ts";
export { takeOver } from "./take-over.ts";
export { changeNumber, checkSmsUrl } from "./update.ts";
export { operatorNumberHandlers } from "./vouch.ts";

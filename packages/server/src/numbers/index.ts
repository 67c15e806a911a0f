export { collectUnpaid, numberChargesLane } from "./charge-lane.ts";
export { choosePoolMember, type PoolRefusal } from "./choose.ts";
export {
  createNumberDirectory,
  findLiveSender,
  findSender,
  type NumberDirectory,
} from "./directory.ts";
export { countAssigned } from "./find.ts";
export {
  followRegistrations,
  lockFollowers,
  type RegistrationStanding,
} from "./follow-registrations.ts";
export { numberHandlers } from "./handlers.ts";
export { operatorInventoryHandlers } from "./inventory.ts";
export { clearDeletedPools } from "./pool-sweep.ts";
export { poolHandlers } from "./pools.ts";
export { grantFirstNumber } from "./purchase.ts";
export { firstSenderState, isRegisterable, type Sender } from "./sender.ts";

export { choosePoolMember, type PoolRefusal } from "./choose.ts";
export {
  createNumberDirectory,
  findLiveSender,
  findSender,
  type NumberDirectory,
} from "./directory.ts";
export { firstSenderState, isRegisterable, type Sender } from "./sender.ts";

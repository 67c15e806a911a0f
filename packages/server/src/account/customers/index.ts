export {
  type CustomerDirectory,
  type CustomerRow,
  createCustomerDirectory,
  customerFilterOf,
  customerOf,
  findCustomerCached,
  knownCustomerIds,
  lockCustomerShared,
} from "./find.ts";

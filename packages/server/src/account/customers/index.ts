export {
  type CustomerDirectory,
  type CustomerRow,
  createCustomerDirectory,
  customerFilterOf,
  customerOf,
  findCustomerCached,
  lockCustomerShared,
} from "./find.ts";

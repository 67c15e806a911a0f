export {
  type CustomerDirectory,
  type CustomerRow,
  createCustomerDirectory,
  customerFilterOf,
  customerOf,
  findCustomerCached,
  holdCustomer,
} from "./find.ts";

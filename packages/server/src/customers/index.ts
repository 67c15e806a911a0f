export {
  type CustomerDirectory,
  type CustomerRow,
  createCustomerDirectory,
  customerOf,
  findCustomer,
  findCustomerCached,
  holdCustomer,
} from "./find.ts";

export {
  type CustomerDirectory,
  type CustomerRow,
  createCustomerDirectory,
  findCustomer,
  findCustomerCached,
  holdCustomer,
} from "./find.ts";

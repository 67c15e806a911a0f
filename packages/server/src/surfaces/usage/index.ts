export { sumByCustomer } from "./sum-by-customer.ts";

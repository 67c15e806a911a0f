export { createKeyDirectory, type KeyDirectory } from "./directory.ts";
export { createKey, operatorKeyHandlers } from "./operator.ts";

export { lookupHandlers } from "./handlers.ts";
export { createLookup, type Lookup, type LookupDeps } from "./line-types.ts";

export { type LineType, lookupLineTypes } from "./line-types.ts";

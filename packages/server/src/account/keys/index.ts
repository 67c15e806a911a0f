export { createKey, type KeyRow, presentKey } from "./create.ts";
export { createKeyDirectory, type KeyDirectory } from "./directory.ts";
export { parseExpiry, parseNetworks } from "./limits.ts";
export { createOperatorTokens, mintOperatorToken } from "./operator-tokens.ts";

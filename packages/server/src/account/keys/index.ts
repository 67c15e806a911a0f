export { createKey, type KeyRow, presentKey } from "./create.ts";
export { createKeyDirectory, type KeyDirectory } from "./directory.ts";
export { createOperatorTokens, mintOperatorToken } from "./operator-tokens.ts";
export { parseExpiry, parseNetworks } from "./limits.ts";

export { type Actor, type AuditEntry, record } from "./record.ts";
export { type ChainedEntry, type ChainHead, type ChainVerdict, verifyChain } from "./verify.ts";

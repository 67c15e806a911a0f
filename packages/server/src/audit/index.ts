export { type Actor, type AuditEntry, record } from "./record.ts";

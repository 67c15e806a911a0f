export { changesBetween } from "./changes.ts";
export { auditHandlers } from "./handlers.ts";
export { type Actor, type AuditEntry, record, recordForInstallation } from "./record.ts";
export { type ExportedLine, type LogVerdict, verifyAuditLog } from "./verify.ts";

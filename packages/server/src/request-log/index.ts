export { type AnsweredRequest, createRequestLog, type RequestLog } from "./record.ts";
export { listRequests, type RequestRow, type RequestsWanted } from "./sql.ts";

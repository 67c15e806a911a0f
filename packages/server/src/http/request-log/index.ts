export { pruneRequestLog } from "./prune.ts";
export {
  type AnsweredRequest,
  createRequestLog,
  NO_REQUEST_LOG,
  type RequestLog,
} from "./record.ts";
export { type RequestRow, readRequests } from "./sql.ts";

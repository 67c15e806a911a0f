export {
  type AnsweredRequest,
  createRequestLog,
  NO_REQUEST_LOG,
  type RequestLog,
} from "./record.ts";
export { listRequests, type RequestRow, type RequestsWanted } from "./sql.ts";

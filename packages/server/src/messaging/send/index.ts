export { sendHandlers, sendMessage } from "./send.ts";

// Preloaded into a server. After a carrier's submit response arrives, counts every resumed await and aborts
// the process at the one that LONGWAVE_TEST_ABORT_AT numbers.
import { createHook, executionAsyncResource } from "node:async_hooks";
import { EventEmitter } from "node:events";
import { Socket } from "node:net";

const SUBMIT_SM_RESP = 0x80000004;
const COMMAND_ID_AT = 4;
const HEADER_BYTES = 16;

const abortAt = Number(process.env["LONGWAVE_TEST_ABORT_AT"]);
const carrierPort = Number(process.env["LONGWAVE_TEST_CARRIER_PORT"]);
let hasArrived = false;
let resumed = 0;

createHook({
  // An init hook is required for promise hooks.
  init() {},
  before() {
    if (!hasArrived || !(executionAsyncResource() instanceof Promise)) return;
    resumed += 1;
    if (resumed === abortAt) process.abort();
  },
}).enable();

/** Whether one of these PDUs is a submit response; receipts may come with it. */
function hasAnswer(bytes) {
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    if (bytes.readUInt32BE(at + COMMAND_ID_AT) === SUBMIT_SM_RESP) return true;
    at += Math.max(HEADER_BYTES, bytes.readUInt32BE(at));
  }
  return false;
}

Socket.prototype.emit = function emit(name, ...given) {
  const isCarrier = name === "data" && this.remotePort === carrierPort;
  if (isCarrier && hasAnswer(given[0])) hasArrived = true;
  return EventEmitter.prototype.emit.call(this, name, ...given);
};

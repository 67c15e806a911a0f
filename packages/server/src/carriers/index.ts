export type {
  Carrier,
  CarrierSink,
  InboundText,
  OutboundText,
  Receipt,
  SubmitOutcome,
} from "./carrier.ts";
export { type CarrierConfig, CarriersFileError, readCarriersFile } from "./config.ts";
export { type Carriers, createCarriers } from "./routing.ts";
export {
  type SimulatedOutcome,
  simulatedCarrierCode,
  simulatedHandOver,
  simulatedOutcome,
  simulatedReceiptDueAt,
} from "./simulated-network.ts";

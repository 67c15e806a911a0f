export { type BindRow, listBinds } from "./binds/sql.ts";
export { callbackRoutes } from "./callback-routes.ts";
export type {
  Carrier,
  CarrierCost,
  CarrierSink,
  ContentReader,
  InboundMessage,
  InboxSink,
  OutboundMessage,
  ReadableCallback,
  Receipt,
  SubmitOutcome,
} from "./carrier.ts";
export { type Environment, FieldCheck } from "./check-fields.ts";
export { type CarrierConfig, CarriersFileError, type HttpConfig } from "./config.ts";
export {
  type CarrierFields,
  type CarriersContent,
  type CarriersFileSettings,
  carriersPath,
  changeCarriers,
  loadCarriers,
  readCarriers,
  readCarriersFile,
} from "./file.ts";
export {
  CALLBACKS_PATH,
  callbackProblems,
  callbackUrls,
  describeCallbacks,
} from "./http/callbacks.ts";
export { constantField, constantHeaders, createHttpClient } from "./http/carrier.ts";
export { contentOf, contentTypeOf } from "./http/content.ts";
export { type Leaf, leavesOf } from "./http/leaves.ts";
export { PATH_FORM, parsePath, stringsAt, type ValuePath, valuesAt } from "./http/path.ts";
export { type PollStateRow, readPolls } from "./http/poll-sql.ts";
export {
  type SignatureFault,
  type SignedCall,
  type SignedHead,
  signedCallFault,
  signedHeadFault,
} from "./http/signature.ts";
export { readSignature, type SignatureOptions } from "./http/signature-config.ts";
export { isSame } from "./http/signature-parts.ts";
export {
  type KeptRow,
  keepSteps,
  listKeptCallbacks,
  settleKeptCallbacks,
} from "./kept-callbacks.ts";
export {
  containsSql,
  isAllNumbers,
  isIn,
  isNoNumbers,
  type NumberSet,
  valuesOf,
} from "./number-set.ts";
export { describePresets } from "./presets/describe.ts";
export { entryOf, secretVariable } from "./presets/entry.ts";
export { PRESETS, type Preset } from "./presets/index.ts";
export { createReload } from "./reload.ts";
export { type Carriers, createCarriers, type Link, type Reloaded } from "./routing.ts";
export {
  canLeaveFrom,
  configuredNumberFor,
  isServiceNumber,
  serviceNumberFor,
} from "./service-numbers.ts";
export {
  type SimulatedOutcome,
  simulatedCarrierCode,
  simulatedOutcome,
  simulatedReceiptDueAt,
  simulatedSubmit,
} from "./simulated-network.ts";
export { carrierCodeText } from "./smpp/carrier-code.ts";
export { type EchoedReference, lostReferencesOf } from "./smpp/short-references.ts";
export {
  readTraffic,
  TRAFFIC_STEP_SECONDS,
  TRAFFIC_STEPS,
  type TrafficRow,
} from "./traffic-sql.ts";
export {
  countsOf,
  readUnowned,
  type UnownedItem,
  type UnownedRow,
  unownedSteps,
} from "./unowned.ts";

export { type ClientOptions, type ClientState, SmppClient } from "./client.ts";
export { COMMANDS, type CommandName, commandName, type FieldsOf } from "./commands.ts";
export { type Dial, type Dialled, dialTcp, dialTls, type Host } from "./dial.ts";
export {
  type Alphabet,
  type Charset,
  type CharsetOptions,
  charsetFor,
  DATA_CODING,
  type DecodedText,
  decodeText,
  encodeText,
} from "./encoding.ts";
export { FieldError } from "./fields.ts";
export { Framer, type FramingLost } from "./framer.ts";
export { decodeGsm7, encodeGsm7, packSeptets, unpackSeptets } from "./gsm7.ts";
export type { Answered, Outcome } from "./in-flight.ts";
export type { LineChange, LineState } from "./line.ts";
export {
  type LongTextMode,
  PARTS_MAX,
  type TextOptions,
  type TextPart,
  textParts,
} from "./long-text.ts";
export { canonicalId, type IdForm, receiptIds } from "./message-ids.ts";
export {
  decodePdu,
  encodePdu,
  PDU_OCTETS_MAX,
  type Pdu,
  type PduInput,
  type PduOf,
  SEQUENCE_MAX,
  type Unreadable,
} from "./pdu.ts";
export {
  type DeliveryReceipt,
  parseReceiptText,
  type ReceiptOptions,
  type ReceiptState,
  readReceipt,
} from "./receipt.ts";
export {
  type MessagePdu,
  messageOctets,
  type ReceivedText,
  receivedText,
} from "./received-text.ts";
export { type Clock, type SmppSocket, systemClock, type Timer } from "./runtime.ts";
export {
  type BindMode,
  type BindOptions,
  type Delivery,
  Session,
  type SessionOptions,
} from "./session.ts";
export {
  SESSION_TIMES,
  type SessionEvent,
  type SessionState,
  type SessionTimes,
  TRANSITIONS,
} from "./session-states.ts";
export {
  describeStatus,
  STATUSES,
  type StatusKind,
  type StatusName,
  statusKind,
  statusMeaning,
} from "./statuses.ts";
export { Throttle, type ThrottleOptions } from "./throttle.ts";
export { TLVS, type Tlv, type TlvName, type TlvValue, tlv, tlvValue } from "./tlvs.ts";
export { type PartOf, readHeader, type UserDataHeader } from "./udh.ts";

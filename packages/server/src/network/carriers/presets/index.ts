import { BANDWIDTH } from "./bandwidth.ts";
import { CLICKSEND } from "./clicksend.ts";
import { ELKS46 } from "./elks46.ts";
import { HTTPSMS } from "./httpsms.ts";
import { INFOBIP } from "./infobip.ts";
import { PLIVO } from "./plivo.ts";
import type { Preset } from "./preset.ts";
import { SIGNALWIRE } from "./signalwire.ts";
import { SINCH } from "./sinch.ts";
import { SMSGATE } from "./smsgate.ts";
import { TELNYX } from "./telnyx.ts";
import { TEXTBEE } from "./textbee.ts";
import { TWILIO } from "./twilio.ts";
import { VONAGE } from "./vonage.ts";

export { expandPreset } from "./expand.ts";
export type { Preset } from "./preset.ts";

const ALL: readonly Preset[] = [
  TELNYX,
  TWILIO,
  SIGNALWIRE,
  VONAGE,
  PLIVO,
  BANDWIDTH,
  SINCH,
  INFOBIP,
  CLICKSEND,
  ELKS46,
  SMSGATE,
  TEXTBEE,
  HTTPSMS,
];

/** Providers whose API the declaration describes already, by the type of their entries. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map(
  ALL.map((preset) => [preset.type, preset]),
);

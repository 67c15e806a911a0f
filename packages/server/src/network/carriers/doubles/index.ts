import type { ProviderDouble } from "./double.ts";
import { BANDWIDTH_DOUBLE } from "./providers/bandwidth.ts";
import { clicksendDouble } from "./providers/clicksend.ts";
import { elks46Double } from "./providers/elks46.ts";
import { httpsmsDouble } from "./providers/httpsms.ts";
import { INFOBIP_DOUBLE } from "./providers/infobip.ts";
import { plivoDouble } from "./providers/plivo.ts";
import { signalwireDouble } from "./providers/signalwire.ts";
import { SINCH_DOUBLE } from "./providers/sinch.ts";
import { smsgateDouble } from "./providers/smsgate.ts";
import { telnyxDouble } from "./providers/telnyx.ts";
import { textbeeDouble } from "./providers/textbee.ts";
import { twilioDouble } from "./providers/twilio.ts";
import { VONAGE_DOUBLE } from "./providers/vonage.ts";

export type { DoubleFailure, DoubleMessage, DoubleRecord, ProviderDouble } from "./double.ts";
export { DoubleServer } from "./server.ts";

/** Doubles of providers by the type of their entries. Each call makes one with keys of its own. */
export const DOUBLES: ReadonlyMap<string, () => ProviderDouble> = new Map(
  Object.entries({
    telnyx: telnyxDouble,
    twilio: twilioDouble,
    signalwire: signalwireDouble,
    vonage: () => VONAGE_DOUBLE,
    plivo: plivoDouble,
    bandwidth: () => BANDWIDTH_DOUBLE,
    sinch: () => SINCH_DOUBLE,
    infobip: () => INFOBIP_DOUBLE,
    clicksend: clicksendDouble,
    "46elks": elks46Double,
    smsgate: smsgateDouble,
    textbee: textbeeDouble,
    httpsms: httpsmsDouble,
  }),
);

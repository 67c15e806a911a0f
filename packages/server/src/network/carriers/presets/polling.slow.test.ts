/** Presets that poll, where the provider cannot call the server. */
import { testPolling } from "../../../../testing/provider-polling.ts";

for (const type of ["twilio", "signalwire", "46elks", "sinch", "smsgate", "textbee"]) {
  testPolling(type, { unreachable: "unreachable" });
}

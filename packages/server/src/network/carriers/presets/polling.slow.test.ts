/** Presets that poll, where the provider cannot call the server. */
import { testPolling } from "../../../../testing/provider-polling.ts";

for (const type of ["twilio", "signalwire", "46elks", "sinch", "textbee"]) {
  testPolling(type, { unreachable: "unreachable" });
}
testPolling("smsgate", { unreachable: "unreachable", entry: { local: true } });
// A cloud or private server lists no inbound messages.
testPolling("smsgate", { unreachable: "unreachable", listsInbound: false });

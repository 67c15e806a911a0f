/** One preset of each kind: JSON, form-encoded, and a phone as gateway. The slow tier tests the others. */
import { LAML_TRAFFIC, ONE_REASON, testTraffic } from "../../../../testing/provider-traffic.ts";

testTraffic("telnyx", {
  receipts: {
    unreachable: "unreachable",
    invalid_number: "invalid_number",
    landline: "landline",
    filtered: "carrier_filtered",
    opted_out: "recipient_blocked",
    expired: "expired",
  },
  refusals: {
    invalid_number: "invalid_number",
    landline: "landline",
    filtered: "carrier_filtered",
    opted_out: "recipient_blocked",
  },
});

testTraffic("twilio", LAML_TRAFFIC);
testTraffic("smsgate", { receipts: ONE_REASON, refusals: { invalid_number: "carrier_rejected" } });

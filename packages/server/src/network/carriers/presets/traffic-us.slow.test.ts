import { LAML_TRAFFIC, testTraffic } from "../../../../testing/provider-traffic.ts";

testTraffic("twilio", LAML_TRAFFIC);
testTraffic("signalwire", LAML_TRAFFIC);

testTraffic("bandwidth", {
  receipts: {
    unreachable: "unreachable",
    invalid_number: "invalid_number",
    landline: "landline",
    filtered: "carrier_filtered",
    opted_out: "recipient_blocked",
    expired: "expired",
  },
  refusals: { invalid_number: "carrier_rejected" },
});

testTraffic("plivo", {
  receipts: {
    unreachable: "unreachable",
    invalid_number: "invalid_number",
    // Plivo has one code for both.
    landline: "invalid_number",
    filtered: "carrier_filtered",
    opted_out: "recipient_blocked",
    expired: "expired",
  },
  refusals: { invalid_number: "carrier_rejected" },
});

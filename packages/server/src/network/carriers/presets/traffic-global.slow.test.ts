import { ONE_REASON, testTraffic } from "../../../../testing/provider-traffic.ts";

testTraffic("vonage", {
  receipts: {
    unreachable: "unreachable",
    invalid_number: "invalid_number",
    landline: "unreachable",
    filtered: "carrier_filtered",
    opted_out: "recipient_blocked",
    expired: "expired",
  },
  refusals: { invalid_number: "carrier_rejected", filtered: "carrier_rejected" },
});

testTraffic("sinch", {
  receipts: {
    unreachable: "unreachable",
    invalid_number: "unreachable",
    landline: "unreachable",
    filtered: "carrier_rejected",
    opted_out: "carrier_rejected",
    expired: "expired",
  },
  refusals: { invalid_number: "carrier_rejected" },
});

testTraffic("infobip", {
  receipts: {
    unreachable: "unreachable",
    invalid_number: "invalid_number",
    landline: "invalid_number",
    filtered: "carrier_filtered",
    opted_out: "recipient_blocked",
    expired: "expired",
  },
  refusals: { invalid_number: "carrier_rejected", opted_out: "carrier_rejected" },
});

testTraffic("clicksend", {
  receipts: ONE_REASON,
  refusals: { invalid_number: "invalid_number" },
});
testTraffic("46elks", { receipts: ONE_REASON, refusals: { invalid_number: "carrier_rejected" } });
testTraffic("textbee", { receipts: ONE_REASON, refusals: { invalid_number: "carrier_rejected" } });
testTraffic("httpsms", {
  receipts: { ...ONE_REASON, expired: "expired" },
  refusals: { invalid_number: "carrier_rejected" },
});

testTraffic("smsgate", { receipts: ONE_REASON, refusals: { invalid_number: "carrier_rejected" } });

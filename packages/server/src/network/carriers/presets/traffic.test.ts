/** One preset. The slow tier tests the others. */
import { testTraffic } from "../../../../testing/provider-traffic.ts";

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

/** One preset of each kind: JSON, form-encoded, and a phone as gateway. The slow tier tests the others. */
import { testProvider } from "../../../../testing/provider-conformance.ts";

testProvider("telnyx", { echo: "field" });
testProvider("twilio", { echo: "query" });
testProvider("smsgate", { echo: null });

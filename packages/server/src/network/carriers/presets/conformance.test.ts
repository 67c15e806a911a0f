/** One preset that takes JSON, and one that takes forms. The slow tier tests the others. */
import { testProvider } from "../../../../testing/provider-conformance.ts";

testProvider("telnyx", { echo: "field" });
testProvider("twilio", { echo: "query" });

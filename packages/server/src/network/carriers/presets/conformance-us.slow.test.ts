import { testProvider } from "../../../../testing/provider-conformance.ts";

testProvider("twilio", { echo: "query" });
testProvider("signalwire", { echo: "query" });
testProvider("bandwidth", { echo: "field" });
testProvider("plivo", { echo: null });

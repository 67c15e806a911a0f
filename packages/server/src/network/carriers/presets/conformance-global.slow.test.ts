import { testProvider } from "../../../../testing/provider-conformance.ts";

testProvider("vonage", { echo: "field" });
testProvider("sinch", { echo: "field" });
testProvider("infobip", { echo: null });
testProvider("clicksend", { echo: "field" });
testProvider("46elks", { echo: "query" });

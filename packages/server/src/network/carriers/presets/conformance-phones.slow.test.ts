import { testProvider } from "../../../../testing/provider-conformance.ts";

testProvider("textbee", { echo: null });
testProvider("httpsms", { echo: "field" });
testProvider("smsgate", { echo: null });

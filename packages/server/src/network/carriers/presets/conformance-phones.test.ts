import { testProvider } from "../../../../testing/provider-conformance.ts";

testProvider("smsgate", { echo: null });
testProvider("textbee", { echo: null });
testProvider("httpsms", { echo: "field" });

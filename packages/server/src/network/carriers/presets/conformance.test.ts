/** One preset. The slow tier tests the others. */
import { testProvider } from "../../../../testing/provider-conformance.ts";

testProvider("telnyx", { echo: "field" });

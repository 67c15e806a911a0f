import { LOCAL_TARGETS } from "../../../testing/hook-receiver.ts";
import { testImportProvider } from "../../../testing/import-conformance.ts";
import {
  startTelnyx,
  startTwilio,
  TELNYX_LOGIN,
  TWILIO_LOGIN,
} from "../../../testing/mock-providers.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { telnyxProvider } from "./telnyx.ts";
import { twilioProvider } from "./twilio.ts";

const kit = suiteKit({ ...LOCAL_TARGETS, LONGWAVE_ROLES: "api" });

testImportProvider(
  {
    provider: twilioProvider,
    credentials: { account_sid: TWILIO_LOGIN.account_sid, secret: TWILIO_LOGIN.secret },
    secondPage: "IncomingPhoneNumbers.json?PageSize=1000&Page=1",
    start: startTwilio,
  },
  () => kit().deps,
);

testImportProvider(
  {
    provider: telnyxProvider,
    credentials: { secret: TELNYX_LOGIN.secret },
    secondPage: "/v2/phone_numbers/messaging?page%5Bnumber%5D=2",
    start: startTelnyx,
  },
  () => kit().deps,
);

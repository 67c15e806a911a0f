import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input, PhoneInput } from "../fields.ts";
import { MESSAGE_BODY_CHARS_MAX } from "../limits.ts";
import { Message } from "../schemas/message.ts";

export const testInboundRoutes = defineRoutes({
  "test.inbound": {
    method: "POST",
    path: "/v1/test/inbound",
    scope: "messages:send",
    tag: "Testing",
    summary: "Receive a text on a test number, as if a phone had sent it",
    description:
      "Everything follows that a real text would bring about: message.received, keywords, the consent ledger and the automatic reply. Test keys and test numbers only.",
    body: Input({
      from: PhoneInput({ description: "The phone that texts: a US or Canada number." }),
      to: PhoneInput({ description: "A test number of yours." }),
      body: Type.String({ minLength: 1, maxLength: MESSAGE_BODY_CHARS_MAX }),
    }),
    answers: { 201: Message },
    errors: ["mode_mismatch"],
    example: { body: { from: "+14155552671", to: "+15005550100", body: "STOP" }, status: 201 },
  },
});

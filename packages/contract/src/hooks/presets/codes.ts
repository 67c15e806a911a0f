import { BEARER, type HookPresetData } from "./preset.ts";

/** Programs that make one-time codes of their own. */
export const CODE_PRESETS: readonly HookPresetData[] = [
  {
    name: "supabase",
    title: "Supabase Auth",
    setup:
      "Authentication, Hooks, Send SMS: type HTTPS, the address as URL, and the secret as it is.",
    source:
      "supabase.com/docs/guides/auth/auth-hooks/send-sms-hook; github.com/supabase/auth internal/hooks",
    declaration: {
      purpose: "codes",
      // A change of number texts the new number, which newer versions name beside the code.
      to: ["sms.phone", "user.phone"],
      code: ["sms.otp"],
      body: "Your code is {{sms.otp}}.",
      // Supabase signs a retry with a new webhook-id; the body's identifier stays.
      id: "{{metadata.uuid|$header.webhook-id}}",
      signature: {
        type: "hmac",
        header: "webhook-signature",
        prefix: "v1,",
        encoding: "base64",
        key_encoding: "base64",
        timestamp_header: "webhook-timestamp",
        signed: "{{header.webhook-id}}.{{timestamp}}.{{body}}",
      },
      answer: { status: 200, content_type: "application/json", body: "{}" },
      // Supabase reads the reason of a refusal only from an answer with status 200.
      refusal: {
        status: 200,
        content_type: "application/json",
        body: '{"error":{"http_code":{{status}},"message":"{{message}}"}}',
      },
    },
    sample: {
      metadata: {
        uuid: "8e2d8a5a-6a2c-4f0e-9c1b-0d6c2b1a7f10",
        time: "2026-01-02T03:04:05Z",
        name: "send-sms",
        ip_address: "203.0.113.9",
      },
      user: {
        id: "6481a5c1-3d37-4a56-9f6a-bee08c554965",
        aud: "authenticated",
        role: "authenticated",
        email: "",
        phone: "15005550000",
        app_metadata: { provider: "phone", providers: ["phone"] },
        user_metadata: {},
        is_anonymous: false,
      },
      sms: { otp: "561166" },
    },
  },
  {
    name: "zitadel",
    title: "ZITADEL",
    setup:
      "Add an SMS provider of type HTTP with the address as endpoint, and activate it. Its answer has a signingKey: make it the hook's secret.",
    source:
      "zitadel.com/docs/guides/manage/customize/notification-providers; github.com/zitadel/zitadel pkg/actions/signing.go",
    secretFromProgram: true,
    declaration: {
      purpose: "codes",
      to: ["contextInfo.recipientPhoneNumber"],
      code: ["args.code", "args.oTP", "args.OTP", "args.otp"],
      body: "{{templateData.text}}",
      signature: {
        type: "hmac",
        header: "zitadel-signature",
        prefix: "v1=",
        encoding: "hex",
        timestamp_field: "t",
        signed: "{{timestamp}}.{{body}}",
      },
    },
    sample: {
      contextInfo: {
        eventType: "user.human.phone.code.added",
        provider: { id: "285181292935381355", description: "longwave" },
        recipientPhoneNumber: "+15005550000",
      },
      templateData: {
        title: "Zitadel - Verify phone",
        preHeader: "Verify phone",
        subject: "Verify phone",
        greeting: "Hello GivenName FamilyName,",
        text: "A new phone number has been added. Please use the following code to verify it 0M53RF",
        buttonText: "Verify phone",
      },
      args: {
        changeDate: "2026-09-16T10:58:50.73237+02:00",
        code: "0M53RF",
        creationDate: "2026-09-16T10:58:50.73237+02:00",
        displayName: "GivenName FamilyName",
        lastPhone: "+15005550000",
        loginNames: ["Username"],
        userName: "Username",
        verifiedPhone: "",
      },
    },
  },
  {
    name: "auth0",
    title: "Auth0",
    setup:
      "Branding, Phone Provider, Custom: an Action that posts event.notification to the address, with the secret as Bearer token.",
    source:
      "auth0.com/docs/customize/phone-messages/configure-phone-messaging-providers/configure-a-custom-phone-provider",
    declaration: {
      purpose: "codes",
      when: [{ path: "notification.delivery_method", values: ["text"] }],
      to: ["notification.recipient"],
      code: ["notification.code"],
      body: "{{notification.as_text}}",
      signature: BEARER,
    },
    sample: {
      notification: {
        message_type: "otp_verify",
        delivery_method: "text",
        recipient: "+15005550000",
        as_text: "123456 is your verification code for Acme.",
        as_voice: "Your verification code for Acme is 1, 2, 3, 4, 5, 6.",
        code: "123456",
        locale: "en",
      },
    },
  },
  {
    name: "kratos",
    title: "Ory Kratos",
    setup:
      "A courier channel sms of type http with the address, a body that passes recipient, body and template_data, and the secret as Bearer token.",
    source: "github.com/ory/kratos courier/http_channel.go",
    declaration: {
      purpose: "codes",
      to: ["recipient"],
      code: [
        "template_data.login_code",
        "template_data.verification_code",
        "template_data.registration_code",
        "template_data.recovery_code",
      ],
      body: "{{body}}",
      signature: BEARER,
    },
    sample: {
      recipient: "+15005550000",
      subject: "",
      body: "Your login code is: 123456",
      template_type: "login_code_valid",
      template_data: { to: "+15005550000", login_code: "123456" },
      message_type: "sms",
    },
  },
  {
    name: "keycloak",
    title: "Keycloak (netzbegruenung SMS authenticator)",
    setup:
      "In the execution's settings: apiurl is the address, apitoken is Bearer and the secret, receiverattribute is to, messageattribute is text.",
    source:
      "github.com/netzbegruenung/keycloak-mfa-plugins sms-authenticator, gateway/ApiSmsService.java",
    declaration: {
      purpose: "codes",
      to: ["to", "receiver", "phone_number"],
      body: "{{text|body|message}}",
      signature: BEARER,
    },
    sample: { text: "Your SMS code is 123456.", to: "+15005550000", sender: "Keycloak" },
  },
  {
    name: "authentik",
    title: "authentik",
    setup:
      "SMS authenticator setup stage: provider Generic, the address as External API URL, auth type bearer with the secret. No mapping is needed.",
    source: "github.com/goauthentik/authentik authentik/stages/authenticator_sms/models.py",
    declaration: {
      purpose: "codes",
      to: ["To"],
      code: ["Body"],
      body: "{{Message}}",
      signature: BEARER,
    },
    sample: {
      From: "authentik",
      To: "+15005550000",
      Body: "123456",
      Message: "Use this code to authenticate in authentik: 123456",
    },
  },
];

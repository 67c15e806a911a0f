/** Signs people in with a code by text: no password, nothing stored but sessions. */
import { randomBytes } from "node:crypto";
import { ApiError, RateLimitError } from "@longwave/sdk";
import express, { type NextFunction, type Request, type Response } from "express";
import { client, PORT } from "../client.ts";
import { escaped, page } from "../page.ts";

const longwave = client();
const SESSIONS_MAX = 10_000;
/** Phone by session cookie. A real website keeps sessions in its database. */
const phoneBySession = new Map<string, string>();

const ASK_PHONE = page(
  "Sign in",
  `<form method="post" action="/sign-in"><label>Phone <input name="phone" autocomplete="tel" required placeholder="+15005550000"></label> <button>Text me a code</button></form>`,
);

/** Shows the code in the sandbox, where no text is really sent and the API returns the code. */
function askCode(phone: string, hint: string): string {
  const form = `<form method="post" action="/sign-in/check"><input type="hidden" name="phone" value="${escaped(phone)}"><label>Code <input name="code" autocomplete="one-time-code" inputmode="numeric" required autofocus></label> <button>Sign in</button></form>`;
  return page("Sign in", `<p>${hint}</p>${form}${ANOTHER_PHONE}`);
}

const ANOTHER_PHONE = '<p><a href="/">Another phone, or a new code</a></p>';

const app = express();
app.use(express.urlencoded({ extended: false }));

app.get("/", (_request, response) => {
  response.type("html").send(ASK_PHONE);
});

app.post("/sign-in", async (request, response) => {
  // Fraud protection counts by the visitor's address.
  const ip = request.ip?.replace(/^::ffff:/, "") ?? null;
  const phone = String(request.body.phone);
  const { test_code: code } = await longwave.verify.start({ phone, app_name: "Example", ip });
  const shown = code ? ` This is the sandbox, so here it is: <code>${code}</code>` : "";
  response.type("html").send(askCode(phone, `We have texted you a code.${shown}`));
});

app.post("/sign-in/check", async (request, response) => {
  const phone = String(request.body.phone);
  const { verified, status } = await longwave.verify.check({
    phone,
    code: String(request.body.code),
  });
  if (!verified) {
    const again = "That is not the code. Try again.";
    const text = page("Sign in", `<p>This code is no longer taken.</p>${ANOTHER_PHONE}`);
    response
      .status(401)
      .type("html")
      .send(status === "pending" ? askCode(phone, again) : text);
    return;
  }
  const session = randomBytes(24).toString("base64url");
  const [oldest] = phoneBySession.keys();
  if (phoneBySession.size >= SESSIONS_MAX && oldest) phoneBySession.delete(oldest);
  phoneBySession.set(session, phone);
  response.cookie("session", session, { httpOnly: true, sameSite: "lax", maxAge: 3_600_000 });
  response.redirect(303, "/me");
});

app.get("/me", (request, response) => {
  const session = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
  const phone = phoneBySession.get(session);
  const [status, text] =
    phone === undefined
      ? [401, "Nobody is signed in."]
      : [200, `Welcome. You are ${escaped(phone)}.`];
  response
    .status(status)
    .type("html")
    .send(page("Your page", `<p>${text}</p>${ANOTHER_PHONE}`));
});

// Visitors see errors of the service, but no internal errors.
app.use((error: Error, _request: Request, response: Response, _next: NextFunction) => {
  const [status, text] =
    error instanceof RateLimitError
      ? [429, "Wait a minute and try again."]
      : error instanceof ApiError
        ? [400, error.message]
        : [500, "Something went wrong."];
  response
    .status(status)
    .type("html")
    .send(page("Sign in", `<p>${escaped(text)}</p>${ANOTHER_PHONE}`));
});

const server = app.listen(PORT, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : PORT;
  console.log(`Open http://127.0.0.1:${port}`);
});

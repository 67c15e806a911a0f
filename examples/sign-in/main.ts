/** Signs people in with a code by text: no password, nothing to store but who is signed in. */
import { randomBytes } from "node:crypto";
import { ApiError, RateLimitError } from "@longwave/sdk";
import express, { type NextFunction, type Request, type Response } from "express";
import { client, PORT } from "../client.ts";

const longwave = client();
const SESSIONS_MAX = 10_000;
/** Who is signed in, by the value of a cookie. A real website keeps these in its database. */
const phoneBySession = new Map<string, string>();

const PAGE = `<!doctype html><html lang="en"><title>Sign in</title><body>
<form method="post" action="/sign-in"><label>Phone <input name="phone" autocomplete="tel"></label> <button>Text me a code</button></form>
<form method="post" action="/sign-in/check"><label>Phone <input name="phone" autocomplete="tel"></label>
<label>Code <input name="code" autocomplete="one-time-code" inputmode="numeric"></label> <button>Sign in</button></form>`;

const app = express();
app.use(express.urlencoded({ extended: false }));

app.get("/", (_request, response) => {
  response.type("html").send(PAGE);
});

app.post("/sign-in", async (request, response) => {
  // The visitor's address lets fraud protection count by it.
  const ip = request.ip?.replace(/^::ffff:/, "") ?? null;
  await longwave.verify.start({ phone: String(request.body.phone), app_name: "Example", ip });
  response.type("text").send("We have texted you a code.\n");
});

app.post("/sign-in/check", async (request, response) => {
  const phone = String(request.body.phone);
  const { verified, status } = await longwave.verify.check({
    phone,
    code: String(request.body.code),
  });
  if (!verified) {
    const again = status === "pending" ? "That is not the code." : "Ask for a new code.";
    response.status(401).type("text").send(`${again}\n`);
    return;
  }
  const session = randomBytes(24).toString("base64url");
  const [oldest] = phoneBySession.keys();
  if (phoneBySession.size >= SESSIONS_MAX && oldest) phoneBySession.delete(oldest);
  phoneBySession.set(session, phone);
  response.cookie("session", session, { httpOnly: true, sameSite: "lax", maxAge: 3_600_000 });
  response.type("text").send("Welcome.\n");
});

app.get("/me", (request, response) => {
  const session = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
  const phone = phoneBySession.get(session);
  if (phone === undefined) response.status(401).type("text").send("Nobody is signed in.\n");
  else response.json({ phone });
});

// What the service refuses is told to the visitor in words; what else goes wrong is not.
app.use((error: Error, _request: Request, response: Response, _next: NextFunction) => {
  if (error instanceof RateLimitError) response.status(429).send("Wait a minute and try again.\n");
  else if (error instanceof ApiError) response.status(400).send(`${error.message}\n`);
  else response.status(500).send("Something went wrong.\n");
});

const server = app.listen(PORT, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : PORT;
  console.log(`Open http://127.0.0.1:${port}`);
});

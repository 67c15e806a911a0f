import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { checkVerification, readCheck } from "./check/check.ts";
import type { VerifyDeps } from "./deps.ts";
import { listVerifications } from "./list.ts";
import { listDecisions, readStats, readVerification } from "./read.ts";
import { readStart, startVerification } from "./start/start.ts";

type VerifyRoute =
  | "verify.start"
  | "verify.check"
  | "verify.list"
  | "verify.get"
  | "verify.stats"
  | "verify.decisions";

export const verifyHandlers: HandlersOf<VerifyRoute, VerifyDeps> = {
  "verify.start": checking(
    (deps, { body }) => void readStart(deps, body),
    (context, { body }) => startVerification(context, body),
  ),
  "verify.check": checking(
    (deps, { body }) => void readCheck(deps, body),
    (context, { body }) => checkVerification(context, body),
  ),
  "verify.list": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listVerifications(deps, caller, query),
  }),
  "verify.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: await readVerification(deps, caller, params.id),
  }),
  "verify.stats": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await readStats(deps, caller, query),
  }),
  "verify.decisions": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listDecisions(deps, caller, query),
  }),
};

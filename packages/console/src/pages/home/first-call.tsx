import type { ApiKey, Page } from "@longwave/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useConsoleRead } from "../../api/console-queries.ts";
import { useRead } from "../../api/queries.ts";
import { nowMs } from "../../clock.ts";
import { Code } from "../../ui/code.tsx";
import { formatTook } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { Badge } from "../../ui/status.tsx";
import { useNow } from "../../ui/values.tsx";
import { isUsable } from "../keys/usable.ts";
import { sendSamples } from "../messages/samples.ts";
import { type LoggedRequest, listRequests, toneOf } from "../requests/request.ts";
import { useHome } from "./start-steps.ts";

const POLL_MS = 2_000;

/** A call to paste into a terminal. The card polls for it and then shows the answer. */
export function FirstCall() {
  const mayWatch = useHasRole("member");
  const home = useHome();
  const from = home?.from ?? "+15005550100";
  return (
    <Card title="Send one from your code">
      <div className="stack">
        <Code samples={sendSamples({ from, to: "+15005550000", body: "Hello from Longwave" })} />
        {mayWatch ? (
          <Watched isFirst={home?.steps.key_used === false} />
        ) : (
          <p className="meta">
            Put your key into LONGWAVE_KEY. The text shows up on this page by itself.
          </p>
        )}
      </div>
    </Card>
  );
}

function Watched(props: { isFirst: boolean }) {
  const { base, mode } = useAccount();
  const keys = useConsoleRead<Page<ApiKey>>("keys");
  const now = useNow();
  const key = keys.data?.data.find((each) => each.mode === mode && isUsable(each, now));
  const answered = useNextSend();
  if (answered) return <Answered request={answered} />;
  return (
    <p className="meta waiting" role="status">
      {props.isFirst && <span className="spinner" aria-hidden="true" />}
      <span>
        {props.isFirst ? "Waiting for your request." : "Your next request appears here."}{" "}
        LONGWAVE_KEY is{" "}
        {key ? (
          <>
            your key <code>…{key.last4}</code>, or{" "}
          </>
        ) : null}
        <Link to={`${base}/keys`} search={{}}>
          a new one
        </Link>
        .
      </span>
    </p>
  );
}

/** The first send request that was answered after the page was opened. */
function useNextSend(): LoggedRequest | null {
  const { scope } = useAccount();
  const client = useQueryClient();
  const [newestBefore, setNewestBefore] = useState<string | null>(null);
  // An earlier visit's answers may be cached; count only requests after this one.
  const [openedAtMs] = useState(nowMs);
  const read = useRead(
    ["requests", "next-send", openedAtMs],
    async (_, signal) => {
      const filter = { method: "POST", path: "/v1/messages", limit: 1 };
      return (await listRequests(scope, filter, signal)).data[0] ?? null;
    },
    { refetchMs: POLL_MS, staleMs: 0 },
  );
  const isRead = read.data !== undefined;
  const newest = read.data?.id ?? "";
  useEffect(() => {
    if (isRead) setNewestBefore((before) => before ?? newest);
  }, [isRead, newest]);
  const next = newestBefore !== null && newest > newestBefore ? (read.data ?? null) : null;
  const hasCome = next !== null;
  useEffect(() => {
    // The call used the key: refetch the steps, so that "use a key" ticks.
    if (hasCome) void client.invalidateQueries({ queryKey: [...scope, "start"] });
  }, [hasCome, client, scope]);
  return next;
}

function Answered(props: { request: LoggedRequest }) {
  const { base } = useAccount();
  const { request } = props;
  const isTaken = request.status < 400;
  return (
    <div className="row" role="status">
      <Badge tone={toneOf(request.status)} word={String(request.status)} />
      <span>
        {isTaken ? "Accepted" : "Refused"} in {formatTook(request.duration_ms)}
        {request.code !== null && (
          <>
            : <code>{request.code}</code>
          </>
        )}
      </span>
      <Link to={`${base}/requests/${request.id}`} search={{}}>
        See the call
      </Link>
      {isTaken && (
        <Link to={`${base}/phone`} search={{}}>
          See it on the phone
        </Link>
      )}
    </div>
  );
}

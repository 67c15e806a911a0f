import { statement } from "../../core/db/driver/statement.ts";

export const TRAFFIC_STEP_SECONDS = 10;
/** Steps shown on the operator page: ten minutes. */
export const TRAFFIC_STEPS = 60;
/** Window over which receipts are compared with accepted messages. */
const KEPT = "interval '1 hour'";
const STEP = `date_bin('${TRAFFIC_STEP_SECONDS} seconds', statement_timestamp(), 'epoch')`;

/** $1 carriers, $2 accepted messages, $3 expected receipts, $4 received receipts. */
export const addTraffic = statement(
  "add_carrier_traffic",
  `insert into carrier_traffic as t (carrier, at, accepted, expected, receipts)
   select g.carrier, ${STEP}, g.accepted, g.expected, g.receipts
     from unnest($1::text[], $2::int[], $3::int[], $4::int[]) as g (carrier, accepted, expected, receipts)
   on conflict (carrier, at) do update
      set accepted = t.accepted + excluded.accepted, expected = t.expected + excluded.expected,
          receipts = t.receipts + excluded.receipts`,
);

export const forgetTraffic = statement(
  "forget_carrier_traffic",
  `delete from carrier_traffic where carrier = any($1::text[]) and at < statement_timestamp() - ${KEPT}`,
);

export interface TrafficRow {
  readonly carrier: string;
  readonly expected: number;
  readonly receipts: number;
  /** Steps ago and accepted messages of each, over the displayed period. */
  readonly steps_ago: readonly number[];
  readonly accepted: readonly number[];
  /** Elapsed seconds of the current step. */
  readonly into_step_seconds: number;
}

export const readTraffic = statement(
  "read_carrier_traffic",
  `select t.carrier, sum(t.expected)::int as expected, sum(t.receipts)::int as receipts,
          coalesce(array_agg(a.steps) filter (where a.steps < ${TRAFFIC_STEPS}), '{}') as steps_ago,
          coalesce(array_agg(t.accepted) filter (where a.steps < ${TRAFFIC_STEPS}), '{}') as accepted,
          extract(epoch from statement_timestamp() - ${STEP})::float8 as into_step_seconds
     from carrier_traffic t,
          lateral (select (extract(epoch from ${STEP} - t.at) / ${TRAFFIC_STEP_SECONDS})::int as steps) a
    where t.carrier = any($1::text[]) and t.at >= statement_timestamp() - ${KEPT}
    group by t.carrier`,
);

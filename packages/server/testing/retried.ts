import { until } from "./until.ts";

/** The answer other than 503, which a busy machine may give: clients repeat the request, and nothing was done. */
export async function retried<A extends { readonly status: number }>(
  call: () => Promise<A>,
): Promise<A> {
  let answer = await call();
  await until(async () => {
    if (answer.status !== 503) return true;
    answer = await call();
    return false;
  });
  return answer;
}

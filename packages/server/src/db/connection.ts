/** How to reach a PostgreSQL, for those who pass it on and never talk to one themselves. */
export type { ClientConfig as Connection } from "pg";

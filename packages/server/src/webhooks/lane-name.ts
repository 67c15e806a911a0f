/** The lane that delivers webhooks, as wakes and NOTIFY name it. */
export const WEBHOOK_LANE = "webhooks";

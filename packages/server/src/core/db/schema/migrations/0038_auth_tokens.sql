-- Latest roll of the Twilio-compatible API's auth token, for each mode; null before the first. The
-- token derives from it and the installation's secret key, so no token is stored.
alter table accounts add column test_auth_token_roll uuid;
alter table accounts add column live_auth_token_roll uuid;

-- Limits of an API key: an end, and the networks that may use it. A rolled key gets an end, too,
-- when it overlaps with its successor.
alter table api_keys
  add column expires_at timestamptz,
  -- Networks as CIDR blocks; null: any.
  add column allowed_ips text[] check (cardinality(allowed_ips) > 0);

-- Toll-free verification is a registration of its own kind.
alter table registrations add column kind text not null default 'campaign' check (kind in ('campaign', 'toll_free'));

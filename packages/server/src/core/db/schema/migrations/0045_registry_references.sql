-- Notifications of the registry name a filing.
create index registrations_by_reference on registrations (registry_reference) where registry_reference is not null;

#!/bin/sh
# Runs once, on a new PostgreSQL volume: creates the owner of the tables, and the role that owns nothing.
set -eu
psql --set=ON_ERROR_STOP=1 --set=owner="$OWNER_PASSWORD" --set=app="$APP_PASSWORD" --username postgres <<'SQL'
create role longwave_owner login password :'owner';
create role longwave_app login password :'app';
create database longwave owner longwave_owner encoding 'UTF8' template template0;
SQL

#!/bin/sh
# Makes the certificates that tests present over real TLS: an authority, and a receiver's certificate issued by it.
# The authority's key is not kept, so run this again to change anything. Needs the openssl command.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/ca.cnf" <<CONFIG
[ca]
default_ca = test
[test]
database = $work/index.txt
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = receiver
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[receiver]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:longwave.test, DNS:*.longwave.test, IP:127.0.0.20, IP:::1
CONFIG
: > "$work/index.txt"

issue() {
  openssl ca -batch -notext -config "$work/ca.cnf" -startdate 20200101000000Z -enddate 21200101000000Z "$@" 2> /dev/null
}
new_key() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$1"
}

new_key "$work/authority-key.pem"
openssl req -new -key "$work/authority-key.pem" -subj "/CN=Longwave test authority" -out "$work/authority.csr"
issue -selfsign -extensions authority -keyfile "$work/authority-key.pem" -in "$work/authority.csr" -out authority.pem

new_key receiver-key.pem
openssl req -new -key receiver-key.pem -subj "/CN=receiver.longwave.test" -out "$work/receiver.csr"
issue -cert authority.pem -keyfile "$work/authority-key.pem" -in "$work/receiver.csr" -out receiver.pem

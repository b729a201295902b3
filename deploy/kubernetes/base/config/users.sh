#!/bin/bash
# Gives every user of the Secret `users` (a file each, its password in it) that password, and the rights of
# RIGHTS/<user>, where there is such a file: options of kafka-acls, a line each. To be run again after every change.
set -euo pipefail
users=${USERS:-/run/secrets/riacho/users} rights=${RIGHTS:-/etc/riacho-rights}
server=(--bootstrap-server "$BOOTSTRAP" --command-config "${ADMIN:-/etc/riacho/admin.properties}")
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
for file in "$users"/*; do
  user=${file##*/} password=$(< "$file")
  if [[ ! $password =~ ^[A-Za-z0-9._~-]{16,}$ ]]; then
    echo "The password of $user has to be 16 letters, digits, dots, underscores, tildes or dashes, or more of them." >&2
    exit 1
  fi
  # In a file, since all processes of a machine see each other's options.
  printf 'SCRAM-SHA-512=password=%s\n' "$password" > "$scratch"
  kafka-configs "${server[@]}" --alter --entity-type users --entity-name "$user" --add-config-file "$scratch"
  [ -f "$rights/$user" ] || continue
  while read -r -a options; do
    [ ${#options[@]} -gt 0 ] || continue
    kafka-acls "${server[@]}" --add --allow-principal "User:$user" "${options[@]}" > /dev/null
  done < <(grep -v '^#' "$rights/$user")
done

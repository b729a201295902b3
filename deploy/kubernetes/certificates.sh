#!/bin/bash
# certificates.sh DIRECTORY [NAMESPACE]: an authority of this cluster's own and the nodes' certificate, for the Secret
# broker-tls. Where there is an authority already, or cert-manager, take its certificates instead: CN=riacho-broker and
# nothing else in the subject, the names below, good for servers and for clients.
set -euo pipefail
umask 077
directory=$1 namespace=${2:-riacho} days=${DAYS:-365}
mkdir -p "$directory" && cd "$directory"
if [ -e ca.key ]; then
  echo "There is an authority in $directory; the nodes get a new certificate of it." >&2
else
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days $((days * 5)) -subj "/CN=riacho-$namespace" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign -keyout ca.key -out ca.crt
fi
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=riacho-broker -keyout node.key -out node.csr
names="DNS:*.broker.$namespace.svc,DNS:*.broker,DNS:broker,DNS:bootstrap,DNS:bootstrap.$namespace,DNS:bootstrap.$namespace.svc"
names+=",DNS:bootstrap.$namespace.svc.cluster.local,DNS:localhost"
openssl x509 -req -in node.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days "$days" -out node.crt -extfile - <<END
subjectAltName=$names
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth,clientAuth
basicConstraints=critical,CA:FALSE
END
cat node.key node.crt > tls-combined.pem
rm node.key node.csr node.crt

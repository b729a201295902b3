"""What no test runs of the pages' blocks, by page and language or first line, and why. It is to become shorter."""

from __future__ import annotations

_COMPOSE = "an engine's: tests/e2e/test_compose.py runs the file with a stand-in for one"
_KUBECTL = "a cluster's: tests/e2e/test_kubernetes.py and test_kubernetes_nodes.py run what the manifests say"
_SYSTEMD = "root's, under systemd: tests/e2e/test_systemd_units.py runs what the units say"
_PROMPT = "typed at a prompt: tests/e2e/test_riacho_shell.py types such lines"
_APACHE = "Apache Kafka's nodes: tests/cluster/mixed runs them"

NOT_RUN = {
    ("README.md", "make demo"): "the whole tests; the demo is run by tests/browser/test_demo_tour.py",
    ("README.pt-BR.md", "make demo"): "as in the other language",
    ("README.md", "docker-compose up --build"): _COMPOSE,
    ("README.pt-BR.md", "docker-compose up --build"): _COMPOSE,
    ("docs/guides/tour.md", "pip install '.[services,spark]'"): "tests/release installs so",
    ("docs/guides/retention-and-compaction.md", "00000000000000000000.index"): "sizes differ from run to run",
    ("docs/guides/topics-and-partitions.md", "  p  producer       12.8 MB/s       64,066 records/s"): "of one machine",
    ("docs/guides/shell.md", "$ riacho shell"): _PROMPT,
    ("docs/guides/shell.md", "prod> topic delete orders"): _PROMPT,
    ("docs/guides/shell.md", "local> SHOW TOPICS;"): _PROMPT,
    ("docs/guides/logs.md", "2026-01-31 10:00:00,412 DEBUG 127.0.0.1 ann GET /connectors status=200 elapsed_us=913 "
     "agent=curl/8.5.0 referrer=-"): "a line of a service: tests/unit/web/test_app.py",
    ("docs/guides/spark-clusters.md", "python"): "masters on other machines: tests/spark/masters has such on loopback",
    ("docs/guides/spark-clusters.md", "riacho connect --override bootstrap.servers=kafka.example.com:9092"): "workers "
    "on Apache's brokers: `make apache` runs docs/guides/connect.md there",
    ("docs/operations/backup.md", "json"): "two sites: tests/spark/connectors/test_mirror_spark.py mirrors with such",
    ("docs/operations/capacity.md", "w x d x n / brokers x 1.3"): "a formula; the program above it has it",
    ("docs/operations/docker.md", "properties"): "a container's file; tests/unit/web/test_config.py reads such",
    ("docs/operations/docker.md", "$ docker-compose up --build"): _COMPOSE,
    ("docs/operations/docker.md", "$ docker build --target services --build-arg COMMIT=\"$(git rev-parse --short=12 "
     "HEAD)\" -t riacho:0.1.0 ."): "an engine's: `make image-tree` builds and runs the images without one",
    ("docs/operations/kubernetes.md", "properties"): "a client inside; tests/e2e/test_kubernetes_nodes.py logs in so",
    ("docs/operations/kubernetes.md", "yaml"): "a part of an overlay, which Kustomize reads with the rest",
    ("docs/operations/kubernetes.md", "$ kubectl create namespace riacho"): _KUBECTL,
    ("docs/operations/kubernetes.md", "$ kubectl apply -k deploy/kubernetes/overlays/trial"): _KUBECTL,
    ("docs/operations/kubernetes.md", "$ kubectl -n riacho exec broker-1 -- kafka-topics --bootstrap-server "
     "localhost:9094 \\"): _KUBECTL,
    ("docs/operations/monitoring.md", "yaml"): "Prometheus's own file: its targets are those of a cluster that is gone",
    ("docs/operations/monitoring.md", "sum by (topic, partition) (kafka_topic_partition_current_offset)"): "for "
    "Prometheus: tests/conformance/test_metrics.py has the names",
    ("docs/operations/systemd.md", "ini"): "a part of a unit, which systemd reads with the rest",
    ("docs/operations/systemd.md", "# python3 -m venv /opt/riacho && /opt/riacho/bin/pip install '.[all]'"): _SYSTEMD,
    ("docs/operations/systemd.md", "# systemctl restart riacho-broker@broker-1"): _SYSTEMD,
    ("docs/operations/troubleshooting.md", "$ riacho pipeline list"): "Spark's: docs/guides/connect.md runs them",
    ("docs/operations/troubleshooting.md", '$ riacho ksql -e "SHOW QUERIES;" -e "DESCRIBE spent EXTENDED;"'): "the "
    "same: docs/guides/ksql.md runs them",
    ("docs/operations/troubleshooting.md", "Spark needs Java 17 or later, and there is none: install it, set JAVA_HOME "
     "or put java on the PATH."): "a machine without Java: tests/unit/pipelines/connect/runner/test_session_missing.py",
    ("docs/operations/with-apache-kafka.md", "kafka-storage.sh format -t $CLUSTER_ID -c server.properties --feature "
     "streams.version=0"): _APACHE,
    ("docs/operations/with-apache-kafka.md", "kafka-features.sh --bootstrap-server broker:9092 downgrade --feature "
     "streams.version=0"): _APACHE,
    ("docs/operations/with-apache-kafka.md", "the cluster has finalised streams.version at 1, this node supports 0 to "
     "0: lower streams.version with kafka-features downgrade, or run a version that knows it"): _APACHE,
}  # fmt: skip

# Riacho in two images of one file:
#   services    brokers, schema registry, REST proxy, control center and every kafka-* tool
#   pipelines   the same with Java and Spark, which Connect and KSQL need
#
#   docker build --target services  -t riacho:0.1.0 .
#   docker build --target pipelines -t riacho:0.1.0-pipelines .
#
# `make image-tree` builds, measures and runs both without an engine: docs/operations/docker.md has what it found.
#
# Debian's Python is the one that the pinned packages of requirements/dev.lock are tested with.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS python
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 ca-certificates \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* /usr/share/doc/* /usr/share/man/*

# A compiler for the hot modules; nothing of it is in the images.
FROM python AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv python3-dev gcc libc6-dev
RUN python3 -m venv /opt/riacho
# What packages bring and nothing here reads: their own tests, and what C is compiled from.
COPY --chmod=755 deploy/docker/slimmed /usr/local/bin/slimmed
WORKDIR /build
COPY requirements/dev.lock requirements/
COPY hatch_build.py pyproject.toml LICENSE README.md ./
COPY src src
# What `riacho --version` tells: --build-arg COMMIT="$(git rev-parse --short=12 HEAD)"
ARG COMMIT=""
RUN if [ -n "$COMMIT" ]; then echo "$COMMIT" > COMMIT; fi
# The lock is a list of versions here, not of packages: what the extras ask for comes, as tested, and nothing else.
RUN RIACHO_COMPILE=1 /opt/riacho/bin/pip install --no-cache-dir --disable-pip-version-check \
      --constraint requirements/dev.lock '.[services,security]' \
 && /opt/riacho/bin/pip uninstall -y -q pip setuptools \
 && slimmed /opt/riacho

FROM build AS build-pipelines
RUN python3 -m venv --upgrade-deps /tmp/pip \
 && /tmp/pip/bin/pip --python /opt/riacho/bin/python install --no-cache-dir --disable-pip-version-check \
      --constraint requirements/dev.lock '.[services,security,spark]' \
 && slimmed /opt/riacho

# What both images have but for their packages, which stand in one layer of each.
FROM python AS runtime
RUN useradd --system --uid 10001 --user-group --home-dir /var/lib/riacho --create-home --shell /usr/sbin/nologin riacho
COPY deploy/docker/server.properties /etc/riacho/server.properties
COPY --chmod=755 deploy/docker/healthy /usr/local/bin/healthy
# The only place that is written to beside /tmp: the root file system may be read-only.
VOLUME /var/lib/riacho
WORKDIR /var/lib/riacho
ENV PATH=/opt/riacho/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    RIACHO_DATA_DIR=/var/lib/riacho
USER 10001:10001
EXPOSE 9092 8081 8082 9021 9404
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=12 CMD ["healthy"]
# In the foreground: SIGTERM stops a broker in order, which hands its leaders over.
STOPSIGNAL SIGTERM
ENTRYPOINT ["riacho"]
CMD ["broker", "/etc/riacho/server.properties"]

FROM runtime AS services
COPY --from=build /opt/riacho /opt/riacho

FROM runtime AS pipelines
USER 0:0
# The package's scripts write manual pages to a directory that slim images leave out.
RUN mkdir -p /usr/share/man/man1 && apt-get update \
 && apt-get install -y --no-install-recommends openjdk-17-jre-headless procps \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* /usr/share/doc/* /usr/share/man/*
COPY --from=build-pipelines /opt/riacho /opt/riacho
USER 10001:10001
EXPOSE 8083 8088

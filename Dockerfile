# The dashboard and the command: `docker build -t retourne .`, then docs/serving.md.
FROM python:3.11-slim AS build
WORKDIR /retourne/src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY docs/rules.md docs/regles.md docs/format.md docs/
COPY engine engine
COPY schemas schemas
COPY ingest ingest
COPY dashboard dashboard
COPY data data
COPY js js
COPY conformance conformance
COPY .ci/retourne.cdx.json .ci/
# What else is to be in it: `--build-arg EXTRAS=[cluster,lake]`, as docs/compose.yaml has it.
ARG EXTRAS=
RUN python -m venv /retourne/env
RUN /retourne/env/bin/python -m pip install --no-cache-dir --disable-pip-version-check \
    -c constraints.txt ".$EXTRAS" \
 && find /retourne/env/lib/python3.11/site-packages -type d -name tests -prune -exec rm -r {} +
WORKDIR /retourne/warm
# The rules for browsers, which pages and saved replays have in them.
RUN apt-get update && apt-get install --yes --no-install-recommends lld && /retourne/env/bin/python -m js
# What is compiled here is for any processor of this kind, not for the one that builds.
ENV NUMBA_CACHE_DIR=/retourne/kernels NUMBA_CPU_NAME=generic
RUN mkdir /retourne/kernels
# 1 is an answer: among the samples are faulty logs, whose explanation is compiled too.
RUN /retourne/env/bin/retourne ingest /retourne/src/data --store warm.duckdb --quiet || [ $? -eq 1 ]
RUN /retourne/env/bin/retourne check /retourne/src/data --quiet || [ $? -eq 1 ]

FROM python:3.11-slim
COPY --from=build /retourne/env /retourne/env
# numba takes from its folder only where it may write to it.
COPY --from=build --chown=10001:10001 /retourne/kernels /retourne/kernels
RUN install --directory --owner 10001 --group 10001 --mode 700 /retourne/store
ENV PATH=/retourne/env/bin:$PATH HOME=/retourne/store PYTHONDONTWRITEBYTECODE=1
ENV NUMBA_CACHE_DIR=/retourne/kernels NUMBA_CPU_NAME=generic
USER 10001:10001
WORKDIR /retourne/store
VOLUME /retourne/store
EXPOSE 8501
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8501/healthz')"]
ENTRYPOINT ["retourne"]
CMD ["serve", "--store", "/retourne/store/club.duckdb", "--host", "0.0.0.0", "--no-browser", "--log", "json"]

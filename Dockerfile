# syntax=docker/dockerfile:1.7
# The image of one service: docker build --build-arg SERVICE=imports . (deploy/images/build makes all of them).
# Two images also contain the pages of the console: --target gateway, and --target single with SERVICE=single. There is no build
# step for the services: Node runs TypeScript.
ARG NODE_VERSION=24.21.0

FROM node:${NODE_VERSION}-bookworm-slim AS node
ENV TURBO_TELEMETRY_DISABLED=1 npm_config_update_notifier=false

# The workspaces of the service, without those that only its tests need, and without the packages that only tests and builds need.
FROM node AS sources
ARG SERVICE
WORKDIR /repository
COPY . .
RUN test -n "${SERVICE}" || { echo "Set --build-arg SERVICE, for example SERVICE=gateway." >&2; exit 1; }
RUN --mount=type=cache,target=/root/.npm \
    npx --yes "turbo@$(node -p "require('./package.json').devDependencies.turbo")" \
      prune "@lettergate/${SERVICE}" --docker --production --out-dir=/pruned \
 && cd /pruned/json && node /repository/deploy/images/production-manifests.mjs

FROM node AS packages
ARG SERVICE
WORKDIR /app
COPY --from=sources /pruned/json/ ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --ignore-scripts --no-progress
# Before the sources, whose manifests name packages for tests that are not installed.
RUN npm sbom --sbom-format=cyclonedx --omit=dev --omit=optional > sbom.cdx.json
COPY --from=sources /pruned/full/ ./
COPY LICENSE ./
# main is the folder of the service, services/<name> or deploy/<name>
RUN ln -s "$(dirname "$(ls -d */"${SERVICE}"/package.json)")" main && rm -f package-lock.json

# The pages of the console, for the gateway.
FROM node AS console
WORKDIR /repository
COPY . .
RUN --mount=type=cache,target=/root/.npm npm ci --no-progress
RUN npx turbo run build --filter=@lettergate/console --output-logs=errors-only

# No shell and no package manager: only Node and the C++ libraries that it needs.
FROM gcr.io/distroless/cc-debian12:nonroot AS service
ARG SERVICE
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="lettergate-${SERVICE}" \
      org.opencontainers.image.description="${SERVICE} of Lettergate, a consent-governed email service" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=packages /app /app
WORKDIR /app
# Nothing below /app is written. /tmp holds the compile cache; without it every start compiles again.
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/tmp/compile-cache \
    BIND_ADDRESS=0.0.0.0 \
    HTTP_PORT=8080 \
    HEALTH_PORT=8081 \
    RPC_PORT=8082
USER 65532:65532
EXPOSE 8080 8081 8082
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["/usr/local/bin/node", "--input-type=module", "--eval", "const answer = await fetch(`http://127.0.0.1:${process.env.HEALTH_PORT}/healthz`); process.exit(answer.ok ? 0 : 1)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/node"]
# The preload does nothing unless OTEL_EXPORTER_OTLP_ENDPOINT is set. A migration runs main/src/migrate.ts instead.
CMD ["--import", "@lettergate/service/telemetry", "main/src/main.ts"]

FROM service AS gateway
COPY --from=console /repository/services/console/dist /app/console
ENV CONSOLE_DIRECTORY=/app/console

# All services in one process, or those that TARGET names (deploy/single): --target single --build-arg SERVICE=single.
# gRPC stays on loopback, so it needs no certificates.
FROM gateway AS single
ENV BIND_ADDRESS=127.0.0.1 \
    HTTP_BIND_ADDRESS=0.0.0.0 \
    HEALTH_PORT=7100 \
    TARGET=all
EXPOSE 7100

# The last stage is what a build without --target makes.
FROM service

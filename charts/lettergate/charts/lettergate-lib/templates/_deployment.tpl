{{/* Whether KEDA or an HPA decides the number of replicas. Context: root, component, process, role, spec */}}
{{- define "lettergate-lib.scaled" -}}
{{- if .spec.maxReplicas -}}
{{- if or (and (eq .role "worker") .root.Values.keda.enabled) (and (has "http" .process.ports) .root.Values.hpa.enabled) -}}
{{- if gt (int .spec.replicas) (int .spec.maxReplicas) -}}
{{- fail (printf "%s: replicas is more than maxReplicas" .component) -}}
{{- end -}}
true
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
  A probe. The health port has no TLS and says more than the health service of gRPC, which kubelet can reach only without TLS.
  Context: root, process, ports, path
*/}}
{{- define "lettergate-lib.probe" -}}
{{- if and (eq .path "/healthz") (has "rpc" .process.ports) (eq .root.Values.tls.mode "off") -}}
grpc: { port: {{ .ports.rpc }} }
{{- else -}}
httpGet: { path: {{ .path }}, port: health }
{{- end -}}
{{- end -}}

{{/*
  One process of a service. Context: root, topology, service, role, process, spec, ports, component; services: the services that
  the process runs together
*/}}
{{- define "lettergate-lib.deployment" -}}
{{- $values := .root.Values -}}
{{- $name := printf "%s-%s" (include "lettergate-lib.fullname" .root) .component -}}
{{- $tls := and .topology.schema (ne $values.tls.mode "off") (not .services) -}}
{{- $authority := and .topology.schema (include "lettergate-lib.databaseAuthority" .root) -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" . | nindent 4 }}
spec:
  {{- if not (include "lettergate-lib.scaled" .) }}
  replicas: {{ .spec.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels: {{- include "lettergate-lib.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "lettergate-lib.labels" . | nindent 8 }}
      {{- with $values.podAnnotations }}
      annotations: {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "lettergate-lib.fullname" .root }}-{{ .service }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
      securityContext: {{- include "lettergate-lib.podSecurityContext" . | nindent 8 }}
      {{- with include "lettergate-lib.scheduling" . }}
      {{- . | nindent 6 }}
      {{- end }}
      topologySpreadConstraints:
        {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "lettergate-lib.selector" $ | nindent 14 }}
        {{- end }}
      containers:
        - name: {{ .service }}
          image: {{ include "lettergate-lib.image" . | quote }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          args:
            - --max-semi-space-size={{ .spec.youngHeapMb }}
            - --max-old-space-size={{ .spec.heapMb }}
            - --heap-growing-percent=50
            - --import
            - "@lettergate/service/telemetry"
            - main/src/main.ts
          ports:
            {{- range .process.ports }}
            - { name: {{ . }}, containerPort: {{ index $.ports . }}, protocol: TCP }
            {{- end }}
          env: {{- include (ternary "lettergate-lib.singleEnvironment" "lettergate-lib.environment" (hasKey . "services")) . | trim | nindent 12 }}
          resources: {{- toYaml .spec.resources | nindent 12 }}
          securityContext: {{- include "lettergate-lib.containerSecurityContext" . | nindent 12 }}
          # A start waits for PostgreSQL, NATS and the other services: five minutes. So a release that cannot reach them replaces nothing.
          startupProbe:
            {{- include "lettergate-lib.probe" (dict "root" .root "process" .process "ports" .ports "path" "/readyz") | nindent 12 }}
            periodSeconds: 2
            timeoutSeconds: 3
            failureThreshold: 150
          livenessProbe:
            {{- include "lettergate-lib.probe" (dict "root" .root "process" .process "ports" .ports "path" "/healthz") | nindent 12 }}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          # Not /readyz: all replicas share PostgreSQL, NATS and the other services. Without NATS requests are answered as before.
          readinessProbe:
            {{- include "lettergate-lib.probe" (dict "root" .root "process" .process "ports" .ports "path" "/readyz/process") | nindent 12 }}
            periodSeconds: 5
            timeoutSeconds: 3
            failureThreshold: 3
          {{- if or (has "rpc" .process.ports) (has "http" .process.ports) }}
          # The image has no shell, and not every cluster has the sleep action.
          lifecycle:
            preStop:
              exec: { command: [/usr/local/bin/node, --eval, "setTimeout(() => {}, {{ mul $values.drainSeconds 1000 }})"] }
          {{- end }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- if $tls }}
            - { name: tls, mountPath: /etc/lettergate/tls, readOnly: true }
            {{- end }}
            {{- if $authority }}
            - { name: database-authority, mountPath: /etc/lettergate/database, readOnly: true }
            {{- end }}
            {{- if $values.nats.caSecretName }}
            - { name: nats-authority, mountPath: /etc/lettergate/nats, readOnly: true }
            {{- end }}
      volumes:
        - { name: tmp, emptyDir: { sizeLimit: 128Mi } }
        {{- if $tls }}
        # Mounted as a folder, so that a renewed certificate arrives without a restart. 288 is 0440: the group reads it.
        - { name: tls, secret: { secretName: {{ include "lettergate-lib.fullname" .root }}-{{ .service }}-tls, defaultMode: 288 } }
        {{- end }}
        {{- if $authority }}
        {{- include "lettergate-lib.databaseVolume" .root | nindent 8 }}
        {{- end }}
        {{- if $values.nats.caSecretName }}
        - name: nats-authority
          secret:
            secretName: {{ $values.nats.caSecretName }}
            items: [{ key: {{ $values.nats.caKey }}, path: ca.crt }]
        {{- end }}
{{- end -}}

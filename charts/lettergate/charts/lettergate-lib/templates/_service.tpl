{{/*
  The headless Service of a process, for gRPC and for its health port. It lists processes that are not ready: the readiness of a
  service asks for its connections to others, and some of these need connections back. Clients skip processes that do not answer.
  Context: as the deployment
*/}}
{{- define "lettergate-lib.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "lettergate-lib.fullname" .root }}-{{ .component }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" . | nindent 4 }}
spec:
  type: ClusterIP
  clusterIP: None
  publishNotReadyAddresses: true
  selector: {{- include "lettergate-lib.selector" . | nindent 4 }}
  ports:
    {{- range without .process.ports "http" }}
    - { name: {{ ternary "grpc" . (eq . "rpc") }}, port: {{ index $.ports . }}, targetPort: {{ . }}, protocol: TCP }
    {{- end }}
{{- if has "http" .process.ports }}
---
# The public port: only processes that are ready.
apiVersion: v1
kind: Service
metadata:
  name: {{ include "lettergate-lib.fullname" .root }}-{{ .component }}-http
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" . | nindent 4 }}
spec:
  type: ClusterIP
  selector: {{- include "lettergate-lib.selector" . | nindent 4 }}
  ports:
    - { name: http, port: 80, targetPort: http, protocol: TCP, appProtocol: http }
{{- end }}
{{- end -}}

{{/*
  The Services of the process with all services: the public ports by the names of the services that answer there, so that the edge
  needs nothing else, and the health port. Context: as the deployment
*/}}
{{- define "lettergate-lib.singleServices" -}}
{{- range $name, $port := dict "gateway-http" "http" "webhook-intake-http" "webhooks" "single" "health" }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ include "lettergate-lib.fullname" $.root }}-{{ $name }}
  namespace: {{ $.root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" $ | nindent 4 }}
spec:
  type: ClusterIP
  {{- if eq $port "health" }}
  clusterIP: None
  publishNotReadyAddresses: true
  {{- end }}
  selector: {{- include "lettergate-lib.selector" $ | nindent 4 }}
  ports:
    {{- if eq $port "health" }}
    - { name: health, port: {{ $.ports.health }}, targetPort: health, protocol: TCP }
    {{- else }}
    - { name: http, port: 80, targetPort: {{ $port }}, protocol: TCP, appProtocol: http }
    {{- end }}
{{- end }}
{{- end -}}

{{/* A service account that only separates the services. Context: root, service */}}
{{- define "lettergate-lib.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "lettergate-lib.fullname" .root }}-{{ .service }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" (dict "root" .root "component" .service) | nindent 4 }}
automountServiceAccountToken: false
{{- end -}}

{{- define "lettergate-lib.podDisruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "lettergate-lib.fullname" .root }}-{{ .component }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "lettergate-lib.selector" . | nindent 6 }}
{{- end -}}

{{/* The certificate of a service: its only name is the service, which its callers ask for. Context: root, service */}}
{{- define "lettergate-lib.certificate" -}}
{{- $name := printf "%s-%s" (include "lettergate-lib.fullname" .root) .service -}}
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" (dict "root" .root "component" .service) | nindent 4 }}
spec:
  secretName: {{ $name }}-tls
  dnsNames: [{{ .service }}]
  usages: [server auth, client auth]
  duration: {{ .root.Values.tls.duration }}
  renewBefore: {{ .root.Values.tls.renewBefore }}
  privateKey: { algorithm: ECDSA, size: 256, rotationPolicy: Always }
  issuerRef:
    {{- if .root.Values.tls.issuerRef }}
    {{- toYaml .root.Values.tls.issuerRef | nindent 4 }}
    {{- else }}
    name: {{ include "lettergate-lib.fullname" .root }}-services
    kind: Issuer
    group: cert-manager.io
    {{- end }}
{{- end -}}

{{/* Peers: pods of this installation by component. Context: root, components */}}
{{- define "lettergate-lib.pods" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/part-of: lettergate
      app.kubernetes.io/instance: {{ .root.Release.Name }}
    matchExpressions:
      - { key: app.kubernetes.io/component, operator: In, values: [{{ join ", " .components }}] }
{{- end -}}

{{/* One rule; without peers, any address. Context: direction (from or to), peers, ports */}}
{{- define "lettergate-lib.rule" -}}
- ports:
    {{- range .ports }}
    - { protocol: {{ .protocol | default "TCP" }}, port: {{ .port }} }
    {{- end }}
  {{- with .peers }}
  {{ $.direction }}: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "lettergate-lib.dnsRule" -}}
{{ include "lettergate-lib.rule" (dict "direction" "to" "peers" .Values.networkPolicy.dnsPeers "ports" (list (dict "port" 53) (dict "port" 53 "protocol" "UDP"))) }}
{{- end -}}

{{- define "lettergate-lib.databaseRule" -}}
{{- $peers := .Values.database.peers -}}
{{- if and (not $peers) .Values.database.cluster }}
{{- $peers = list (dict "podSelector" (dict "matchLabels" (dict "cnpg.io/cluster" .Values.database.cluster))) }}
{{- end -}}
{{ include "lettergate-lib.rule" (dict "direction" "to" "peers" $peers "ports" (list (dict "port" .Values.database.port))) }}
{{- end -}}

{{/* What one process may reach, and what may reach it. Context: as the deployment, and callers: the components that call it */}}
{{- define "lettergate-lib.networkPolicy" -}}
{{- $values := .root.Values -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "lettergate-lib.fullname" .root }}-{{ .component }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels: {{- include "lettergate-lib.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    {{- if .callers }}
    - ports: [{ protocol: TCP, port: rpc }]
      from: {{- include "lettergate-lib.pods" (dict "root" .root "components" .callers) | nindent 8 }}
    {{- end }}
    {{- if has "http" .process.ports }}
    {{- include "lettergate-lib.rule" (dict "direction" "from" "peers" $values.networkPolicy.edgePeers "ports" (list (dict "port" "http"))) | nindent 4 }}
    {{- end }}
    {{- if has "webhooks" .process.ports }}
    {{- include "lettergate-lib.rule" (dict "direction" "from" "peers" $values.networkPolicy.edgePeers "ports" (list (dict "port" "webhooks"))) | nindent 4 }}
    {{- end }}
    {{- if $values.monitoring.podMonitor }}
    {{- include "lettergate-lib.rule" (dict "direction" "from" "peers" $values.networkPolicy.metricsPeers "ports" (list (dict "port" "health"))) | nindent 4 }}
    {{- end }}
    {{- if $values.tests.enabled }}
    - ports:
        {{- range without .process.ports "rpc" }}
        - { protocol: TCP, port: {{ . }} }
        {{- end }}
      from: {{- include "lettergate-lib.pods" (dict "root" .root "components" (list "test")) | nindent 8 }}
    {{- end }}
  egress:
    {{- include "lettergate-lib.dnsRule" .root | nindent 4 }}
    {{- include "lettergate-lib.rule" (dict "direction" "to" "peers" $values.nats.peers "ports" (list (dict "port" $values.nats.port))) | nindent 4 }}
    {{- if .topology.schema }}
    {{- include "lettergate-lib.databaseRule" .root | nindent 4 }}
    {{- end }}
    {{- with .topology.calls }}
    - ports: [{ protocol: TCP, port: {{ $.ports.rpc }} }]
      to: {{- include "lettergate-lib.pods" (dict "root" $.root "components" (values . | uniq | sortAlpha)) | nindent 8 }}
    {{- end }}
    {{- if .process.internet }}
    - ports:
        {{- range $values.networkPolicy.internetPorts }}
        - { protocol: TCP, port: {{ . }} }
        {{- end }}
      to: {{- toYaml $values.networkPolicy.internet | nindent 8 }}
    {{- end }}
    {{- if $values.telemetry.endpoint }}
    {{- include "lettergate-lib.rule" (dict "direction" "to" "peers" $values.telemetry.peers "ports" (list (dict "port" $values.telemetry.port))) | nindent 4 }}
    {{- end }}
    {{- range .services | default (dict .service .topology) | keys | sortAlpha }}
    {{- with (index $values.services .).extraEgress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- end }}
{{- end -}}

{{/*
  Every variable of a process. Secrets first, because a later value may refer to an earlier one.
  Context: root, topology, service, role, spec
*/}}
{{- define "lettergate-lib.environment" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $secret := include "lettergate-lib.secretName" . -}}
{{- $ports := .ports -}}
{{- if .topology.schema }}
{{ include "lettergate-lib.databaseEnv" (dict "root" $root "variable" "DATABASE_URL" "secret" $secret "role" .topology.role) }}
{{- end }}
{{- range .topology.secrets }}
{{ include "lettergate-lib.fromSecret" (dict "name" . "secret" $secret) }}
{{- end }}
{{- range .topology.optionalSecrets }}
{{ include "lettergate-lib.fromSecret" (dict "name" . "secret" $secret "optional" true) }}
{{- end }}
{{- if .topology.provider }}
{{- range (ternary $values.provider.credentials $values.provider.signingKeys (eq .topology.provider "credentials")) }}
{{ include "lettergate-lib.fromSecret" (dict "name" . "secret" $values.provider.secretName) }}
{{- end }}
{{- end }}
- { name: BIND_ADDRESS, value: "0.0.0.0" }
- { name: HEALTH_PORT, value: {{ $ports.health | quote }} }
{{- if has "rpc" .process.ports }}
- { name: RPC_PORT, value: {{ $ports.rpc | quote }} }
{{- end }}
{{- if has "http" .process.ports }}
- { name: HTTP_PORT, value: {{ $ports.http | quote }} }
{{- end }}
{{- if ne .role "service" }}
- { name: ROLE, value: {{ .role }} }
{{- end }}
{{- include "lettergate-lib.commonEnv" $root }}
{{- if and .topology.schema (ne $values.tls.mode "off") }}
- { name: TLS_CA_FILE, value: /etc/lettergate/tls/ca.crt }
- { name: TLS_CERT_FILE, value: /etc/lettergate/tls/tls.crt }
- { name: TLS_KEY_FILE, value: /etc/lettergate/tls/tls.key }
{{- else }}
- { name: ALLOW_PLAINTEXT_PEERS, value: "true" }
{{- end }}
{{- range $name, $path := .topology.settings }}
- { name: {{ $name }}, value: {{ include "lettergate-lib.valueAt" (dict "root" $root "path" $path) }} }
{{- end }}
{{- range $name, $component := .topology.calls }}
- { name: {{ $name }}, value: {{ include "lettergate-lib.target" (dict "root" $root "component" $component "port" $ports.rpc) }} }
{{- end }}
{{- range $name, $value := (index $values.services .service).config }}
- { name: {{ $name }}, value: {{ include "lettergate-lib.text" $value | quote }} }
{{- end }}
{{- if $values.telemetry.endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ $values.telemetry.endpoint | quote }} }
- { name: OTEL_SERVICE_NAME, value: {{ include "lettergate-lib.component" . }} }
{{- end }}
{{- end -}}

{{/* A value of config as text; a whole number without an exponent. No `and`: an old Helm evaluates all of its arguments, and eq fails for a text. */}}
{{- define "lettergate-lib.text" -}}
{{- if kindIs "float64" . -}}
{{- ternary (. | int64 | toString) (. | toString) (eq (floor .) .) -}}
{{- else -}}
{{- . | toString -}}
{{- end -}}
{{- end -}}

{{/* Variables that every process has alike. */}}
{{- define "lettergate-lib.commonEnv" }}
- { name: LOG_LEVEL, value: {{ .Values.logLevel }} }
- { name: NATS_URL, value: {{ .Values.nats.url | quote }} }
- { name: NATS_NAMESPACE, value: {{ .Values.nats.namespace | quote }} }
{{- if .Values.nats.caSecretName }}
- { name: NATS_CA_FILE, value: /etc/lettergate/nats/ca.crt }
{{- end }}
{{- end -}}

{{/*
  Every variable of the process with all services: secrets and config of a service have its name as prefix, so that none gets
  those of another. Context: root, services (of the topology), ports
*/}}
{{- define "lettergate-lib.singleEnvironment" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $settings := dict -}}
{{- range $service, $facts := .services }}
{{- $prefix := printf "%s__" ($service | upper | replace "-" "_") }}
{{- $secret := include "lettergate-lib.secretName" (dict "root" $root "service" $service) }}
{{ include "lettergate-lib.databaseUrlEnv" (dict "root" $root "variable" "DATABASE_URL" "secret" $secret "role" $facts.role "prefix" $prefix) }}
{{- range $facts.secrets }}
{{ include "lettergate-lib.fromSecret" (dict "name" (print $prefix .) "key" . "secret" $secret) }}
{{- end }}
{{- range $facts.optionalSecrets }}
{{ include "lettergate-lib.fromSecret" (dict "name" (print $prefix .) "key" . "secret" $secret "optional" true) }}
{{- end }}
{{- range $name, $value := (index $values.services $service).config }}
- { name: {{ print $prefix $name }}, value: {{ include "lettergate-lib.text" $value | quote }} }
{{- end }}
{{- $settings = merge $settings ($facts.settings | default dict) }}
{{- end }}
{{- include "lettergate-lib.databaseTlsEnv" . }}
{{- range concat $values.provider.credentials $values.provider.signingKeys | uniq }}
{{ include "lettergate-lib.fromSecret" (dict "name" . "secret" $values.provider.secretName) }}
{{- end }}
- { name: TARGET, value: all }
- { name: BIND_ADDRESS, value: "127.0.0.1" }
- { name: HTTP_BIND_ADDRESS, value: "0.0.0.0" }
- { name: HEALTH_PORT, value: {{ .ports.health | quote }} }
{{- include "lettergate-lib.commonEnv" $root }}
{{- range $name, $path := $settings }}
- { name: {{ $name }}, value: {{ include "lettergate-lib.valueAt" (dict "root" $root "path" $path) }} }
{{- end }}
{{- if $values.telemetry.endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ $values.telemetry.endpoint | quote }} }
- { name: OTEL_SERVICE_NAME, value: lettergate }
{{- end }}
{{- end -}}

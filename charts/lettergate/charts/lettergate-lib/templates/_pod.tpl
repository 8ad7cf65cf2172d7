{{/* The restricted profile of the pod security standards. */}}
{{- define "lettergate-lib.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "lettergate-lib.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* One variable from a Secret. Context: name, secret, key (default: the name), optional */}}
{{- define "lettergate-lib.fromSecret" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .key | default .name }}{{ if .optional }}, optional: true{{ end }} } }
{{- end -}}

{{/* A URL of PostgreSQL and its TLS. Context: root, variable, secret, role */}}
{{- define "lettergate-lib.databaseEnv" -}}
{{ include "lettergate-lib.databaseUrlEnv" . }}
{{- include "lettergate-lib.databaseTlsEnv" . }}
{{- end -}}

{{/*
  A URL of PostgreSQL: from a Secret, or made of the password in a Secret of the database cluster.
  Context: root, variable, secret, role; prefix: of both variables
*/}}
{{- define "lettergate-lib.databaseUrlEnv" -}}
{{- $database := .root.Values.database -}}
{{- $password := printf "%sDATABASE_PASSWORD" (.prefix | default "") -}}
{{- $variable := printf "%s%s" (.prefix | default "") .variable -}}
{{- if $database.cluster -}}
{{ include "lettergate-lib.fromSecret" (dict "name" $password "secret" (printf "%s-%s" $database.cluster (.role | replace "_" "-")) "key" "password") }}
- name: {{ $variable }}
  value: postgresql://{{ .role }}:$({{ $password }})@{{ $database.cluster }}-rw:{{ $database.port }}/{{ $database.name }}
{{- else -}}
{{ include "lettergate-lib.fromSecret" (dict "name" $variable "secret" .secret "key" .variable) }}
{{- end }}
{{- end -}}

{{/* How the driver of PostgreSQL checks the server. Context: root */}}
{{- define "lettergate-lib.databaseTlsEnv" -}}
{{- $database := .root.Values.database -}}
{{- $mode := $database.tls.mode | default (ternary "verify-full" "" (ne $database.cluster "")) -}}
{{- if and $database.tls.caSecretName (not $mode) -}}
{{- fail "database.tls.caSecretName needs database.tls.mode: without a mode connections to PostgreSQL are plain text" -}}
{{- end -}}
{{- if $mode }}
- { name: PGSSLMODE, value: {{ $mode }} }
{{- end }}
{{- if include "lettergate-lib.databaseAuthority" .root }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/lettergate/database/ca.crt }
{{- end }}
{{- end -}}

{{/* The Secret with the authority of the database's certificate; empty without one. */}}
{{- define "lettergate-lib.databaseAuthority" -}}
{{- .Values.database.tls.caSecretName | default (ternary (printf "%s-ca" .Values.database.cluster) "" (ne .Values.database.cluster "")) -}}
{{- end -}}

{{- define "lettergate-lib.databaseVolume" -}}
- name: database-authority
  secret:
    secretName: {{ include "lettergate-lib.databaseAuthority" . }}
    items: [{ key: {{ .Values.database.tls.caKey }}, path: ca.crt }]
{{- end -}}

{{/* Where its pods may run. Context: root */}}
{{- define "lettergate-lib.scheduling" -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

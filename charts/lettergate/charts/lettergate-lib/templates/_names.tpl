{{/* The prefix of every name. */}}
{{- define "lettergate-lib.fullname" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 36 | trimSuffix "-" -}}
{{- end -}}

{{/* The process of a role: campaigns-delivery-worker, or only the service for its api. Context: service, role */}}
{{- define "lettergate-lib.component" -}}
{{- if has .role (list "api" "service") }}{{ .service }}{{ else }}{{ .service }}-{{ .role }}{{ end -}}
{{- end -}}

{{/* Labels that never change. Context: root, component */}}
{{- define "lettergate-lib.selector" -}}
app.kubernetes.io/part-of: lettergate
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Context: root, component */}}
{{- define "lettergate-lib.labels" -}}
{{ include "lettergate-lib.selector" . }}
app.kubernetes.io/name: {{ .component }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{/* Context: root, service */}}
{{- define "lettergate-lib.image" -}}
{{- $image := .root.Values.image -}}
{{- $digest := get $image.digests .service -}}
{{- if $digest -}}
{{ $image.registry }}/{{ .service }}@{{ $digest }}
{{- else -}}
{{ $image.registry }}/{{ .service }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The value at a dotted path, quoted. Context: root, path */}}
{{- define "lettergate-lib.valueAt" -}}
{{- $value := .root.Values -}}
{{- range splitList "." .path }}{{ $value = index $value . }}{{ end -}}
{{- if kindIs "float64" $value }}{{ $value = int64 $value }}{{ end -}}
{{ $value | toString | quote }}
{{- end -}}

{{/* The address of the gRPC port of a process. Context: root, component, port */}}
{{- define "lettergate-lib.target" -}}
{{ include "lettergate-lib.fullname" .root }}-{{ .component }}.{{ .root.Release.Namespace }}.svc:{{ .port }}
{{- end -}}

{{/* The Secret of a service. Context: root, service */}}
{{- define "lettergate-lib.secretName" -}}
{{- (index .root.Values.services .service).secretName | default (printf "%s-%s" (include "lettergate-lib.fullname" .root) .service) -}}
{{- end -}}

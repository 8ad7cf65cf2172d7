{{/* Context: as the deployment */}}
{{- define "lettergate-lib.horizontalPodAutoscaler" -}}
{{- $name := printf "%s-%s" (include "lettergate-lib.fullname" .root) .component -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $name }} }
  minReplicas: {{ .spec.replicas }}
  maxReplicas: {{ .spec.maxReplicas }}
  metrics:
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ .root.Values.hpa.targetCpuPercent }} } }
  behavior:
    scaleDown: { stabilizationWindowSeconds: 300 }
{{- end -}}

{{/*
  What is due for the workers of a service. Every worker reports the same number of rows, so their maximum counts each once.
  The emails of automations are those that each worker was asked for.
*/}}
{{- define "lettergate-lib.workQuery" -}}
{{- $from := printf "namespace=\"%s\",service=\"%s\",role=\"worker\"" .root.Release.Namespace .service -}}
{{- if eq .service "campaigns-delivery" -}}
max(lettergate_batches_due{ {{- $from -}} }) + (sum(lettergate_automation_emails_due{ {{- $from -}} }) or vector(0))
{{- else if eq .service "imports" -}}
max(sum by (pod) (lettergate_imports{ {{- $from -}} ,status=~"dry_run_queued|dry_run_running|apply_queued|applying"})) or vector(0)
{{- else if eq .service "automations" -}}
max(lettergate_enrollments_due{ {{- $from -}} })
{{- end -}}
{{- end -}}

{{/* At least one worker always runs, because the workers report what is due. Context: as the deployment */}}
{{- define "lettergate-lib.scaledObject" -}}
{{- $name := printf "%s-%s" (include "lettergate-lib.fullname" .root) .component -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $name }} }
  pollingInterval: {{ .root.Values.keda.pollingIntervalSeconds }}
  minReplicaCount: {{ .spec.replicas }}
  maxReplicaCount: {{ .spec.maxReplicas }}
  # Without an answer of Prometheus the number of workers stays as the values say.
  fallback: { failureThreshold: 4, replicas: {{ .spec.replicas }} }
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        scaleDown: { stabilizationWindowSeconds: 300 }
  triggers:
    - type: prometheus
      metricType: AverageValue
      metadata:
        serverAddress: {{ .root.Values.keda.prometheusAddress }}
        query: {{ include "lettergate-lib.workQuery" . | squote }}
        threshold: {{ .spec.workPerReplica | toString | quote }}
{{- end -}}

{{/*
  The migration of one schema, before the new release starts. It logs in as the migrator and becomes the owner of the schema; an
  advisory lock makes two of them wait for each other. Context: root, topology, service
*/}}
{{- define "lettergate-lib.migration" -}}
{{- $values := .root.Values -}}
{{- $authority := include "lettergate-lib.databaseAuthority" .root -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "lettergate-lib.fullname" .root }}-{{ .service }}-migrate
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "lettergate-lib.labels" (dict "root" .root "component" "migration") | nindent 4 }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-weight: "0"
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  backoffLimit: 3
  activeDeadlineSeconds: {{ $values.migrations.timeoutSeconds }}
  template:
    metadata:
      labels: {{- include "lettergate-lib.labels" (dict "root" .root "component" "migration") | nindent 8 }}
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext: {{- include "lettergate-lib.podSecurityContext" . | nindent 8 }}
      {{- with include "lettergate-lib.scheduling" . }}
      {{- . | nindent 6 }}
      {{- end }}
      containers:
        - name: migrate
          image: {{ include "lettergate-lib.image" . | quote }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          args: [--max-old-space-size=256, main/src/migrate.ts]
          env:
            {{- include "lettergate-lib.databaseEnv" (dict "root" .root "variable" "MIGRATION_DATABASE_URL" "secret" $values.migrations.secretName "role" "lettergate_migrator") | nindent 12 }}
            - { name: MIGRATION_LOCK_TIMEOUT_MS, value: {{ $values.migrations.lockTimeoutMs | int64 | toString | quote }} }
          resources:
            requests: { cpu: 100m, memory: 128Mi }
            limits: { cpu: "1", memory: 512Mi }
          securityContext: {{- include "lettergate-lib.containerSecurityContext" . | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- if $authority }}
            - { name: database-authority, mountPath: /etc/lettergate/database, readOnly: true }
            {{- end }}
      volumes:
        - { name: tmp, emptyDir: { sizeLimit: 128Mi } }
        {{- if $authority }}
        {{- include "lettergate-lib.databaseVolume" .root | nindent 8 }}
        {{- end }}
{{- end -}}

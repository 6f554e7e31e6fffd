{{- /* What all pods of ours have in common: the restricted Pod Security level, and a root that is not written to. */ -}}
{{- define "berth.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "berth.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- /* Labels and annotations of a pod: list of root, component, its values. No version: what has not changed is not replaced. */ -}}
{{- define "berth.podMetadata" -}}
{{- $root := index . 0 -}}
{{- $values := index . 2 -}}
labels:
  {{- include "berth.selector" $root | nindent 2 }}
  app.kubernetes.io/component: {{ index . 1 }}
  app.kubernetes.io/part-of: berth
  {{- with $root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- if and $root.Values.metrics.enabled (has (index . 1) (list "server" "operator")) }}
  berth.dev/metrics: "true"
  {{- end }}
  {{- with $values.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with mustMergeOverwrite (dict) $root.Values.commonAnnotations $values.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* Where a pod runs: list of root, component, its values. */ -}}
{{- define "berth.podPlace" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index . 2 -}}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml $values.topologySpreadConstraints | nindent 2 }}
{{- else if hasKey $values "replicas" }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "berth.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $component }}
    # Of two versions during an update each spreads by itself.
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end -}}

{{- /* A container of Berth's own image: list of root, mode, its values. Variables and mounts follow. */ -}}
{{- define "berth.container" -}}
{{- $root := index . 0 -}}
{{- $values := index . 2 -}}
- name: {{ index . 1 }}
  image: {{ include "berth.image" $root }}
  imagePullPolicy: {{ $root.Values.image.pullPolicy }}
  args: [{{ index . 1 }}]
  securityContext:
    {{- include "berth.containerSecurity" $root | nindent 4 }}
  {{- with $values.resources }}
  resources:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "berth.temporaryVolume" -}}
- name: temporary
  emptyDir:
    sizeLimit: 256Mi
{{- end -}}

{{- define "berth.temporaryMount" -}}
- name: temporary
  mountPath: /tmp
{{- end -}}

{{- define "berth.traceVariables" -}}
{{- $root := index . 0 -}}
{{- with $root.Values.traces.endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
- name: OTEL_SERVICE_NAME
  value: berth-{{ index $ 1 }}
{{- end }}
{{- if and $root.Values.traces.endpoint $root.Values.traces.headers.name }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.traces.headers.name }}
      key: {{ $root.Values.traces.headers.key }}
{{- end }}
{{- end -}}

{{- define "berth.metricVariables" -}}
- name: BERTH_METRICS_PORT
  value: "9090"
- name: BERTH_METRICS_BIND
  value: 0.0.0.0
{{- end -}}

{{- define "berth.publicVariables" -}}
- name: BERTH_PUBLIC_URL
  value: {{ trimSuffix "/" .Values.publicUrl | quote }}
{{- with .Values.apps.scheme }}
- name: BERTH_APP_SCHEME
  value: {{ . }}
{{- end }}
{{- with .Values.apps.port }}
- name: BERTH_PUBLIC_PORT
  value: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "berth.scopeVariables" -}}
- name: BERTH_INSTALL_DEFINITIONS
  value: "false"
- name: BERTH_LEASE_NAMESPACE
  value: {{ .Release.Namespace }}
{{- with .Values.rbac.namespaces }}
- name: BERTH_NAMESPACES
  value: {{ join "," . | quote }}
{{- end }}
{{- end -}}

{{- /* The database, for a server and for a migration. */ -}}
{{- define "berth.databaseVariables" -}}
- name: DATABASE_URL_FILE
  value: /run/berth/database/url
{{- if or .Values.database.authority.configMap .Values.database.authority.secret }}
- name: BERTH_DATABASE_CA_FILE
  value: /run/berth/database/ca.crt
{{- end }}
{{- end -}}

{{- define "berth.databaseVolume" -}}
{{- $v := .Values.database -}}
- name: database
  projected:
    defaultMode: 0440
    sources:
      - secret:
          {{- if $v.trial.enabled }}
          name: {{ include "berth.databaseSecret" . }}
          items: [{key: url, path: url}]
          {{- else }}
          name: {{ $v.existingSecret.name }}
          items: [{key: {{ $v.existingSecret.key }}, path: url}]
          {{- end }}
      {{- with $v.authority.configMap }}
      - configMap:
          name: {{ . }}
          items: [{key: {{ $v.authority.key }}, path: ca.crt}]
      {{- end }}
      {{- with $v.authority.secret }}
      - secret:
          name: {{ . }}
          items: [{key: {{ $v.authority.key }}, path: ca.crt}]
      {{- end }}
{{- end -}}

{{- define "berth.databaseMount" -}}
- name: database
  mountPath: /run/berth/database
  readOnly: true
{{- end -}}

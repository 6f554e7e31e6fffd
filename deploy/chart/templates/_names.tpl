{{- define "berth.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- /* The beginning of every name: the release, with berth in it. 40 characters leave room for what a name says after it. */ -}}
{{- define "berth.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "berth.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "berth.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* Names of what is in no namespace carry the release's, so that two releases do not meet. */ -}}
{{- define "berth.clusterName" -}}
{{- if eq (include "berth.fullname" .) .Release.Namespace -}}
{{- include "berth.fullname" . -}}
{{- else -}}
{{- printf "%s-%s" .Release.Namespace (include "berth.fullname" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "berth.selector" -}}
app.kubernetes.io/name: {{ include "berth.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "berth.labels" -}}
{{ include "berth.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: berth
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* metadata of an object: list of root, the end of its name, its component, and more annotations. */ -}}
{{- define "berth.metadata" -}}
{{- $root := index . 0 -}}
{{- $suffix := index . 1 -}}
{{- $component := index . 2 -}}
{{- $own := dict -}}
{{- if gt (len .) 3 }}{{ $own = index . 3 }}{{ end -}}
name: {{ include "berth.fullname" $root }}{{ with $suffix }}-{{ . }}{{ end }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- include "berth.labels" $root | nindent 2 }}
  {{- with $component }}
  app.kubernetes.io/component: {{ . }}
  {{- end }}
{{- with mustMergeOverwrite (dict) $root.Values.commonAnnotations $own }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* The same for what is in no namespace. */ -}}
{{- define "berth.clusterMetadata" -}}
{{- $root := index . 0 -}}
name: {{ include "berth.clusterName" $root }}-{{ index . 1 }}
labels:
  {{- include "berth.labels" $root | nindent 2 }}
{{- with $root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "berth.keysSecret" -}}
{{ include "berth.fullname" . }}-keys
{{- end -}}

{{- define "berth.databaseSecret" -}}
{{ include "berth.fullname" . }}-database
{{- end -}}

{{- define "berth.internalUrl" -}}
https://{{ include "berth.fullname" . }}-internal.{{ .Release.Namespace }}.svc:8443
{{- end -}}

{{- /* The image of Berth. */ -}}
{{- define "berth.image" -}}
{{- with .Values.image -}}
{{- $name := printf "%s/%s" (trimSuffix "/" .registry) .repository -}}
{{- if .digest -}}
{{- printf "%s@%s" $name .digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default $.Chart.AppVersion .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "berth.publicHost" -}}
{{- (urlParse .Values.publicUrl).hostname -}}
{{- end -}}

{{- /* Whether the chart makes keys: something is not given by a Secret that is there. */ -}}
{{- define "berth.makesKeys" -}}
{{- $v := .Values -}}
{{- $administrator := and $v.administrator.email (not $v.administrator.existingSecret.name) -}}
{{- if or (not $v.secrets.masterKey.name) (not $v.secrets.internalCertificate.name) $administrator $v.database.trial.enabled }}true{{ end -}}
{{- end -}}

{{- /* What of the platform's host is the server's where the pages have a Deployment of their own. */ -}}
{{- define "berth.serverPaths" -}}
[/api, /livez, /readyz, /healthz]
{{- end -}}

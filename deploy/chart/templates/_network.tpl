{{- define "berth.peer" -}}
- podSelector:
    matchLabels:
      {{- include "berth.selector" (index . 0) | nindent 6 }}
      app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "berth.metricsIngress" -}}
# Metrics, and the probes of an operator. A node's probes are let in by every network plug-in.
- ports: [{protocol: TCP, port: 9090}]
  from:
    {{- if .Values.networkPolicy.metricsFrom }}
    {{- toYaml .Values.networkPolicy.metricsFrom | nindent 4 }}
    {{- else }}
    # Monitoring is in no team's namespace.
    - namespaceSelector:
        matchExpressions: [{key: berth.dev/team, operator: DoesNotExist}]
    {{- end }}
{{- end -}}

{{- define "berth.namesEgress" -}}
# Questions for names.
- ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
{{- end -}}

{{- define "berth.apiServerEgress" -}}
# The apiserver. It is no pod, so a policy can only name its addresses and ports.
- ports:
    {{- range .Values.networkPolicy.apiServer.ports }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
  {{- with .Values.networkPolicy.apiServer.cidrs }}
  to:
    {{- range . }}
    - ipBlock: {cidr: {{ . }}}
    {{- end }}
  {{- end }}
{{- end -}}

{{- define "berth.databaseEgress" -}}
# The database.
{{- if .Values.database.trial.enabled }}
- ports: [{protocol: TCP, port: 5432}]
  to:
    {{- include "berth.peer" (list . "postgres") | nindent 4 }}
{{- else }}
- ports: [{protocol: TCP, port: {{ .Values.database.port }}}]
{{- end }}
{{- end -}}

{{- /* What an address leads to, by its port: its host is a name, which no policy knows. */ -}}
{{- define "berth.urlEgress" -}}
{{- if . -}}
{{- $url := urlParse . -}}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) -}}
# {{ . }}
- ports: [{protocol: TCP, port: {{ $port | default (eq $url.scheme "https" | ternary "443" "80") }}}]
{{- end -}}
{{- end -}}

{{- /*
The ServiceAccount of a process and its rights: list of root and process. Everywhere by default; where rbac.namespaces are given, in these
alone, by a Role in each, and a ClusterRole names what it may read of what is in no namespace.
*/ -}}
{{- define "berth.processRights" -}}
{{- $root := index . 0 -}}
{{- $who := index . 1 -}}
{{- $account := printf "%s-%s" (include "berth.fullname" $root) $who -}}
{{- $v := index $root.Values $who -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "berth.metadata" (list $root $who $who $v.serviceAccountAnnotations) | nindent 2 }}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
---
# In the namespace of the release.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  {{- include "berth.metadata" (list $root $who $who) | nindent 2 }}
rules:
  {{- include (printf "berth.rules.%s.own" $who) $root | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- include "berth.metadata" (list $root $who $who) | nindent 2 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ $account }}}
subjects:
  - {kind: ServiceAccount, name: {{ $account }}, namespace: {{ $root.Release.Namespace }}}
{{- if $root.Values.rbac.namespaces }}
{{- range $namespace := $root.Values.rbac.namespaces }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ include "berth.clusterName" $root }}-{{ $who }}
  namespace: {{ $namespace }}
  labels:
    {{- include "berth.labels" $root | nindent 4 }}
rules:
  {{- include (printf "berth.rules.%s.teams" $who) $root | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ include "berth.clusterName" $root }}-{{ $who }}
  namespace: {{ $namespace }}
  labels:
    {{- include "berth.labels" $root | nindent 4 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ include "berth.clusterName" $root }}-{{ $who }}}
subjects:
  - {kind: ServiceAccount, name: {{ $account }}, namespace: {{ $root.Release.Namespace }}}
{{- end }}
{{- end }}
---
{{- if not $root.Values.rbac.namespaces }}
# In the namespaces of teams, which are made as teams come: RBAC can only say everywhere. The admission policy says the rest.
{{- end }}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  {{- include "berth.clusterMetadata" (list $root $who) | nindent 2 }}
rules:
  {{- if $root.Values.rbac.namespaces }}
  {{- include (printf "berth.rules.%s.confined" $who) $root | nindent 2 }}
  {{- else }}
  {{- include (printf "berth.rules.%s.teams" $who) $root | nindent 2 }}
  {{- include (printf "berth.rules.%s.cluster" $who) $root | nindent 2 }}
  {{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  {{- include "berth.clusterMetadata" (list $root $who) | nindent 2 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {{ include "berth.clusterName" $root }}-{{ $who }}}
subjects:
  - {kind: ServiceAccount, name: {{ $account }}, namespace: {{ $root.Release.Namespace }}}
{{- end -}}

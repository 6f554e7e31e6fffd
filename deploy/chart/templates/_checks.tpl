{{- /* What the schema cannot say, in words. Every message names the value and the way out. */ -}}
{{- define "berth.checks" -}}
{{- $v := .Values -}}
{{- if not $v.publicUrl -}}
{{- fail "\n\npublicUrl is missing: say how people will reach the platform, as in --set publicUrl=https://berth.example.com\n" -}}
{{- end -}}
{{- if not (regexMatch "^https?://[a-z0-9.-]+(:[0-9]+)?/?$" $v.publicUrl) -}}
{{- fail (printf "\n\npublicUrl is %q: it must be a scheme and a host in lower case, without a path, as in https://berth.example.com\n" $v.publicUrl) -}}
{{- end -}}
{{- if not $v.apps.domain -}}
{{- fail "\n\napps.domain is missing: apps will be at NAME.DOMAIN, as in --set apps.domain=apps.example.com (with a DNS record for *.apps.example.com)\n" -}}
{{- end -}}
{{- if not (regexMatch "^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$" $v.apps.domain) -}}
{{- fail (printf "\n\napps.domain is %q: it must be a domain in lower case without *, scheme or port, as in apps.example.com\n" $v.apps.domain) -}}
{{- end -}}
{{- $host := include "berth.publicHost" . -}}
{{- if eq $host $v.apps.domain -}}
{{- fail (printf "\n\napps.domain is the host of publicUrl (%s): apps must not share a host with the platform; use a domain of their own\n" $host) -}}
{{- end -}}
{{- if not (regexMatch "^(none|default-certificate|(secret|cluster-issuer):[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$" $v.apps.tls) -}}
{{- fail (printf "\n\napps.tls is %q: it must be default-certificate, secret:NAME, cluster-issuer:NAME or none\n" $v.apps.tls) -}}
{{- end -}}
{{- if not (has $v.apps.scheme (list "" "http" "https")) -}}
{{- fail (printf "\n\napps.scheme is %q: it must be http or https, or empty for that of publicUrl\n" $v.apps.scheme) -}}
{{- end -}}
{{- if and $v.database.trial.enabled $v.database.existingSecret.name -}}
{{- fail "\n\ndatabase.trial.enabled and database.existingSecret.name are both set: keep one. The trial database has no backup; with your own PostgreSQL set database.trial.enabled=false\n" -}}
{{- end -}}
{{- if not (or $v.database.trial.enabled $v.database.existingSecret.name) -}}
{{- fail "\n\nthere is no database: name the Secret with the address of your PostgreSQL (database.existingSecret.name), or take a single-node one for a trial (database.trial.enabled=true)\n" -}}
{{- end -}}
{{- if and $v.database.authority.configMap $v.database.authority.secret -}}
{{- fail "\n\ndatabase.authority.configMap and database.authority.secret are both set: keep the one that holds the certificate\n" -}}
{{- end -}}
{{- if and $v.ingress.enabled $v.gateway.enabled -}}
{{- fail "\n\ningress.enabled and gateway.enabled are both set: keep the one that your cluster routes by\n" -}}
{{- end -}}
{{- if and $v.gateway.enabled (not $v.gateway.parentRefs) -}}
{{- fail "\n\ngateway.enabled needs gateway.parentRefs: name your Gateway, as in --set gateway.parentRefs[0].name=public,gateway.parentRefs[0].namespace=gateways\n" -}}
{{- end -}}
{{- if and $v.administrator.existingSecret.name (not $v.administrator.email) -}}
{{- fail "\n\nadministrator.existingSecret holds a password for nobody: set administrator.email too\n" -}}
{{- end -}}
{{- if and $v.administrator.email (not (regexMatch "^[^@\\s]+@[^@\\s]+$" $v.administrator.email)) -}}
{{- fail (printf "\n\nadministrator.email is %q: it must be an e-mail address, as in you@example.com\n" $v.administrator.email) -}}
{{- end -}}
{{- range $name, $address := dict "server.routerMetricsUrl" $v.server.routerMetricsUrl "traces.endpoint" $v.traces.endpoint -}}
{{- if and $address (not (regexMatch "^https?://[^/\\s]+" $address)) -}}
{{- fail (printf "\n\n%s is %q: it must begin with http:// or https://\n" $name $address) -}}
{{- end -}}
{{- end -}}
{{- range $v.server.trustedProxies -}}
{{- if not (regexMatch "^[0-9a-fA-F.:]*[.:][0-9a-fA-F.:]*(/[0-9]+)?$" .) -}}
{{- fail (printf "\n\nserver.trustedProxies names %q: it must be an address or a network, as in 10.244.0.0/16\n" .) -}}
{{- end -}}
{{- end -}}
{{- if not (regexMatch "^[0-9]+(\\.[0-9]+)?([KMGTPE]i|[kMGTPE])?$" $v.database.trial.storage) -}}
{{- fail (printf "\n\ndatabase.trial.storage is %q: it must be a size as Kubernetes writes it, as in 8Gi\n" $v.database.trial.storage) -}}
{{- end -}}
{{- if not (regexMatch "^[^:/\\s]+(:[0-9]+)?(/[^:/\\s]+)*$" $v.image.registry) -}}
{{- fail (printf "\n\nimage.registry is %q: it must be a host, with a path if need be, without a scheme and without / at its end, as in registry.example.com/berth\n" $v.image.registry) -}}
{{- end -}}
{{- if and $v.image.digest (not (regexMatch "^sha256:[0-9a-f]{64}$" $v.image.digest)) -}}
{{- fail (printf "\n\nimage.digest is %q: it must be sha256: and 64 hexadecimal digits\n" $v.image.digest) -}}
{{- end -}}
{{- range $key := list "server" "operator" "web" -}}
{{- $one := index $v $key -}}
{{- if lt (int $one.replicas) 1 -}}
{{- fail (printf "\n\n%s.replicas is %v: at least one must run. To stop Berth for a while scale its Deployments down with kubectl\n" $key $one.replicas) -}}
{{- end -}}
{{- end -}}
{{- if gt (int $v.database.connections) 0 -}}
{{- if lt (int $v.database.connections) 3 -}}
{{- fail (printf "\n\ndatabase.connections is %v: a server needs at least 3\n" $v.database.connections) -}}
{{- end -}}
{{- end -}}
{{- range $v.rbac.namespaces -}}
{{- if and (ne . $.Release.Namespace) (not (hasPrefix "berth-" .)) -}}
{{- fail (printf "\n\nrbac.namespaces names %s: the namespace of a team is berth- and its id, which \"berth teams\" shows\n" .) -}}
{{- end -}}
{{- end -}}
{{- if has .Release.Namespace $v.rbac.namespaces -}}
{{- fail (printf "\n\nrbac.namespaces names %s, the namespace of the release: teams must not run beside Berth itself\n" .Release.Namespace) -}}
{{- end -}}
{{- /* A Secret that is not there would keep the Job of the migration, or a pod, waiting without a word until helm gives up. */ -}}
{{- if lookup "v1" "Namespace" "" .Release.Namespace -}}
{{- $given := dict "database.existingSecret" $v.database.existingSecret "administrator.existingSecret" $v.administrator.existingSecret -}}
{{- $given = merge $given (dict "secrets.masterKey" $v.secrets.masterKey "traces.headers" $v.traces.headers) -}}
{{- range $value, $one := $given -}}
{{- if $one.name -}}
{{- $secret := lookup "v1" "Secret" $.Release.Namespace $one.name -}}
{{- if not $secret -}}
{{- fail (printf "\n\n%s.name is %s, and there is no such Secret in the namespace %s: make it first, with the key %s\n" $value $one.name $.Release.Namespace $one.key) -}}
{{- end -}}
{{- if not (hasKey ($secret.data | default dict) $one.key) -}}
{{- fail (printf "\n\nthe Secret %s has no key %s: add it, or name the one that it has in %s.key\n" $one.name $one.key $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq $v.secrets.delivery "built-in" -}}
{{- $present := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "externalsecrets.external-secrets.io" -}}
{{- if and $present $v.definitions.install -}}
{{- $name := dig "metadata" "labels" "app.kubernetes.io/name" "" $present -}}
{{- $marked := dig "metadata" "annotations" "berth.dev/definition-version" "" $present -}}
{{- if and (ne $name (include "berth.name" .)) (not $marked) -}}
{{- fail "\n\nExternal Secrets is installed in this cluster, and two controllers must not make the same Secrets: set secrets.delivery=external-secrets\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range (lookup "rbac.authorization.k8s.io/v1" "ClusterRole" "" "").items -}}
{{- $part := dig "metadata" "labels" "app.kubernetes.io/part-of" "" . -}}
{{- $release := dig "metadata" "annotations" "meta.helm.sh/release-name" "" . -}}
{{- $namespace := dig "metadata" "annotations" "meta.helm.sh/release-namespace" "" . -}}
{{- $same := and (eq $release $.Release.Name) (eq $namespace $.Release.Namespace) -}}
{{- if and (eq $part "berth") $release (not $same) -}}
{{- range .rules -}}
{{- if has "userdeployments" .resources -}}
{{- fail (printf "\n\nBerth is installed in this cluster already, as %s in the namespace %s, and works in all namespaces: two would undo what the other does. Upgrade that one, or confine both to namespaces of their own (rbac.namespaces)\n" $release $namespace) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

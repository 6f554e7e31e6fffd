package main

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	netv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// child is one object to be there, and how its wanted fields are set on what is there.
type child struct {
	object client.Object
	set    func()
}

const filesVolume = "berth--files"

var (
	privateIPv4 = []string{"10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"}
	privateIPv6 = []string{"::1/128", "fc00::/7", "fe80::/10"}
)

func labelsOf(deployment, service string) map[string]string {
	labels := map[string]string{"berth.dev/deployment": deployment, "app.kubernetes.io/managed-by": "peer"}
	if service != "" {
		labels["berth.dev/service"] = service
	}
	return labels
}

func selectorOf(deployment, service string) map[string]string {
	labels := labelsOf(deployment, service)
	delete(labels, "app.kubernetes.io/managed-by")
	return labels
}

// childrenOf lists what one deployment wants in the order in which Berth's operator makes it.
func childrenOf(namespace, name string, spec spec) []child {
	children := []child{policyOf(namespace, name, spec)}
	for _, service := range spec.Services {
		at := metav1.ObjectMeta{Namespace: namespace, Name: name + "-" + service.Name}
		if len(service.Files) > 0 {
			children = append(children, configMapOf(at, name, service))
		}
		children = append(children, serviceOf(at, name, service))
		// As ours: what is stopped from the start is not made.
		if spec.Desired != "stopped" {
			children = append(children, deploymentOf(at, name, service))
		}
	}
	if len(spec.Exposure) > 0 {
		children = append(children, ingressOf(namespace, name, spec))
	}
	return children
}

func policyOf(namespace, name string, spec spec) child {
	policy := &netv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	tcp, udp, dns := corev1.ProtocolTCP, corev1.ProtocolUDP, intstr.FromInt32(53)
	ours := netv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: selectorOf(name, "")}}
	outside := netv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "berth.dev/team", Operator: metav1.LabelSelectorOpDoesNotExist}},
	}}
	var exposed []netv1.NetworkPolicyPort
	for _, exposure := range spec.Exposure {
		for _, service := range spec.Services {
			if service.Name == exposure.Service && len(service.Ports) > 0 {
				port := intstr.FromInt32(service.Ports[0].Port)
				exposed = append(exposed, netv1.NetworkPolicyPort{Protocol: &tcp, Port: &port})
			}
		}
	}
	return child{policy, func() {
		policy.Labels = labelsOf(name, "")
		policy.Spec = netv1.NetworkPolicySpec{
			PodSelector: *ours.PodSelector,
			PolicyTypes: []netv1.PolicyType{netv1.PolicyTypeIngress, netv1.PolicyTypeEgress},
			Ingress:     []netv1.NetworkPolicyIngressRule{{From: []netv1.NetworkPolicyPeer{ours}}, {From: []netv1.NetworkPolicyPeer{outside}, Ports: exposed}},
			Egress: []netv1.NetworkPolicyEgressRule{
				{To: []netv1.NetworkPolicyPeer{ours}},
				{Ports: []netv1.NetworkPolicyPort{{Protocol: &udp, Port: &dns}, {Protocol: &tcp, Port: &dns}}},
				{To: []netv1.NetworkPolicyPeer{
					{IPBlock: &netv1.IPBlock{CIDR: "0.0.0.0/0", Except: privateIPv4}},
					{IPBlock: &netv1.IPBlock{CIDR: "::/0", Except: privateIPv6}},
				}},
			},
		}
	}}
}

func configMapOf(at metav1.ObjectMeta, deployment string, service service) child {
	files := &corev1.ConfigMap{ObjectMeta: at}
	return child{files, func() {
		files.Labels = labelsOf(deployment, service.Name)
		files.Data = map[string]string{}
		for _, file := range service.Files {
			files.Data[file.key()] = file.Content
		}
	}}
}

func serviceOf(at metav1.ObjectMeta, deployment string, service service) child {
	object := &corev1.Service{ObjectMeta: at}
	return child{object, func() {
		object.Labels = labelsOf(deployment, service.Name)
		object.Spec.Selector = selectorOf(deployment, service.Name)
		object.Spec.Ports = nil
		for _, port := range service.Ports {
			object.Spec.Ports = append(object.Spec.Ports, corev1.ServicePort{
				Name: port.Name, Port: port.Port, TargetPort: intstr.FromString(port.Name), Protocol: corev1.ProtocolTCP,
			})
		}
	}}
}

func deploymentOf(at metav1.ObjectMeta, deployment string, service service) child {
	object := &appsv1.Deployment{ObjectMeta: at}
	one, history, deadline, zero, surge := int32(1), int32(3), int32(900), intstr.FromInt32(0), intstr.FromInt32(1)
	return child{object, func() {
		object.Labels = labelsOf(deployment, service.Name)
		spec := &object.Spec
		spec.Replicas, spec.RevisionHistoryLimit, spec.ProgressDeadlineSeconds = &one, &history, &deadline
		spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
		spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxUnavailable: &zero, MaxSurge: &surge}
		spec.Selector = &metav1.LabelSelector{MatchLabels: selectorOf(deployment, service.Name)}
		spec.Template.Labels = labelsOf(deployment, service.Name)
		setPod(&spec.Template.Spec, at.Name, service)
	}}
}

// setPod leaves the server's defaults where they are: to overwrite them would be an update on every look.
func setPod(pod *corev1.PodSpec, configMap string, service service) {
	yes, no, grace, group := true, false, int64(33), int64(10001)
	onMismatch := corev1.FSGroupChangeOnRootMismatch
	runtimeDefault := &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	pod.AutomountServiceAccountToken, pod.EnableServiceLinks, pod.TerminationGracePeriodSeconds = &no, &no, &grace
	pod.SecurityContext = &corev1.PodSecurityContext{
		RunAsNonRoot: &yes, SeccompProfile: runtimeDefault, FSGroup: &group, FSGroupChangePolicy: &onMismatch,
	}
	if len(pod.Containers) == 0 {
		pod.Containers = make([]corev1.Container, 1)
	}
	container := &pod.Containers[0]
	container.Name, container.Image, container.Env, container.Ports = service.Name, service.Image, nil, nil
	for _, variable := range service.Env {
		container.Env = append(container.Env, corev1.EnvVar{Name: variable.Name, Value: variable.Value})
	}
	for _, port := range service.Ports {
		container.Ports = append(container.Ports, corev1.ContainerPort{Name: port.Name, ContainerPort: port.Port, Protocol: corev1.ProtocolTCP})
	}
	if len(service.Ports) > 0 {
		if container.ReadinessProbe == nil {
			container.ReadinessProbe = &corev1.Probe{}
		}
		if container.ReadinessProbe.HTTPGet == nil {
			container.ReadinessProbe.HTTPGet = &corev1.HTTPGetAction{}
		}
		probe := container.ReadinessProbe.HTTPGet
		probe.Path, probe.Port = "/", intstr.FromString(service.Ports[0].Name)
		container.Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 3}}}
	}
	container.Resources = service.Resources
	container.SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: &no, RunAsNonRoot: &yes, SeccompProfile: runtimeDefault,
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
	if len(service.Files) == 0 {
		return
	}
	container.VolumeMounts = nil
	for _, file := range service.Files {
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{
			Name: filesVolume, MountPath: file.Path, SubPath: file.key(), ReadOnly: true,
		})
	}
	if len(pod.Volumes) == 0 {
		pod.Volumes = make([]corev1.Volume, 1)
	}
	volume := &pod.Volumes[0]
	volume.Name = filesVolume
	if volume.ConfigMap == nil {
		volume.ConfigMap = &corev1.ConfigMapVolumeSource{}
	}
	volume.ConfigMap.Name = configMap
}

func ingressOf(namespace, name string, spec spec) child {
	ingress := &netv1.Ingress{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	prefix := netv1.PathTypePrefix
	return child{ingress, func() {
		ingress.Labels = labelsOf(name, "")
		ingress.Spec.Rules = nil
		for _, exposure := range spec.Exposure {
			backend := netv1.IngressBackend{Service: &netv1.IngressServiceBackend{
				Name: name + "-" + exposure.Service, Port: netv1.ServiceBackendPort{Name: exposure.Port},
			}}
			ingress.Spec.Rules = append(ingress.Spec.Rules, netv1.IngressRule{Host: exposure.Host, IngressRuleValue: netv1.IngressRuleValue{
				HTTP: &netv1.HTTPIngressRuleValue{Paths: []netv1.HTTPIngressPath{{Path: "/", PathType: &prefix, Backend: backend}}},
			}})
		}
	}}
}

// An operator as it is usually written in Go, to compare ours with: README.md.
//
//	peer -kubeconfig FILE [-concurrency 8] [-qps 1000]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	netv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var userDeployment = schema.GroupVersionKind{Group: "berth.dev", Version: "v1alpha1", Kind: "UserDeployment"}

// What of the custom resource is read.
type spec struct {
	Desired  string     `json:"desired"`
	Services []service  `json:"services"`
	Exposure []exposure `json:"exposure"`
}

type service struct {
	Name      string                      `json:"name"`
	Image     string                      `json:"image"`
	Ports     []port                      `json:"ports"`
	Env       []variable                  `json:"env"`
	Files     []file                      `json:"files"`
	Resources corev1.ResourceRequirements `json:"resources"`
}

type port struct {
	Name string `json:"name"`
	Port int32  `json:"port"`
}

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type file struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (f file) key() string { return path.Base(f.Path) }

type exposure struct {
	Host    string `json:"host"`
	Service string `json:"service"`
	Port    string `json:"port"`
}

type status struct {
	Conditions []metav1.Condition `json:"conditions"`
}

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	owner := &unstructured.Unstructured{}
	owner.SetGroupVersionKind(userDeployment)
	if err := r.Get(ctx, request.NamespacedName, owner); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var wanted spec
	var seen status
	if err := read(owner.Object["spec"], &wanted); err != nil {
		return ctrl.Result{}, err
	}
	if err := read(owner.Object["status"], &seen); err != nil {
		return ctrl.Result{}, err
	}
	if owner.GetDeletionTimestamp() != nil || !meta.IsStatusConditionTrue(seen.Conditions, "Admitted") {
		return ctrl.Result{}, nil
	}
	ready := metav1.ConditionTrue
	for _, child := range childrenOf(request.Namespace, request.Name, wanted) {
		_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child.object, func() error {
			child.set()
			return controllerutil.SetControllerReference(owner, child.object, r.Scheme())
		})
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			return ctrl.Result{Requeue: true}, nil
		}
		if err != nil {
			return ctrl.Result{}, err
		}
		if deployment, ok := child.object.(*appsv1.Deployment); ok && deployment.Status.ReadyReplicas != *deployment.Spec.Replicas {
			ready = metav1.ConditionFalse
		}
	}
	changed := meta.SetStatusCondition(&seen.Conditions, metav1.Condition{
		Type: "Ready", Status: ready, Reason: "Reconciled", Message: "children applied", ObservedGeneration: owner.GetGeneration(),
	})
	if !changed {
		return ctrl.Result{}, nil
	}
	before := owner.DeepCopy()
	var conditions []any
	if err := read(seen.Conditions, &conditions); err != nil {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedSlice(owner.Object, conditions, "status", "conditions"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Patch(ctx, owner, client.MergeFrom(before))
}

// read turns one shape into another by way of JSON.
func read(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

func main() {
	concurrency := flag.Int("concurrency", 8, "reconciles at the same time")
	qps := flag.Float64("qps", 1000, "requests a second that the client allows itself")
	flag.Parse() // controller-runtime adds -kubeconfig
	ctrl.SetLogger(zap.New(zap.UseDevMode(false)))
	config, err := clientcmd.BuildConfigFromFlags("", flag.Lookup("kubeconfig").Value.String())
	fatal(err)
	config.QPS, config.Burst = float32(*qps), int(*qps)*2
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	fatal(err)
	owner := &unstructured.Unstructured{}
	owner.SetGroupVersionKind(userDeployment)
	fatal(ctrl.NewControllerManagedBy(manager).For(owner).
		Owns(&appsv1.Deployment{}).Owns(&corev1.Service{}).Owns(&netv1.Ingress{}).Owns(&corev1.ConfigMap{}).Owns(&netv1.NetworkPolicy{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: *concurrency}).
		Named("peer").Complete(&reconciler{manager.GetClient()}))
	fatal(manager.Start(ctrl.SetupSignalHandler()))
}

func fatal(err error) {
	if err != nil {
		ctrl.Log.Error(err, "stopped")
		os.Exit(1)
	}
}

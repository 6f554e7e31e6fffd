import type { KubeObject } from '../../../schema/object.ts';
import type { StoreView } from '../../store/store.ts';
import type { AdmissionPlugin } from './admission.ts';

const STORAGE_DEFAULT = 'storageclass.kubernetes.io/is-default-class';
const INGRESS_DEFAULT = 'ingressclass.kubernetes.io/is-default-class';

/** A claim or an Ingress that names no class gets the default one, if there is one. */
export const defaultClasses: AdmissionPlugin = {
  name: 'DefaultStorageClass, DefaultIngressClass',
  mutate(kind, object, old, { view }) {
    if (old) return;
    if (kind.plural !== 'persistentvolumeclaims' && kind.plural !== 'ingresses') return;
    object.spec ??= {};
    const spec = object.spec as { storageClassName?: string; ingressClassName?: string };
    if (kind.plural === 'persistentvolumeclaims' && kind.group === '' && spec.storageClassName === undefined) {
      const name = newestDefault(view, 'storageclasses.storage.k8s.io', STORAGE_DEFAULT);
      if (name) spec.storageClassName = name;
    }
    if (kind.plural === 'ingresses' && kind.group === 'networking.k8s.io' && spec.ingressClassName === undefined) {
      if (object.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined) return;
      const name = newestDefault(view, 'ingressclasses.networking.k8s.io', INGRESS_DEFAULT);
      if (name) spec.ingressClassName = name;
    }
  },
};

/** With several defaults the newest counts. */
function newestDefault(view: StoreView, resource: string, annotation: string): string | undefined {
  const defaults = view
    .list(resource)
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.annotations?.[annotation] === 'true');
  return defaults.sort(newestFirst)[0]?.metadata.name;
}

function newestFirst(left: KubeObject, right: KubeObject): number {
  const [a, b] = [left.metadata.creationTimestamp ?? '', right.metadata.creationTimestamp ?? ''];
  if (a !== b) return a < b ? 1 : -1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

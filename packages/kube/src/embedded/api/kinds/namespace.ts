import { NAMESPACE } from '../../../schema/resources.ts';
import type { Kind } from '../kind.ts';
import { dnsLabel } from '../validation/names.ts';
import { at, defineKind, text } from './define.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';

export const namespace: Kind = defineKind(NAMESPACE, {
  schema: 'io.k8s.api.core.v1.Namespace',
  status: true,
  shortNames: ['ns'],
  returnsDeleted: true,
  // A whole collection of namespaces cannot be deleted at once: a real server has no such verb either.
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  others: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }],
  columns: [text('Status', (object) => at(object, 'status', 'phase'))],
  selectable: (object) => ({ 'status.phase': String(at(object, 'status', 'phase') ?? '') }),
  strategy: {
    name: dnsLabel,
    defaults: (object) => {
      if (object.metadata.name)
        object.metadata.labels = { ...object.metadata.labels, [NAME_LABEL]: object.metadata.name };
    },
    prepareForCreate: (object) => {
      // Holds the namespace until its contents are gone; the namespace controller takes it off.
      const finalizers = (at(object, 'spec', 'finalizers') as string[] | undefined) ?? [];
      object.spec = { finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'] };
      object.status = { phase: 'Active' };
    },
    prepareForUpdate: (object, old) => {
      // Only the finalize subresource changes these.
      object.spec = old.spec;
    },
  },
});

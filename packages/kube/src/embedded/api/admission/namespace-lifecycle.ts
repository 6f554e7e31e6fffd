import { KubeError } from '../../../schema/status.ts';
import { forbidden, notFound, resourceName } from '../errors.ts';
import type { AdmissionPlugin } from './admission.ts';

const NAMESPACES = { group: '', plural: 'namespaces' };

/** Nothing is made in a namespace that is not there or that is going. */
export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  validate(kind, object, old, { view }) {
    const { namespace, name } = object.metadata;
    if (old || !kind.namespaced || !namespace || kind.answer) return;
    const record = view.get({ resource: 'namespaces', namespace: '', name: namespace });
    if (!record) throw notFound(NAMESPACES, namespace);
    if (!record.object.metadata.deletionTimestamp) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const { message, status } = forbidden(kind, name, why);
    const causes = [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ];
    throw new KubeError(403, 'Forbidden', message, {
      ...status.details,
      kind: resourceName({ group: '', plural: kind.plural }),
      causes,
    });
  },
};

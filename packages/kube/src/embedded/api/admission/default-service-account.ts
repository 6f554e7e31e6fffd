import { forbidden } from '../errors.ts';
import type { AdmissionPlugin } from './admission.ts';

/** A pod runs as somebody: `default` when it does not say. */
export const defaultServiceAccount: AdmissionPlugin = {
  name: 'ServiceAccount',
  mutate(kind, object, old, { view }) {
    if (kind.group !== '' || kind.plural !== 'pods' || old) return;
    const spec = object.spec as { serviceAccountName?: string; serviceAccount?: string };
    spec.serviceAccountName ||= 'default';
    spec.serviceAccount = spec.serviceAccountName;
    const { namespace = '', name } = object.metadata;
    const account = spec.serviceAccountName;
    if (view.get({ resource: 'serviceaccounts', namespace, name: account })) return;
    throw forbidden(
      kind,
      name,
      `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`,
    );
  },
};

import type { KubeObject } from '../../../schema/object.ts';
import type { Kind, RuleContext } from '../kind.ts';

/** What stands between a valid wish and the store: plugins that fill in or refuse. Each one has a file of its own. */
export interface Admission {
  /** May change `object`. `old` is absent for a create. */
  mutate(kind: Kind, object: KubeObject, old: KubeObject | undefined, context: RuleContext): void;
  /** Throws a KubeError to refuse. */
  validate(kind: Kind, object: KubeObject, old: KubeObject | undefined, context: RuleContext): void;
}

export interface AdmissionPlugin extends Partial<Admission> {
  name: string;
}

export function createAdmission(plugins: AdmissionPlugin[]): Admission {
  return {
    mutate: (kind, object, old, context) => {
      for (const plugin of plugins) plugin.mutate?.(kind, object, old, context);
    },
    validate: (kind, object, old, context) => {
      for (const plugin of plugins) plugin.validate?.(kind, object, old, context);
    },
  };
}

/** A rule of Kubernetes RBAC with the reason why somebody needs it: `npm run gen` puts both into the chart. */
export interface PolicyRule {
  apiGroups: readonly string[];
  resources: readonly string[];
  verbs: readonly string[];
  /** Only these objects. A `create` is held to a name only where it is the create of a server-side apply. */
  resourceNames?: readonly string[];
  reason: string;
  /** Not where External Secrets delivers. */
  onlyBuiltInDelivery?: true;
  /** Only the objects that are named as the namespaces of teams. */
  namedAsTeams?: true;
}

/** The rights of a process by where they hold. */
export interface Rights {
  /** In the namespaces of teams: everywhere, or in those that an installation is confined to. */
  teams: readonly PolicyRule[];
  /** On what is in no namespace. */
  cluster: readonly PolicyRule[];
  /** The same where an installation is confined to namespaces. */
  confined: readonly PolicyRule[];
  /** In the namespace of the release. */
  own: readonly PolicyRule[];
}

export const READ = ['get', 'list', 'watch'] as const;
/** Server-side apply is a patch, and a create where nothing is yet. */
export const APPLY = ['create', 'patch'] as const;

export function rule(
  what: readonly [group: string, ...resources: string[]],
  verbs: readonly string[],
  reason: string,
): PolicyRule {
  const [group, ...resources] = what;
  return { apiGroups: [group], resources, verbs, reason };
}

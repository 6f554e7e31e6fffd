import type { RuleContext } from '../kind.ts';
import { timestamp } from '../rules/rules.ts';
import type { Definition, DefinitionCondition, DefinitionNames } from './definition.ts';

/**
 * Two conditions decide whether a definition is served: its names must be free in its group (`NamesAccepted`), then it is
 * `Established`. A real server does this in controllers a moment later; here it is part of the write, so that a definition that was
 * answered is a definition that is served.
 */
export function acceptNames(definition: Definition, context: RuleContext): void {
  const { names, group } = definition.spec;
  if (!names) return;
  const others = context.view
    .list('customresourcedefinitions.apiextensions.k8s.io')
    .map(({ object }) => object as Definition)
    .filter(({ spec, metadata }) => spec.group === group && metadata.name !== definition.metadata.name)
    .map(({ status }) => status.acceptedNames);
  const clash = findClash(names, others);
  const { status } = definition;
  if (!clash) status.acceptedNames = structuredClone(names);
  setCondition(
    definition,
    context,
    clash
      ? { type: 'NamesAccepted', status: 'False', ...clash }
      : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  );
}

export function establish(definition: Definition, context: RuleContext): void {
  const { conditions } = definition.status;
  if (isTrue(conditions, 'Established')) return;
  const accepted = isTrue(conditions, 'NamesAccepted');
  setCondition(definition, context, {
    type: 'Established',
    status: accepted ? 'True' : 'False',
    reason: accepted ? 'InitialNamesAccepted' : 'NotAccepted',
    message: accepted ? 'the initial names have been accepted' : 'not all names are accepted',
  });
}

export function isTrue(conditions: DefinitionCondition[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

function findClash(names: DefinitionNames, others: DefinitionNames[]): { reason: string; message: string } | undefined {
  const taken = new Set(
    others.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...(shortNames ?? [])]),
  );
  const kinds = new Set(others.flatMap(({ kind, listKind }) => [kind, listKind]));
  if (taken.has(names.plural))
    return { reason: 'PluralConflict', message: `${JSON.stringify(names.plural)} is already in use` };
  if (names.singular && taken.has(names.singular))
    return { reason: 'SingularConflict', message: `${JSON.stringify(names.singular)} is already in use` };
  const short = names.shortNames?.find((name) => taken.has(name));
  if (short) return { reason: 'ShortNamesConflict', message: `${JSON.stringify(short)} is already in use` };
  if (kinds.has(names.kind))
    return { reason: 'KindConflict', message: `${JSON.stringify(names.kind)} is already in use` };
  if (names.listKind && kinds.has(names.listKind))
    return { reason: 'ListKindConflict', message: `${JSON.stringify(names.listKind)} is already in use` };
  return undefined;
}

export function setCondition(
  definition: Definition,
  { now }: Pick<RuleContext, 'now'>,
  wanted: Omit<DefinitionCondition, 'lastTransitionTime'>,
): void {
  const { conditions } = definition.status;
  const index = conditions.findIndex(({ type }) => type === wanted.type);
  const known = conditions[index];
  const lastTransitionTime = known && known.status === wanted.status ? known.lastTransitionTime : timestamp(now);
  const condition = {
    type: wanted.type,
    status: wanted.status,
    lastTransitionTime,
    reason: wanted.reason,
    message: wanted.message,
  };
  if (index < 0) conditions.push(condition);
  else conditions[index] = condition;
}

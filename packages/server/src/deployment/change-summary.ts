import { type Comparison, compareRevisions, type Difference, type Topic } from './revision-changes.ts';

const NAMES_TOLD = 5;

/** What changed, in words, such as `version 1.1.0, title and adminPassword changed`. Names only: never a value. */
export function changeSummary(comparison: Comparison): string {
  const differences = compareRevisions(comparison);
  const of = (...topics: Topic[]) => differences.filter(({ topic }) => topics.includes(topic));
  const parts: string[] = [];
  for (const { after } of of('version')) if (after !== undefined) parts.push(`version ${after}`);
  const named = of('displayName', 'value').map(({ topic, name }) => (topic === 'displayName' ? 'display name' : name));
  if (named.length > 0) parts.push(`${enumerate(named)} changed`);
  for (const { after } of of('address')) parts.push(after === undefined ? 'address given up' : `address ${after}`);
  for (const { name, before, after } of of('alias')) parts.push(aliasChange(name, before, after));
  for (const { after } of of('state')) parts.push(after === 'stopped' ? 'stopped' : 'started');
  for (const { after } of of('paused')) parts.push(after === 'paused' ? 'paused' : 'resumed');
  // The services follow from the version and the values; they are told where no form says what changed: an edit with kubectl.
  if (of('version', 'value', 'address').length === 0)
    parts.push(...workloadParts(of('workload', 'replicas', 'setting')));
  return parts.length > 0 ? parts.join(', ') : 'settings changed';
}

function aliasChange(name: string, before: string | undefined, after: string | undefined): string {
  if (before === undefined) return `alias ${name} added`;
  return after === undefined ? `alias ${name} removed` : `alias ${name} changed`;
}

function workloadParts(differences: readonly Difference[]): string[] {
  const [scaled, others] = [true, false].map((wanted) =>
    differences.filter(({ topic }) => (topic === 'replicas') === wanted),
  ) as [Difference[], Difference[]];
  const added = others.filter(({ topic }) => topic === 'workload');
  const fields = others.filter(({ topic }) => topic !== 'workload');
  return [
    ...added.map(({ field, name, before }) => `${field} ${name} ${before === undefined ? 'added' : 'removed'}`),
    ...scaled.map(({ name, after }) => `${name} scaled to ${after}`),
    ...fieldsInWords(fields).map((words) => `${words} changed`),
  ];
}

/** Such as `image and environment TITLE of web`, one text for each service. */
export function fieldsInWords(differences: readonly Difference[]): string[] {
  const fields = new Map<string, Set<string>>();
  for (const { subject, field } of differences) {
    fields.set(subject, (fields.get(subject) ?? new Set()).add(field));
  }
  return [...fields].map(([subject, names]) => {
    const of = subject === 'Deployment' ? '' : ` of ${subject.replace(/^Job /, '')}`;
    return `${enumerate([...names])}${of}`;
  });
}

function enumerate(names: readonly string[]): string {
  const told = names.slice(0, NAMES_TOLD);
  const more = names.length - told.length;
  if (more > 0) return `${told.join(', ')} and ${more} more`;
  return told.length === 1 ? `${told[0]}` : `${told.slice(0, -1).join(', ')} and ${told.at(-1)}`;
}

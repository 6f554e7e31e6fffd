import type { Difference } from './differences.ts';

/** A difference that is meant, or that costs more than it is worth. `case`, `step` and `path` may end in `*`. */
export interface KnownDifference {
  area: string;
  case: string;
  step: string;
  path: string;
  reason: string;
}

const WORDS = "the same refusal in other words: those of Go's JSON decoder and of packages inside Kubernetes";
const STATUS = 'refused with 400 where the real one says 422 or 500; nobody branches on it';
const PAGE = 'a path that leads nowhere is answered by a Status, which clients read, rather than by a line of text';

const ZEROS = 'counts of zero are written out';

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  { area: 'apply', case: 'an apply that is not one', step: 'of another kind', path: 'body.message', reason: WORDS },
  { area: 'apply', case: 'an apply that is not one', step: 'without a kind', path: 'body.message', reason: WORDS },
  { area: 'patch', case: 'a merge patch', step: 'that is no object', path: 'body.message', reason: WORDS },
  { area: 'patch', case: 'a merge patch', step: 'that is no JSON', path: 'body.message', reason: WORDS },
  { area: 'validation', case: 'a body that cannot be read', step: 'not JSON', path: 'body.message', reason: WORDS },
  { area: 'validation', case: 'a body that cannot be read', step: 'empty', path: 'body.message', reason: WORDS },
  { area: 'validation', case: 'a body that cannot be read', step: 'a list', path: 'body.message', reason: WORDS },
  {
    area: 'validation',
    case: 'a body that cannot be read',
    step: 'another version',
    path: 'body.message',
    reason: WORDS,
  },
  {
    area: 'validation',
    case: 'names, labels and annotations that are none',
    step: 'a namespace',
    path: 'body.*',
    reason: WORDS,
  },
  {
    area: 'validation',
    case: 'jobs, services and routes that make no sense',
    step: 'a schedule',
    path: 'body.*',
    reason: WORDS,
  },
  { area: 'validation', case: 'too much', step: 'a replace without a name', path: 'body.message', reason: WORDS },
  { area: 'selectors', case: 'labels select', step: 'app in (x', path: 'body.message', reason: WORDS },
  { area: 'selectors', case: 'fields select', step: 'by a field of others', path: 'body.message', reason: WORDS },
  {
    area: 'selectors',
    case: 'a long list comes in pages',
    step: 'a token that is none',
    path: 'body.message',
    reason: WORDS,
  },
  {
    area: 'selectors',
    case: 'a long list comes in pages',
    step: 'a limit that is none',
    path: 'body.message',
    reason: WORDS,
  },
  { area: 'definitions', case: 'a definition becomes served', step: 'without a schema', path: 'body.*', reason: WORDS },
  {
    area: 'leases',
    case: 'one of two takes it',
    step: 'with a time that is none',
    path: 'body.message',
    reason: WORDS,
  },
  { area: 'crud', case: 'what must not change does not', step: 'an address', path: 'body.*', reason: WORDS },
  {
    area: 'workloads',
    case: 'a service without pods has a slice without endpoints',
    step: 'outside the range',
    path: 'body.*',
    reason: WORDS,
  },
  {
    area: 'crud',
    case: 'a delete is of the very object',
    step: 'another version',
    path: 'body.message',
    reason: WORDS,
  },
  { area: 'watch', case: 'a version that is no more', step: 'of nobody', path: 'all', reason: STATUS },
  {
    area: 'deletion',
    case: 'a deployment takes its replica sets along, a job by default does not',
    step: 'with an unknown way',
    path: 'all',
    reason: STATUS,
  },
  { area: 'validation', case: 'a dry run keeps nothing', step: 'of an unknown kind', path: 'all', reason: STATUS },
  { area: 'validation', case: 'unknown fields, three ways', step: 'Sometimes', path: 'all', reason: STATUS },
  { area: 'access', case: 'may I?', step: 'of nothing', path: 'all', reason: STATUS },
  { area: 'discovery', case: 'what is not there', step: 'a path', path: 'body', reason: PAGE },
  { area: 'discovery', case: 'what is not there', step: 'a group', path: 'body', reason: PAGE },
  { area: 'definitions', case: 'a definition becomes served', step: 'of nobody', path: 'body', reason: PAGE },
  {
    area: 'discovery',
    case: 'the resources of /api/v1',
    step: 'list',
    path: 'body.apiVersion',
    reason: 'the oldest group has no apiVersion on its list there; clients ignore it',
  },
  {
    area: 'crud',
    case: 'what every namespace has',
    step: 'the authority of the cluster',
    path: 'all',
    reason: 'no ConfigMap with the authority: pods get no mounted token that would need it',
  },
  {
    area: 'watch',
    case: 'a version that is no more',
    step: 'too old',
    path: 'events',
    reason: 'the window of events begins with the first write of a young cluster, so its version 1 is not too old',
  },
  {
    area: 'status',
    case: 'a status by apply',
    step: 'a condition',
    path: 'body[0].lastProbeTime',
    reason: 'a null in a list item is dropped',
  },
  {
    area: 'validation',
    case: 'unknown fields, three ways',
    step: 'a field twice',
    path: 'all',
    reason: "JSON is read by the platform's parser, which takes the last of two",
  },
  {
    area: 'validation',
    case: 'jobs, services and routes that make no sense',
    step: 'a policy of a bad range',
    path: 'all',
    reason: 'NetworkPolicies are kept and not enforced, so their ranges are not checked',
  },
  {
    area: 'selectors',
    case: 'a list as kubectl shows it',
    step: 'events',
    path: 'body.columns[8].type',
    reason: 'the count of an event is a number here',
  },
  {
    area: 'definitions',
    case: 'a definition becomes served',
    step: 'with a rule that is none',
    path: 'all',
    reason:
      'a CEL rule is compiled when it is first used, and has no cost limit; the real cluster checks ours in its own stage',
  },
  {
    area: 'limits',
    case: 'a quota *',
    step: '*',
    path: 'all',
    reason: "usage is counted anew with each write and not kept in the quota's status",
  },
  {
    area: 'limits',
    case: 'a limit range fills in and refuses',
    step: 'nothing said',
    path: 'body.annotations',
    reason: 'no annotation tells what a LimitRange has filled in',
  },
  {
    area: 'limits',
    case: 'a limit range fills in and refuses',
    step: 'a limit said',
    path: 'body.annotations',
    reason: 'no annotation tells what a LimitRange has filled in',
  },
  {
    area: 'access',
    case: 'may I?',
    step: 'yes',
    path: 'body.reason',
    reason: 'a review says yes without the rule that allows it',
  },
  {
    area: 'workloads',
    case: 'a deployment makes a replica set and pods',
    step: 'a replica set',
    path: 'body[0].annotations.*',
    reason: 'replica sets do not carry the numbers of their deployment',
  },
  {
    area: 'workloads',
    case: 'a deployment makes a replica set and pods',
    step: 'a replica set',
    path: 'body[0].status.*',
    reason: 'counts of zero are written out, and a replica set is scaled once more',
  },
  {
    area: 'workloads',
    case: 'a deployment makes a replica set and pods',
    step: 'its status',
    path: 'body.*',
    reason: 'counts of zero are written out',
  },
  {
    area: 'workloads',
    case: 'a controller revision is kept as it is',
    step: 'made',
    path: 'body.metadata.managedFields[0].*',
    reason: 'raw data is owned field by field',
  },
  {
    area: 'workloads',
    case: 'a service without pods has a slice without endpoints',
    step: 'a slice',
    path: 'body[0].*',
    reason: 'an empty slice has an empty list rather than none, and its name is not generated',
  },
  {
    area: 'definitions',
    case: 'a schema prunes, fills in and refuses',
    step: 'a wrong shape',
    path: 'body.*',
    reason: 'a spec of another type is refused once, not by each part that reads it',
  },
  {
    area: 'definitions',
    case: 'columns, scale and status of a custom resource',
    step: 'a table',
    path: 'body.columns[3].type',
    reason: 'a column of times is called text, as that of built-in kinds is',
  },
  { area: 'running', case: 'a rollout *', step: '*', path: 'body.unavailableReplicas', reason: ZEROS },
  { area: 'running', case: 'a job runs, *', step: '*', path: 'body.*', reason: ZEROS },
  {
    area: 'running',
    case: 'a probe that fails keeps a pod from service',
    step: 'an event',
    path: 'body.message',
    reason: 'a command without output is told by its exit code',
  },
];

export function isKnown(known: KnownDifference, difference: Difference): boolean {
  return (['area', 'case', 'step', 'path'] as const).every((field) => fits(known[field], difference[field]));
}

function fits(pattern: string, text: string): boolean {
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
}

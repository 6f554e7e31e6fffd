import { amountName, firstOf, sentence, type Words } from './words.ts';

/** The quota that comes with a team's plan. */
const PLAN_QUOTA = 'berth-plan';

export interface RefusalWords {
  /** CamelCase, for a condition. */
  reason: string;
  message: string;
}

/** What the API server says when it does not take an object: quota, policy, webhook, limits, rights. */
export function refusalWords(text: string): RefusalWords | undefined {
  for (const { reason, words } of KINDS) {
    const message = firstOf(words, text);
    if (message) return { reason, message };
  }
  return undefined;
}

const KINDS: readonly { reason: string; words: Words }[] = [
  {
    reason: 'QuotaExceeded',
    words: [
      [/exceeded quota: ([^,\s]+), requested: (.+?), used: (.+?), limited: (.+?)$/s, quotaWords],
      [
        /failed quota: ([^:\s]+): must specify (.+?)$/s,
        ([, quota, what]) =>
          `The quota ${quota} of the namespace wants every container to say how much it needs: ${what}. Give the service resources.`,
      ],
    ],
  },
  {
    reason: 'PodSecurityViolated',
    words: [
      [
        /violates PodSecurity "([^":]+)[^"]*": (.+)$/s,
        ([, level, why = '']) =>
          `The namespace allows only pods of the level "${level}", and this one is not: ${sentence(why)} Berth's own pods are; something in the cluster changes them when they are made, such as a program that adds containers. Ask whoever runs the cluster.`,
      ],
    ],
  },
  {
    reason: 'PolicyDenied',
    words: [
      [/ValidatingAdmissionPolicy '([^']+)'(?: with binding '[^']+')? denied request: (.*)$/s, policyWords],
      [/admission webhook "([^"]+)" denied the request(?: without explanation)?:? ?(.*)$/s, policyWords],
    ],
  },
  {
    reason: 'WebhookUnavailable',
    words: [
      [
        /failed calling webhook "([^"]+)": (.+)$/s,
        ([, name]) =>
          `The cluster asks "${name}" about everything that is made, and it does not answer. Nothing has to be changed here: whoever runs the cluster has to bring it back, and then this goes on by itself.`,
      ],
    ],
  },
  { reason: 'OverLimit', words: [[/(?:maximum|minimum) \S+ usage per /, ({ input }) => limitWords(input)]] },
  {
    reason: 'ServiceAccountMissing',
    words: [
      [
        /error looking up service account [^:]+: serviceaccount "([^"]+)" not found/,
        ([, name]) =>
          `The namespace has no service account "${name}" yet. Kubernetes makes it; if it stays away for long, ask whoever runs the cluster.`,
      ],
    ],
  },
  {
    reason: 'NamespaceGoing',
    words: [
      [
        /because it is being terminated/,
        () => 'The namespace of the team is being deleted, so nothing new can be made in it.',
      ],
    ],
  },
  {
    reason: 'NoRight',
    words: [
      [
        /User "system:serviceaccount:[^"]+" cannot (\w+) resource "([^"]+)"/,
        ([, verb, resource]) =>
          `Berth's operator has no right to ${verb} ${resource} here. Whoever installed Berth has to grant it; the roles of its chart hold all that it needs.`,
      ],
    ],
  },
  {
    reason: 'NotAccepted',
    words: [
      [
        /^\S+ "[^"]*" is invalid: (.+)$/s,
        ([, why = '']) => `Kubernetes does not accept a value: ${sentence(why)} Change that value.`,
      ],
    ],
  },
];

function quotaWords([, quota = '', requested = '', used = '', limited = '']: RegExpExecArray): string {
  const [now, most] = [amountsOf(used), amountsOf(limited)];
  const lacks = [...amountsOf(requested)].map(
    ([resource, wanted]) =>
      `${wanted} more ${amountName(resource)} ${wanted === '1' ? 'is' : 'are'} needed, and ${now.get(resource) ?? '0'} of ${most.get(resource) ?? '?'} are taken`,
  );
  const whose =
    quota === PLAN_QUOTA ? "The team's plan is used up" : `The quota "${quota}" of the namespace is used up`;
  const ask = quota === PLAN_QUOTA ? 'take a larger plan' : 'ask whoever set it';
  return `${whose}: ${lacks.join('; ')}. Stop or shrink something of this team, or ${ask}.`;
}

function policyWords([, name, why = '']: RegExpExecArray): string {
  const what = why.trim() === '' ? 'without saying why' : `: ${why.trim().replace(/\.+$/, '')}`;
  return `A rule of the cluster ("${name}") does not allow it${what.startsWith(':') ? '' : ', '}${what}. Change what it names, or ask whoever runs the cluster.`;
}

const LIMIT =
  /(maximum|minimum) (\S+) usage per (\w+) is ([^,\]\s]+), but (?:(?:limit|request) is ([^,\]\s]+)|no (limit|request) is specified)/g;

function limitWords(text: string): string | undefined {
  const lacks = [...text.matchAll(LIMIT)].map(([, bound, resource = '', what = '', allowed, asked]) => {
    const subject = what === 'PersistentVolumeClaim' ? 'volume' : what.toLowerCase();
    const most = bound === 'maximum' ? 'at most' : 'at least';
    const said = asked === undefined ? 'none is given' : `it has ${asked}`;
    return `a ${subject} may have ${most} ${allowed} of ${amountName(resource)}, and ${said}`;
  });
  return lacks.length === 0
    ? undefined
    : `The namespace sets limits: ${lacks.join('; ')}. Change the resources of the service.`;
}

/** `requests.cpu=2,pods=1` */
function amountsOf(list: string): Map<string, string> {
  const pairs = list.split(',').map((pair) => pair.trim().split('='));
  return new Map(pairs.map(([resource = '', amount = '']) => [resource, amount]));
}

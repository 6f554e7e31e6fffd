import { firstOf, type Words } from './words.ts';

/** Why an image cannot be had, after "The image NAME cannot be had: ". */
export function imageWords(text: string): string | undefined {
  return firstOf(IMAGE, text);
}

/** Why a container cannot be started, as a whole sentence or several. */
export function startWords(text: string): string | undefined {
  return firstOf(START, text);
}

const IMAGE: Words = [
  [
    /couldn't parse image (?:name|reference)/,
    () => 'that is no name of an image. Write it as registry/name:tag, in lower case.',
  ],
  [
    /no match for platform|no matching manifest/,
    () => 'it is not made for the machines of this cluster. Use one that is built for their kind of processor.',
  ],
  [
    /toomanyrequests|429 Too Many Requests/,
    () => 'its registry gives out no more for now, since it was asked too often. It is tried again by itself.',
  ],
  [
    /pull access denied|insufficient_scope|authorization failed|unauthorized|40[13] (?:Unauthorized|Forbidden)/i,
    () =>
      'its registry does not have it, or gives it only to those who sign in. Check the name, or use an image that everybody may pull.',
  ],
  [
    /dial tcp|no such host|server misbehaving|i\/o timeout|connection refused|network is unreachable|TLS handshake|x509:/,
    ({ input }) => `the node does not reach its registry (${networkReason(input)}). It is tried again by itself.`,
  ],
  [/not found|manifest unknown|does not exist/i, () => 'there is none of this name and tag. Check both.'],
  [
    /ErrImageNeverPull|is not present with pull policy of Never/,
    () => 'the node does not have it and may not fetch it.',
  ],
];

const START: Words = [
  [
    /image will run as root|runAsUser breaks non-root policy/,
    () =>
      'Its image runs as root, which is not allowed here. Use an image that is made to run without root, or set a user with a number in its Dockerfile (USER 10001).',
  ],
  [
    /image has non-numeric user \(([^)]*)\)/,
    ([, user]) =>
      `Its image runs as the user "${user}", and nobody can tell that this is not root. Give the user by number in its Dockerfile (USER 10001).`,
  ],
  [
    /exec: "([^"]+)": (?:executable file not found|stat [^:]+: no such file or directory)/,
    ([, command]) => `Its image has no program "${command}". Check the command of the service.`,
  ],
  [
    /exec: "([^"]+)": permission denied/,
    ([, command]) => `"${command}" of its image may not be run by a user who is not root. Make it executable for all.`,
  ],
  [
    /couldn't find key (\S+) in (?:Secret|ConfigMap) \S+/,
    ([, key]) => `The value of "${key}" is not delivered yet. It is tried again by itself.`,
  ],
  [
    /(secret|configmap) "([^"]+)" not found/,
    ([, kind, name]) =>
      `The ${kind === 'secret' ? 'Secret' : 'ConfigMap'} "${name}" is not there yet. It is tried again by itself.`,
  ],
];

function networkReason(text: string): string {
  const [, host] = /lookup ([^\s:]+)/.exec(text) ?? [];
  if (host !== undefined) return `no address is known for ${host}`;
  if (/x509:/.test(text)) return 'its certificate is not trusted';
  return /connection refused/.test(text) ? 'nobody answers there' : 'no connection comes about';
}

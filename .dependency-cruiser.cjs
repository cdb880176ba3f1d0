// The layers of docs/architecture.md. `npm run check` plants a fault first, so a checker that sees no module fails too.
const only = (layer, ...allowed) => ({
  name: `${layer}-imports-only-${['itself', ...allowed].join('-and-')}`,
  severity: 'error',
  from: { path: `^${layer}/` },
  to: { path: '^(src|runtimes)/', pathNot: [layer, ...allowed].map((l) => `^${l}/`) },
});
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    only('src/api'),
    only('src/constructs', 'src/api'),
    only('runtimes', 'src/api', 'src/constructs'),
    only('src/kube', 'src/api'),
    only('src/reconciler', 'src/api', 'src/constructs', 'src/kube'),
    only('src/csi', 'src/api', 'src/kube'),
    only('src/install', 'src/api', 'src/constructs'),
    only('src/testing', 'src/api', 'src/constructs', 'src/kube', 'src/reconciler', 'src/csi', 'src/install'),
    {
      name: 'pure-code-does-no-io',
      severity: 'error',
      from: { path: '^(src/api|src/constructs|runtimes)/' },
      // A hash is a function of its text.
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'client-node-has-one-door',
      severity: 'error',
      from: { path: '^(src|runtimes)/', pathNot: ['^src/reconciler/kubernetes/', '^src/api/k8s\\.ts$'] },
      to: { path: 'node_modules/@kubernetes/client-node' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};

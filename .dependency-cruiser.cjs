// The layers of docs/reference/code-map.md. `npm run check` plants a fault first, so a checker that sees no module fails too.
const only = (layer, ...allowed) => ({
  name: `${layer}-imports-only-${['itself', ...allowed].join('-and-')}`,
  severity: 'error',
  from: { path: `^${layer}/` },
  to: { path: '^(src|runtimes)/', pathNot: [layer, ...allowed].map((l) => (l.endsWith('.ts') ? `^${l}$` : `^${l}/`)) },
});
/** Folders of which each may import those before it, and none after it. */
const ordered = (layer, folders) =>
  folders.slice(0, -1).map((folder, i) => ({
    name: `${layer}/${folder}-imports-none-of-${folders.slice(i + 1).join('-')}`,
    severity: 'error',
    from: { path: `^${layer}/${folder}/` },
    to: { path: `^${layer}/(${folders.slice(i + 1).join('|')})/` },
  }));
/** Folders and files whose functions depend on nothing but their arguments … */
const PURE = '^(src/(api|constructs|explain|fuse|install|monitoring|planning|reconciler|takeover)/|runtimes/|src/webhook/(?!(server|certificates|watches)/)|src/csi/(volume|(publish|recovery)/plan|mounts/(mountinfo|tree|binding))[.]ts$)';
/** … but for these. */
const EFFECTS = '^src/fuse/(files|watch)[.]ts$';
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    only('src/api'),
    only('src/constructs', 'src/api'),
    only('runtimes', 'src/api', 'src/constructs'),
    only('src/kube', 'src/api'),
    only('src/planning', 'src/api', 'src/constructs', 'src/kube'),
    only('src/reconciler', 'src/api', 'src/constructs', 'src/kube', 'src/planning'),
    only('src/explain', 'src/api', 'src/constructs', 'src/kube', 'src/planning', 'src/install', 'src/reconciler'),
    only('src/ui/server', 'src/ui/wire.ts', 'src/api', 'src/constructs', 'src/kube', 'src/planning', 'src/explain', 'src/install', 'src/reconciler'),
    only('src/ui/page', 'src/ui/wire.ts'),
    only('src/fuse', 'src/api'),
    only('src/csi', 'src/api', 'src/kube'),
    only('src/csi/grpc', 'src/api', 'src/kube'),
    only('src/csi/mounts', 'src/api', 'src/kube'),
    only('src/webhook', 'src/api', 'src/kube'),
    only('src/monitoring', 'src/api', 'src/planning'),
    only('src/install', 'src/api', 'src/constructs', 'src/monitoring'),
    only('src/takeover', 'src/api', 'src/constructs', 'src/kube', 'src/planning', 'src/install'),
    ...ordered('src/takeover', ['steps', 'fluid', 'plan', 'world', 'try', 'go', 'back', 'finish']),
    only('src/api-server', 'src/api', 'src/kube'),
    only('src/playground', 'src/api', 'src/csi', 'src/kube', 'src/webhook', 'src/api-server'),
    only('src/testing', 'src/api', 'src/constructs', 'src/kube', 'src/api-server'),
    {
      name: 'src/ui/page-runs-in-a-browser',
      severity: 'error',
      from: { path: '^src/ui/page/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'published-code-needs-nothing-of-the-checkout',
      severity: 'error',
      from: { path: '^(src|runtimes)/' },
      to: { path: '^(harness|scripts|test|bench|examples)/' },
    },
    {
      name: 'commands-enter-the-reconciler-by-its-doors',
      severity: 'error',
      from: { path: '^src/(cli|explain|ui)/' },
      to: { path: '^src/reconciler/', pathNot: '^src/reconciler/(controller|metrics|operations)[.]ts$' },
    },
    {
      name: 'pure-code-does-no-io',
      severity: 'error',
      from: { path: PURE, pathNot: EFFECTS },
      // A hash is a function of its text, a path of its parts, equality of two values, what is unpacked of what was packed.
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|path|path/posix|util|zlib)$' },
    },
    {
      name: 'client-node-has-one-door',
      severity: 'error',
      from: { path: '^(src|runtimes)/', pathNot: '^src/api/k8s\\.ts$' },
      to: { path: 'node_modules/@kubernetes/client-node' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};

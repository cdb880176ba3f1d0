/** The files of a new runtime: a client on each node that reads, and workers with a cache. They compile, and their test passes. */
import { runtimePlural } from '../../api/index.ts';

export interface Scaffold {
  /** Folder and type: `acme-fs`. */
  readonly name: string;
  /** Custom resource without `Runtime`: `AcmeFs`. */
  readonly title: string;
  /** What modules are imported from. */
  readonly from: { readonly api: string; readonly constructs: string };
}

export const runtimeFiles = (scaffold: Scaffold): Readonly<Record<string, string>> => ({
  'spec.ts': spec(scaffold),
  'plan.ts': plan(scaffold),
  'components.ts': components(scaffold),
  'index.ts': index(scaffold),
});

const spec = ({
  name,
  title,
  from,
}: Scaffold) => `import { type CustomResource, fields, nameRule, opt, replicasRule, runtimeStatus } from '${from.api}';
import { shortNameRule, t, tieredStore, versionSpec } from '${from.api}';

const ${camel(title)}RuntimeSpec = t.Object(
  {
    version: opt(versionSpec),
    replicas: opt(t.Integer({ format: 'int32', default: 1, description: 'Workers wanted.' })),
    tieredstore: opt(tieredStore),
    options: opt(fields.options),
    resources: opt(fields.resources),
  },
  { description: 'How ${title} is mounted and cached.' },
);
export type ${title}RuntimeSpec = t.Static<typeof ${camel(title)}RuntimeSpec>;

export const ${title}Runtime = {
  kind: '${title}Runtime',
  plural: '${runtimePlural(name)}',
  shortNames: ['${name}'],
  categories: ['fluid'],
  namespaced: true,
  description: 'Serves the dataset of the same name by ${title}.',
  columns: [
    { name: 'Worker Phase', type: 'string', jsonPath: '.status.workerPhase' },
    { name: 'Fuse Phase', type: 'string', jsonPath: '.status.fusePhase' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  scale: { selector: true },
  statusSubresource: true,
  spec: ${camel(title)}RuntimeSpec,
  status: runtimeStatus,
  rules: [nameRule, shortNameRule, replicasRule],
} as const satisfies CustomResource;
`;

const plan = ({
  name,
  title,
  from,
}: Scaffold) => `import type { DatasetSpec, EnvVar, ResourceRequirements, TierLevel, Volume } from '${from.api}';
import { absolutePath, type BasePlan, basePlan, cacheByMedium, directoriesOf, imageOf, must, type Needs } from '${from.constructs}';
import { optionList, optionNeeds, type PlanInput, positional, secretEnv, secretVariables, together } from '${from.constructs}';
import type { ${title}RuntimeSpec } from './spec.ts';

export interface ${title}Plan extends BasePlan {
  readonly image: string;
  readonly source: string;
  /** Of \`-o\`. */
  readonly options: string;
  /** Options that are secret: of Secrets, which only Kubernetes reads. */
  readonly env: readonly EnvVar[];
  readonly cache: readonly Directory[];
  readonly resources: ResourceRequirements | undefined;
}

/** Of the cache: a disk of the node, or memory. */
export interface Directory {
  readonly path: string;
  readonly volume: Volume;
}

type Input = PlanInput<${title}RuntimeSpec>;

/** Set-up waits until these Secrets exist. */
export const needs = ({ dataset }: Input): Needs => ({ secrets: optionNeeds(dataset.spec) });

/** Every decision, and none of the YAML. */
export function plan(input: Input): ${title}Plan {
  const { name, namespace, spec, dataset } = input;
  // Faults of the Dataset are reported by themselves, all of them at once.
  const { source, env, shared } = together(
    { source: () => sourceOf(dataset.spec), env: () => secretEnv(secretVariables(dataset.spec, new Map()).values()), shared: () => optionsOf(dataset.spec) },
    \`Dataset \${namespace}/\${name}\`,
  );
  const base = basePlan(input, { mountType: 'fuse.${name}', mountDir: '${name}-fuse' });
  const levels = spec.tieredstore?.levels ?? [];
  return {
    ...base,
    replicas: { worker: spec.replicas ?? 1 },
    cacheOnNode: cacheByMedium(levels),
    image: imageOf(spec.version, undefined, 'example.io/${name}:v1'),
    source,
    env,
    // The runtime's own options win over those of the dataset, which are for every runtime.
    options: optionList({ ...shared, ...spec.options }, 'spec.options'),
    cache: levels.length > 0 ? levels.flatMap(directoriesOfLevel) : [directory('/var/cache/${name}', 0, {}, 'spec.tieredstore')],
    resources: spec.resources,
  };
}

function sourceOf({ mounts = [] }: DatasetSpec): string {
  const [mount, ...others] = mounts;
  must(mount && others.length === 0, 'spec.mounts', 'exactly one mount', mounts);
  return positional(mount.mountPoint, 'spec.mounts[0].mountPoint');
}

function optionsOf({ mounts: [mount] = [], sharedOptions }: DatasetSpec) {
  const options = { ...sharedOptions, ...mount?.options };
  optionList(options, 'spec.mounts[0].options');
  return options;
}

/** A level may be several directories, \`/a,/b\`. */
function directoriesOfLevel(level: TierLevel, i: number): readonly Directory[] {
  const field = \`spec.tieredstore.levels[\${i}].path\`;
  return directoriesOf(level.path ?? '/var/cache/${name}', ',', field).map((path, j) => directory(path, i * 100 + j, level, field));
}

function directory(path: string, i: number, { mediumtype, volumeType, volumeSource }: Partial<TierLevel>, field: string): Directory {
  const name = \`cache-\${i}\`;
  const emptyDir = volumeType === 'emptyDir' ? (volumeSource?.emptyDir ?? {}) : mediumtype === 'MEM' ? { medium: 'Memory' } : undefined;
  const volume = emptyDir ? { name, emptyDir } : { name, hostPath: { path, type: 'DirectoryOrCreate' } };
  return { path: absolutePath(path, field), volume };
}
`;

const components = ({ name, title, from }: Scaffold) => `import type { Construct } from 'constructs';
import { type ContainerProps, Fuse, sh, Worker } from '${from.constructs}';
import type { ${title}Plan } from './plan.ts';

/** Keeps the cache. */
export class ${title}Worker extends Worker {
  constructor(scope: Construct, plan: ${title}Plan) {
    const directories = plan.cache.flatMap(({ path }) => ['--dir', path]);
    const command = ['sh', '-c', sh\`exec ${name} cache \${directories} \${plan.source}\`];
    const volumeMounts = plan.cache.map(({ path, volume }) => ({ name: volume.name, mountPath: path }));
    super(scope, plan, {
      containers: [{ ...container(plan, 'worker'), command, volumeMounts }],
      volumes: plan.cache.map(({ volume }) => volume),
    });
  }
}

/** Mounts the file system on the nodes of its users. */
export class ${title}Fuse extends Fuse {
  constructor(scope: Construct, plan: ${title}Plan) {
    const { options, source, mountPath } = plan;
    const list = options ? ['-o', options] : [];
    const command = ['sh', '-c', sh\`exec ${name} mount \${list} \${source} \${mountPath}\`];
    super(scope, plan, { containers: [{ ...container(plan, 'fuse'), command }] });
  }
}

const container = ({ image, env, resources }: ${title}Plan, role: 'worker' | 'fuse'): ContainerProps => ({ name: \`${name}-\${role}\`, image, env, resources });
`;

const index = ({ name, title, from }: Scaffold) => `import { defineRuntime, diskUsage } from '${from.constructs}';
import { ${title}Fuse, ${title}Worker } from './components.ts';
import { needs, plan } from './plan.ts';
import { ${title}Runtime } from './spec.ts';

/** What it has none of is left out: masters, a table of mounts, cache figures, cleaning up. */
export default defineRuntime({
  type: '${name}',
  resource: ${title}Runtime,
  needs,
  plan,
  components: { worker: ${title}Worker, fuse: ${title}Fuse },
  probes: { ufs: diskUsage('fuse') },
  reads: { subject: 'the store' },
});
`;

export const testFile = (
  { name, title }: Scaffold,
  from: { readonly runtime: string; readonly testing: string },
) => `import { expect, test } from 'vitest';
import ${camel(title)} from '${from.runtime}';
import { conformance, planInput } from '${from.testing}';

const mounts = [{ mountPoint: '${name}://volume', name: 'data' }];

conformance(${camel(title)}, {
  minimal: planInput({ mounts }),
  cached: planInput({ mounts, spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/mnt/cache', quota: '10Gi' }] } } }),
});

test('refuses two mounts', () =>
  expect(() => ${camel(title)}.bind(planInput({ mounts: [...mounts, ...mounts] }))).toThrow('spec.mounts: expected exactly one mount'));
`;

export const readme = ({ name, title }: Scaffold) => `# ${title}

Serves a Dataset by ${title}: workers keep the cache, a client mounts it on each node where a pod reads.

\`\`\`yaml
apiVersion: data.fluid.io/v1alpha1
kind: Dataset
metadata: { name: demo }
spec:
  mounts: [{ mountPoint: "${name}://volume", name: data }]
---
apiVersion: data.fluid.io/v1alpha1
kind: ${title}Runtime
metadata: { name: demo }
spec:
  replicas: 2
  tieredstore:
    levels: [{ mediumtype: SSD, path: /mnt/cache, quota: 10Gi }]
\`\`\`

\`spec.ts\` is what users write, \`plan.ts\` every decision, \`components.ts\` the pods. What it becomes stands in \`test/golden/${name}/\`.
`;

/**
 * For a runtime that is a package of its own. From a checkout it is developed against `packed`, what `npm pack` writes there: no registry has
 * that version.
 */
export const packageFiles = (
  { name, title }: Scaffold,
  sluice: { readonly name: string; readonly version: string },
  packed?: string,
): Readonly<Record<string, string>> => ({
  'package.json': `${JSON.stringify(
    {
      name: `sluice-runtime-${name}`,
      version: '0.1.0',
      type: 'module',
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
      files: ['dist'],
      scripts: { build: 'tsc -p tsconfig.build.json', prepare: 'npm run build', test: 'vitest run' },
      peerDependencies: { [sluice.name]: `^${sluice.version}` },
      devDependencies: {
        cdk8s: '^2.70.0',
        constructs: '^10.3.0',
        [sluice.name]: packed === undefined ? `^${sluice.version}` : `file:${packed}`,
        // Of `sluice image`.
        esbuild: '>=0.25.0 <1',
        typescript: '^6.0.0',
        vitest: '^5.0.0',
      },
    },
    null,
    2,
  )}\n`,
  'sluice.config.ts': `import ${camel(title)} from './src/index.ts';\n\nexport default { runtimes: [${camel(title)}] };\n`,
  'tsconfig.json': `${JSON.stringify(
    {
      compilerOptions: {
        target: 'ES2023',
        module: 'NodeNext',
        strict: true,
        noEmit: true,
        exactOptionalPropertyTypes: true,
        verbatimModuleSyntax: true,
        erasableSyntaxOnly: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
      },
      include: ['src', 'test', 'sluice.config.ts'],
    },
    null,
    2,
  )}\n`,
  // Node strips no types of what is installed, so it is compiled before it is published.
  'tsconfig.build.json': `${JSON.stringify(
    {
      extends: './tsconfig.json',
      compilerOptions: {
        noEmit: false,
        allowImportingTsExtensions: false,
        rewriteRelativeImportExtensions: true,
        declaration: true,
        rootDir: 'src',
        outDir: 'dist',
      },
      include: ['src'],
    },
    null,
    2,
  )}\n`,
});

const camel = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1);

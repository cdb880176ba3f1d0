import * as k8s from '../../src/api/k8s.ts';
import type { CustomResource, Resource } from '../../src/api/resource.ts';
import { plainNameRule } from '../../src/api/rules.ts';
import { described, int32, opt, type Static, stringMap, t } from '../../src/api/schema.ts';

const command = t.Array(t.String(), { description: 'Program and arguments.' });

const entry = (description: string) =>
  opt(
    t.Object(
      { command, timeout: opt(int32({ description: 'Seconds until the command counts as failed; at least 20.' })) },
      { description },
    ),
  );

const dependencies = t.Object(
  {
    secretMount: opt(
      t.Object(
        { enabled: opt(t.Boolean({ description: 'By default masters and workers have them, clients do not.' })) },
        { description: 'Whether the Secrets of the dataset are files below /etc/fluid/secrets.' },
      ),
    ),
    extraResources: opt(
      t.Object(
        {
          configMaps: opt(
            t.Array(
              t.Object({
                name: opt(t.String({ description: 'Name in extraResources of the class.' })),
                mountPath: opt(t.String({ description: 'Directory in the container.' })),
              }),
              { description: 'ConfigMaps of the class, as directories.' },
            ),
          ),
        },
        { description: 'What of extraResources the pods mount.' },
      ),
    ),
  },
  { description: 'What the pods get from the dataset and from the class.' },
);

const component = (description: string) =>
  opt(
    t.Object(
      {
        options: opt(stringMap('Default options, for runtime.json.')),
        template: opt(described(k8s.PodTemplateSpec, 'The pods. The first container does the work.')),
        service: opt(
          t.Object(
            { headless: opt(t.Object({}, { description: 'A headless Service, svc-<name>-<component>.' })) },
            { description: 'How the pods find each other.' },
          ),
        ),
        dependencies: opt(dependencies),
        executionEntries: opt(
          t.Object(
            {
              mountUFS: entry('Mounts what runtime.json says, and prints {"mounted": ["<path>"]}.'),
              reportSummary: entry('Prints cached, cachedPercentage, cacheCapacity and cacheHitRatio as JSON.'),
            },
            { description: 'Commands that the controller runs in the first container.' },
          ),
        ),
      },
      { description },
    ),
  );
const topology = t.Object(
  {
    master: component('Pods that know every file.'),
    worker: component('Pods that hold the cache.'),
    client: component('Pods that mount the file system on the nodes of its users.'),
  },
  { description: 'The components; one that is absent does not exist.' },
);

const OPERATIONS = ['DataLoad', 'DataBackup', 'DataMigrate', 'DataProcess'] as const;

export const cacheRuntimeClassSpec = t.Object({
  fileSystemType: opt(t.String({ description: 'Name of the file system, for people.' })),
  topology: opt(topology),
  extraResources: opt(
    t.Object(
      {
        configMaps: opt(
          t.Array(
            t.Object({
              name: opt(t.String({ description: 'Name by which components ask for it.' })),
              data: opt(stringMap('Files by name.')),
            }),
            { description: 'Created for each runtime.' },
          ),
        ),
      },
      { description: 'Objects that the components need.' },
    ),
  ),
  dataOperationSpecs: opt(
    t.Array(
      t.Object({
        name: t.Enum([...OPERATIONS], { description: 'The kind of operation.' }),
        image: opt(t.String({ description: 'Image of the Job; that of the workers by default.' })),
        command: opt(t.Array(t.String(), { description: 'Entry point of the container.' })),
        args: opt(t.Array(t.String(), { description: 'Arguments of the entry point.' })),
      }),
      { description: 'How operations on the data are carried out.' },
    ),
  ),
});
export type CacheRuntimeClassSpec = Static<typeof cacheRuntimeClassSpec>;
export type ClassComponent = NonNullable<NonNullable<CacheRuntimeClassSpec['topology']>['worker']>;

/** The shared definition of the CacheRuntimes of one file system: their pods, and the commands for them. */
export const CacheRuntimeClass = {
  kind: 'CacheRuntimeClass',
  plural: 'cacheruntimeclasses',
  categories: ['fluid'],
  namespaced: false,
  description: 'What the CacheRuntimes of one file system have in common.',
  statusSubresource: false,
  flat: true,
  spec: cacheRuntimeClassSpec,
  status: t.Object({}),
  rules: [plainNameRule],
} as const satisfies CustomResource;
/** As `parse` returns it. */
export type CacheRuntimeClass = Resource<CacheRuntimeClassSpec, Record<never, never>>;

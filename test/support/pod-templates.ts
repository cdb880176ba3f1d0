/** Pod templates as users write them: every amount and every list that the API server merges by key, in words that it would not use itself. */
import fc from 'fast-check';
import type { PodTemplateSpec } from '../../src/api/index.ts';

const word = fc.stringMatching(/^[a-z]([a-z0-9-]{0,6}[a-z0-9])?$/);
const text = fc.constantFrom('', 'a', 'a b', '$(A)', 'ü', '0');
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const some = <T>(arbitrary: fc.Arbitrary<T>, key: (entry: T) => unknown) => fc.uniqueArray(arbitrary, { selector: key, maxLength: 3 });
const labels = fc.dictionary(word, word, { maxKeys: 3 });
const few = (arbitrary: fc.Arbitrary<string>) => fc.array(arbitrary, { maxLength: 3 });

/** Not as it prints them. */
const cpu = fc.constantFrom('1000m', '0.5', '1', '1500m', '2e0', '0.1', '100m', '1.0');
const memory = fc.constantFrom('1024Mi', '1Gi', '1.5Gi', '1000M', '128974848', '1e9', '0.5Gi', '1048576Ki', '100k');
const amounts = fc.record(
  { cpu, memory, 'ephemeral-storage': memory, 'example.com/gpu': fc.constantFrom('1', '2', '2.0') },
  { requiredKeys: [] },
);
/** No request is above its limit: both are the same, or there is one of them. */
const resources = fc.oneof(
  amounts.map((limits) => ({ limits, requests: limits })),
  amounts.map((limits) => ({ limits })),
  amounts.map(({ 'example.com/gpu': _gpu, ...requests }) => ({ requests })),
  fc.constant({}),
);
const variable = fc.record({ name: fc.constantFrom('A', 'B', 'C') }).chain(({ name }) =>
  fc.oneof(
    text.map((value) => ({ name, value })),
    fc.constant({ name, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
    fc
      .constantFrom('1', '1m', '1000m')
      .map((unit) => ({ name, valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: unit } } })),
    fc.boolean().map((optional) => ({ name, valueFrom: { secretKeyRef: { name: 's', key: 'k', optional } } })),
  ),
);
const probe = fc.record(
  {
    httpGet: fc.record({
      path: fc.constantFrom('', '/'),
      port: fc.constantFrom<string | number>('web', 80),
      scheme: fc.constantFrom('', 'HTTP', 'HTTPS'),
    }),
    initialDelaySeconds: fc.constantFrom(0, 5),
    periodSeconds: fc.constantFrom(0, 1, 10),
    timeoutSeconds: fc.constantFrom(0, 2),
    failureThreshold: fc.constantFrom(0, 1, 3),
  },
  { requiredKeys: ['httpGet'] },
);

const VOLUMES = ['v0', 'v1', 'v2', 'v3', 'v4'] as const;
const items = fc.record({
  path: fc.constant('cpu'),
  resourceFieldRef: fc.record({
    containerName: fc.constant('main'),
    resource: fc.constant('limits.cpu'),
    divisor: fc.constantFrom('1', '1m', '1000m'),
  }),
});
const volumes = fc.tuple(
  fc
    .record({ medium: fc.constantFrom('', 'Memory'), sizeLimit: memory }, { requiredKeys: [] })
    .map((emptyDir) => ({ name: VOLUMES[0], emptyDir })),
  fc.constantFrom('', 'Directory').map((type) => ({ name: VOLUMES[1], hostPath: { path: '/', type } })),
  memory.map((storage) => ({
    name: VOLUMES[2],
    ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } } },
  })),
  items.map((item) => ({ name: VOLUMES[3], downwardAPI: { items: [item] } })),
  fc.tuple(items, fc.boolean()).map(([item, optional]) => ({
    name: VOLUMES[4],
    projected: { sources: [{ downwardAPI: { items: [item] } }, { secret: { name: 's', optional } }] },
  })),
);

const container = (name: fc.Arbitrary<string>) =>
  fc.record(
    {
      name,
      image: fc.constantFrom('a', 'example.io/b:1'),
      imagePullPolicy: fc.constantFrom('', 'Always', 'IfNotPresent'),
      command: few(text),
      args: few(text),
      workingDir: fc.constantFrom('', '/w'),
      env: fc.array(variable, { maxLength: 4 }),
      ports: some(
        fc.record({ containerPort: fc.constantFrom(80, 81), protocol: maybe(fc.constantFrom('TCP', 'UDP')) }),
        ({ containerPort, protocol }) => `${containerPort}/${protocol ?? 'TCP'}`,
      ),
      resources,
      volumeMounts: some(
        fc.record({
          name: fc.constantFrom(...VOLUMES),
          mountPath: fc.constantFrom('/a', '/b', '/c'),
          readOnly: maybe(fc.boolean()),
          subPath: maybe(fc.constantFrom('', 'x')),
        }),
        ({ mountPath }) => mountPath,
      ),
      tty: fc.boolean(),
      stdin: fc.boolean(),
      terminationMessagePath: fc.constantFrom('', '/log'),
      terminationMessagePolicy: fc.constantFrom('', 'File', 'FallbackToLogsOnError'),
      securityContext: fc.record(
        {
          runAsUser: fc.constantFrom(0, 7),
          privileged: fc.constant(false),
          capabilities: fc.record({ add: few(fc.constant('SYS_NICE')) }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['name', 'image'] },
  );
const term = fc.record({
  matchExpressions: fc.array(
    fc.record({ key: word, operator: fc.constant('In'), values: fc.array(word, { minLength: 1, maxLength: 2 }) }),
    { minLength: 1, maxLength: 2 },
  ),
});

export const podTemplates: fc.Arbitrary<PodTemplateSpec> = fc
  .record({
    metadata: fc.record({ labels, annotations: labels }, { requiredKeys: [] }),
    spec: fc.record(
      {
        containers: some(
          fc.oneof(
            container(word),
            container(fc.constant('main')).chain((main) => maybe(probe).map((livenessProbe) => ({ ...main, livenessProbe }))),
          ),
          ({ name }) => name,
        ),
        initContainers: some(container(word.map((name) => `init-${name}`)), ({ name }) => name),
        volumes,
        nodeSelector: labels,
        tolerations: fc.array(
          fc.constantFrom(
            { operator: 'Exists' },
            { key: 'a', operator: 'Equal', value: '' },
            { key: 'b', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 },
          ),
          { maxLength: 2 },
        ),
        hostAliases: some(fc.record({ ip: fc.constantFrom('10.0.0.1', '10.0.0.2'), hostnames: few(word) }), ({ ip }) => ip),
        topologySpreadConstraints: some(
          fc.record({
            maxSkew: fc.constantFrom(1, 2),
            topologyKey: fc.constantFrom('zone', 'host'),
            whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
          }),
          ({ topologyKey, whenUnsatisfiable }) => `${topologyKey}/${whenUnsatisfiable}`,
        ),
        affinity: fc.record({
          nodeAffinity: fc.record(
            {
              requiredDuringSchedulingIgnoredDuringExecution: fc.record({
                nodeSelectorTerms: fc.array(term, { minLength: 1, maxLength: 2 }),
              }),
              preferredDuringSchedulingIgnoredDuringExecution: fc.array(fc.record({ weight: fc.constantFrom(1, 100), preference: term }), {
                maxLength: 2,
              }),
            },
            { requiredKeys: [] },
          ),
        }),
        imagePullSecrets: some(fc.record({ name: word }), ({ name }) => name),
        serviceAccountName: fc.constantFrom('', 'mine'),
        serviceAccount: fc.constantFrom('', 'mine'),
        terminationGracePeriodSeconds: fc.constantFrom(0, 5, 30),
        hostNetwork: fc.boolean(),
        schedulerName: fc.constantFrom('', 'mine'),
        dnsPolicy: fc.constantFrom('', 'Default', 'ClusterFirst'),
        securityContext: fc.record({ fsGroup: fc.constantFrom(0, 7), supplementalGroups: fc.constantFrom([], [7]) }, { requiredKeys: [] }),
        restartPolicy: fc.constantFrom('', 'Always'),
      },
      { requiredKeys: ['containers', 'volumes'] },
    ),
  })
  // The cast: what a user leaves out is undefined here.
  .map((template) => template as unknown as PodTemplateSpec);

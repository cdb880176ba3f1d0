import { installationOf } from '../../install/index.ts';
import type { Define } from '../command.ts';
import { type OutputFormat, outputOption, print } from '../output.ts';
import type { Flags } from './flag-names.ts';
import { installFlags, wantedBy } from './wanted.ts';

const EXAMPLES = `
Examples:
  sluice install --image registry.example/sluice:1 | kubectl apply --server-side -f -
  sluice install --replicas 3 --toleration node-role.kubernetes.io/control-plane:NoSchedule > sluice.yaml
  sluice install --daemon efc                    with the session manager that EFCRuntimes need
  sluice install --values values.yaml            resources, tolerations, node selectors, environment

A file of values. All of them are optional, and flags take precedence:
  namespace: fluid-system
  registry: registry.example/mirror
  image: registry.example/sluice:1
  imagePullPolicy: IfNotPresent
  imagePullSecrets: [{ name: registry }]
  mountRoot: /runtime-mnt
  kubeletDir: /var/lib/kubelet
  podLogsDir: /var/log/pods
  daemons: [efc]
  nodePolicy: true
  reservedKeys: audit
  reservedKeysAllow: [system:serviceaccount:velero:velero]
  controller: { replicas: 2, openReferences: false, resources: {}, tolerations: [], nodeSelector: {}, env: [], args: [] }
  csi: { resources: {}, tolerations: [], nodeSelector: {}, env: [], args: [] }
  webhook: { enabled: true, replicas: 2, failurePolicy: Fail, timeoutSeconds: 15, reinvocationPolicy: IfNeeded, validation: false,
             platformLabel: example.com/platform, resources: {}, tolerations: [], nodeSelector: {}, env: [], args: [] }
  monitoring: { enabled: true, labels: { release: prometheus }, interval: 30s, boardNamespace: grafana,
                boardLabels: { grafana_dashboard: "1" }, scrapers: [{ namespaceSelector: {} }] }

Exit codes:
  0  printed
  2  bad usage or bad values`;

export const define: Define = (command, parts) => {
  installFlags(command)
    .addOption(outputOption())
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags & { readonly output: OutputFormat }) => {
      const { options, resources, runtimes } = await wantedBy(flags, parts);
      await print(installationOf(options, { resources, runtimes }), flags.output);
    });
};

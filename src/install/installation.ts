import { App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { type CustomResource, crdOf, type Manifest } from '../api/index.ts';
import { KubeObject, type Runtime } from '../constructs/index.ts';
import { Controller } from './controller.ts';
import { labels } from './labels.ts';
import { NodePlugin } from './node-plugin.ts';
import type { Settled } from './options.ts';

/** What an installation is made for. */
export interface InstallationParts {
  /** All kinds of custom resources. */
  readonly resources: readonly CustomResource[];
  readonly runtimes: readonly Runtime[];
}

/** Sluice in its own cluster: what is needed first comes first. */
class Installation extends Chart {
  constructor(scope: Construct, options: Settled, { resources, runtimes }: InstallationParts) {
    // Without the chart's namespace, which would be put on what has none.
    super(scope, 'sluice', { disableResourceNameHashes: true });
    new KubeObject(this, 'namespace', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: options.namespace,
        // Mounting is what the node plugin is for, and no lower level lets it.
        labels: { ...labels(), 'pod-security.kubernetes.io/enforce': 'privileged' },
      },
    });
    // By the label `uninstall` knows those that this installation brought from those that were there.
    for (const resource of resources) {
      const { metadata, ...crd } = crdOf(resource);
      new KubeObject(this, resource.plural, { ...crd, metadata: { ...metadata, labels: labels() } });
    }
    new Controller(this, options, runtimes);
    new NodePlugin(this, options, runtimes);
  }
}

/** Every object of an installation, in the order in which they are to be applied. */
export const installationOf = (options: Settled, parts: InstallationParts): readonly Manifest[] =>
  new Installation(new App(), options, parts).toJson() as Manifest[];

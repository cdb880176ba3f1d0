import { App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { type CustomResource, crdOf, type Manifest } from '../api/index.ts';
import { PlainObject, type Runtime } from '../constructs/index.ts';
import { Controller } from './controller.ts';
import { labels } from './labels.ts';
import { Monitoring } from './monitoring.ts';
import { NodePlugin } from './node-plugin.ts';
import type { Settled } from './settled.ts';
import { declaredBy } from './declared.ts';
import { hasGuardedClass, priorityQuota } from './priority-quota.ts';
import { Ui } from './ui.ts';
import { UserRoles } from './user-roles.ts';
import { Webhook } from './webhook.ts';

/** The kinds and runtimes of an installation. */
export interface InstallationParts {
  /** All kinds of custom resources. */
  readonly resources: readonly CustomResource[];
  readonly runtimes: readonly Runtime[];
}

/** The manifests of Sluice, in the order in which they are needed. */
class Installation extends Chart {
  constructor(scope: Construct, options: Settled, { resources, runtimes }: InstallationParts) {
    // Without the chart's namespace, which cdk8s would add to cluster-scoped objects.
    super(scope, 'sluice', { disableResourceNameHashes: true });
    new PlainObject(this, 'namespace', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: options.namespace,
        // The node plugin mounts file systems, which no lower level allows.
        labels: { ...labels(), 'pod-security.kubernetes.io/enforce': 'privileged' },
      },
    });
    // The label shows `uninstall` which CRDs this installation created and which existed before.
    for (const resource of resources) {
      const { metadata, ...crd } = crdOf(resource);
      new PlainObject(this, resource.plural, { ...crd, metadata: { ...metadata, labels: labels() } });
    }
    priorityQuota(this, options.namespace);
    new Controller(this, options, runtimes);
    new NodePlugin(this, options, runtimes);
    const permitted = new Set([options.namespace]);
    for (const runtime of runtimes)
      for (const object of runtime.install({ ...options, env: declaredBy([runtime], options) })) {
        const { name, namespace, labels: own } = object.metadata;
        if (namespace !== undefined && !permitted.has(namespace) && hasGuardedClass(object)) {
          permitted.add(namespace);
          priorityQuota(this, namespace);
        }
        // Labels of Sluice: `uninstall` keeps objects without them.
        new PlainObject(this, `${runtime.type}-${object.kind}-${name}`, {
          ...object,
          metadata: { ...object.metadata, labels: { ...own, ...labels() } },
        });
      }
    new UserRoles(this, resources, options.aggregateEdit);
    if (options.ui.enabled) new Ui(this, options, runtimes);
    if (options.monitoring.enabled) new Monitoring(this, options);
    // Last, so that an uninstallation begins with it.
    if (options.webhook.enabled) new Webhook(this, options, runtimes);
  }
}

/** Every object of an installation, in the order in which they have to be applied. */
export const installationOf = (options: Settled, parts: InstallationParts): readonly Manifest[] =>
  new Installation(new App(), options, parts).toJson() as Manifest[];

import { Construct } from 'constructs';
import { type CustomResource, GROUP, operationKinds } from '../api/index.ts';
import { PlainObject } from '../constructs/index.ts';
import { labels } from './labels.ts';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/**
 * Roles for users. All who may view a namespace see Datasets, runtimes and operations. Only a choice of the installation lets all who may edit
 * a namespace write them, since who writes a runtime chooses the image of a privileged pod and directories of nodes.
 */
export class UserRoles extends Construct {
  constructor(scope: Construct, resources: readonly CustomResource[], aggregateEdit: boolean) {
    super(scope, 'user-roles');
    const all = resources.map(({ plural }) => plural);
    const namespaced = resources.filter((resource) => resource.namespaced).map(({ plural }) => plural);
    const operations = operationKinds.map(({ plural }) => plural);
    const role = (name: string, into: readonly string[], rules: readonly object[]) =>
      new PlainObject(this, name, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: {
          name: `sluice-${name}`,
          labels: { ...labels(), ...Object.fromEntries(into.map((of) => [`rbac.authorization.k8s.io/aggregate-to-${of}`, 'true'])) },
        },
        rules,
      });
    role('view', ['view', 'edit', 'admin'], [{ apiGroups: [GROUP], resources: all, verbs: READ }]);
    role('operations', [], [{ apiGroups: [GROUP], resources: operations, verbs: [...READ, ...WRITE] }]);
    role('edit', aggregateEdit ? ['edit', 'admin'] : [], [{ apiGroups: [GROUP], resources: namespaced, verbs: [...READ, ...WRITE] }]);
  }
}

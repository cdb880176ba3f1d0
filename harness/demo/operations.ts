/** A user's work with a Dataset that is Bound, and with one that does not become Bound. */
import { DataLoad, Dataset } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { Secret, typeOf } from '../../src/planning/kinds.ts';
import { explained } from './explained.ts';
import { type Stage, typeFor } from './scenes.ts';
import { find, ignoreAbsent, phaseOf, table, until } from './steps.ts';

const NAME = 'jfsdemo';

/** Files of the JuiceFS example are loaded before anybody reads them. */
export async function load({ client, namespace, progress, signal }: Stage): Promise<void> {
  progress.heading(`A DataLoad: files of ${NAME} go into its cache`);
  const type = typeOf(DataLoad);
  const object: KubeObject = {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: DataLoad.kind,
    metadata: { namespace, name: 'warm' },
    spec: { dataset: { name: NAME, namespace }, target: [{ path: '/train' }] },
  };
  await progress.step('operation', async () => {
    await client.create(type, object);
    const isOver = async () => ['Complete', 'Failed'].includes(phaseOf(await find(client, type, object.metadata)));
    await until(signal, isOver, 'the DataLoad is over');
    return `DataLoad warm is ${phaseOf(await find(client, type, object.metadata))}`;
  });
  for (const line of await table(client, `/apis/data.fluid.io/v1alpha1/namespaces/${namespace}/dataloads`)) progress.line(line);
  await client.delete(type, object.metadata);
}

/** A copy of the JuiceFS example whose Secret does not exist: what `sluice explain` says of it. */
export async function breakOne(stage: Stage): Promise<void> {
  const { client, namespace, progress, signal, examples, kubeconfig } = stage;
  const named = 'broken';
  const missing = { name: `${named}-secret` };
  progress.heading(`The same Dataset with a Secret that does not exist; sluice explain -n ${namespace} ${named}`);
  const copies = examples
    .filter(({ metadata, kind }) => metadata.name === NAME && kind !== Secret.kind)
    .map((object) => JSON.parse(JSON.stringify({ ...object, metadata: { namespace, name: named } })) as KubeObject)
    .map((object) => withSecret(object, missing.name));
  for (const copy of copies) await client.create(typeFor(stage, copy), copy);
  const dataset = { namespace, name: named };
  const says = async () => JSON.stringify((await find(client, typeOf(Dataset), dataset))?.['status'] ?? '').includes(missing.name);
  await until(signal, says, 'the status names the Secret');
  for (const line of await explained(kubeconfig, namespace, named)) progress.line(line && `  ${line}`);
  // The runtime may go with its Dataset.
  for (const copy of copies) await client.delete(typeFor(stage, copy), copy.metadata).catch(ignoreAbsent);
  await until(signal, async () => (await find(client, typeOf(Dataset), dataset)) === undefined, 'it is gone');
}

interface Mounts {
  readonly spec?: {
    readonly mounts?: readonly { readonly encryptOptions?: readonly { readonly valueFrom?: { readonly secretKeyRef?: object } }[] }[];
  };
}
function withSecret(object: KubeObject, name: string): KubeObject {
  const { mounts = [] } = (object as Mounts).spec ?? {};
  for (const { encryptOptions = [] } of mounts)
    for (const { valueFrom } of encryptOptions) if (valueFrom?.secretKeyRef) Object.assign(valueFrom.secretKeyRef, { name });
  return object;
}

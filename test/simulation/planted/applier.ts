import type { PlantedFault } from '../../support/planted.ts';
import { breaks } from './breaks.ts';

const APPLY = 'src/reconciler/kubernetes/apply';

/** One for each invariant of the applier (src/reconciler/kubernetes/apply/apply.ts). */
export const applierFaults: readonly PlantedFault[] = [
  breaks('A1', 'an object of another owner is overwritten', [
    `${APPLY}/apply.ts`,
    '    if (!isOurs(existing, owner, store)) throw new NameTaken(existing, owner);\n',
    '',
  ]),
  breaks('A2', 'what does not exist is applied, not created', [
    `${APPLY}/writer.ts`,
    "const answer = await client.create(type, object, { fieldValidation: 'Strict' });",
    "const answer = await client.apply(type, object as KubeObject, { force: true, fieldValidation: 'Strict' });",
  ]),
  breaks('A3', 'a successor is overwritten', [
    `${APPLY}/writer.ts`,
    'const object = { ...desired, metadata: { ...desired.metadata, uid: live.metadata.uid } };',
    'const object = desired;',
  ]),
  breaks('A4', 'objects are written although nothing differs', [
    `${APPLY}/writer.ts`,
    'if (paths.length === 0) {',
    'if (paths.length < 0) {',
  ]),
  breaks('A5', 'a successor is deleted', [
    `${APPLY}/prune.ts`,
    "{ uid: metadata.uid, propagation: 'Background' }",
    "{ propagation: 'Background' }",
  ]),
  breaks('A6', 'what was lost is created again unasked', [
    `${APPLY}/apply.ts`,
    "return desired.kind !== 'Secret' && !seen(owner, desired);",
    'return false;',
  ]),
  breaks('A7', 'an object that fails keeps the others from being written', [
    `${APPLY}/apply.ts`,
    'parts.push((await unconfirmed(desired)) ?? (await attempt(owner, desired, confirmed)));',
    'if (parts.push((await unconfirmed(desired)) ?? (await attempt(owner, desired, confirmed))) && parts.at(-1)?.failed) break;',
  ]),
  breaks('A8', 'a change that Kubernetes does not allow is sent', [
    `${APPLY}/writer.ts`,
    'const { manifest, immutable } = retain(recorded(owner, placed, live), live);',
    'const { manifest, immutable } = { manifest: placed, immutable: retain(placed, live).immutable.slice(0, 0) };',
  ]),
  breaks('A9', 'a fight with another writer goes on for ever', [`${APPLY}/fights.ts`, 'const LIMIT = 6;', 'const LIMIT = 600;']),
  breaks('A10', 'what admission changed is sent again', [
    `${APPLY}/admissions.ts`,
    '.filter(({ path, live: value }) => admitted?.sent !== sent || admitted.values.get(path) !== valueOf(value))',
    '.filter(({ path, live: value }) => admitted?.sent !== `${path} ${valueOf(value)}`)',
  ]),
  breaks('A11', 'a Secret is written and not read before', [
    `${APPLY}/apply.ts`,
    "kind === 'Secret' ? await secrets.read(owner, desired) : seen(owner, desired);",
    'seen(owner, desired);',
  ]),
  breaks('A12', 'fuse pods leave nodes on which pods mount the claim', [
    `${APPLY}/writer.ts`,
    "manifest.kind === 'DaemonSet' && !owner.placesNow",
    "manifest.kind === 'DaemonSet' && owner.placesNow === undefined",
  ]),
  breaks('A13', 'everything is pruned', [
    `${APPLY}/prune.ts`,
    'store.inventory(owner).filter((object) => !wanted.has(refOf(nameOf(object))));',
    'store.inventory(owner).filter(() => kept.size > 0);',
  ]),
];

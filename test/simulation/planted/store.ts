import type { PlantedFault } from '../../support/planted.ts';
import { breaks } from './breaks.ts';

const STORE = 'src/reconciler/kubernetes/store';

/** One for each invariant of the store (src/reconciler/kubernetes/store/store.ts). */
export const storeFaults: readonly PlantedFault[] = [
  breaks('S1', 'what was written is not remembered', [`${STORE}/watches.ts`, '    own[how](object, reflector);\n', '']),
  breaks('S2', 'what was found to be deleted is returned', [`${STORE}/watches.ts`, 'if (reflector) own.forget(object, reflector);', '']),
  breaks('S3', 'an answer hides what the watch has passed', [
    `${STORE}/own-writes.ts`,
    'return Math.max(seen ? version(seen) : 0, upTo) < version(ours);',
    'return (seen ? version(seen) : 0) < version(ours);',
  ]),
  breaks('S4', 'the event of a write of its own wakes a key', [
    `${STORE}/owned.ts`,
    'if (isEcho || isOthersNews(change)) return;',
    'if (isOthersNews(change)) return;',
  ]),
  breaks('S5', 'a watch that hangs is not noticed', ['src/kube/watch/reflector.ts', 'expect: progress.expect,', 'expect() {},']),
  breaks('S6', 'Secrets are kept', [
    `${STORE}/watches.ts`,
    'if (!found || !reflector) return;',
    'if (!found || !reflector) return own.created(object, { get: () => undefined, status: {} } as never);',
  ]),
  breaks('S7', 'a key is woken before reads show what woke it', [
    'src/kube/watch/collection.ts',
    '    store.set(key, kept);\n    onChange(',
    '    setTimeout(() => store.set(key, kept), 5);\n    onChange(',
  ]),
  breaks('S8', 'an object of another namespace is in the inventory', [
    'src/planning/owner.ts',
    ': namespace)) === namespace;',
    ': namespace)) !== undefined;',
  ]),
  breaks('S9', 'the former owner of an object is not woken', [
    `${STORE}/owned.ts`,
    'const keys = [uid, oldUid].flatMap(',
    'const keys = [uid].flatMap(',
  ]),
  breaks('S10', 'pods of other namespaces count', [
    `${STORE}/pods.ts`,
    'string => `${namespace}/${uid}`;',
    "string => `${namespace && ''}/${uid}`;",
  ]),
  breaks('S11', 'a change of a profile wakes nobody', [
    `${STORE}/runtimes.ts`,
    'subscriptions.wake(companion.kind, change.object.metadata.name, change);',
    '',
  ]),
  breaks('S12', 'any change of a Dataset wakes its key', [
    `${STORE}/datasets.ts`,
    '!isNoNews(change.old, object);',
    'change.old !== object;',
  ]),
  breaks('S13', 'the ports of a runtime that is gone stay taken', [`${STORE}/runtimes.ts`, '          ports.gone(uid);\n', '']),
  breaks('S14', 'a spec that was not edited is another object', [
    `${STORE}/resources.ts`,
    "spec: spec === before?.['spec'] ? spec : piece(spec),",
    'spec: { ...(spec as object) },',
  ]),
];

import type { Decision } from './runtime-defects.ts';

const EFC = 'runtimes/efc';

/** Defects of EFC, by their number in the list of those seen; several of one number have a letter each. */
export const efcDefects: Readonly<Record<string, Decision>> = {
  '4 efc': {
    fluid: 'a pod that asks for a sidecar starts without a client',
    decided: 'the pod is denied with the reason',
    shown: [`${EFC}/defects.test.ts`, '4: a client says why it cannot be a sidecar'],
  },
  '10 efc': {
    fluid: 'it writes the memory that a cache needs into the spec of the runtime',
    decided: 'workers request it; the spec is the user’s alone',
    shown: [`${EFC}/defects.test.ts`, '10: a cache in memory is requested by workers'],
  },
  '15a': {
    fluid: 'clients have only the tolerations of the Dataset',
    decided: 'they tolerate every taint, as those of every other runtime',
    shown: [`${EFC}/defects.test.ts`, '15: clients tolerate every taint'],
  },
  '15b': {
    fluid: 'the volume names neither its claim nor the label of clients',
    decided: 'it names both',
    shown: [`${EFC}/defects.test.ts`, '15: the volume names its claim'],
  },
  '15c': {
    fluid: 'its check of a mount is an argv with a pipe, which never works',
    decided: 'the readiness probe of the pod and the node plugin check it',
    shown: [`${EFC}/defects.test.ts`, '15: the controller runs no command in pods'],
  },
  '15d': {
    fluid: 'a client waits for the kubelet’s next try if the directory of the socket does not exist',
    decided: 'it is created; the node plugin has clients start after the session manager',
    shown: [`${EFC}/defects.test.ts`, '15: the directory of the socket is created'],
  },
  '15e': {
    fluid: 'metadataList and the annotation for mount checks have no effect',
    decided: 'they have',
    shown: [`${EFC}/defects.test.ts`, '15: metadataList and the annotation for mount checks'],
  },
  '17 efc': {
    fluid: 'StatefulSets name Services that do not exist, and the list of workers is outside of the release',
    decided: 'the name is kept, since it cannot change; the list is in the inventory',
    shown: [`${EFC}/defects.test.ts`, '17: every object is in the inventory'],
  },
  '18 efc': {
    fluid: 'tolerationSeconds are lost',
    decided: 'tolerations are as the Dataset says',
    shown: [`${EFC}/defects.test.ts`, '18: a toleration keeps its seconds'],
  },
  '19 efc': {
    fluid: 'edits of the spec never reach the pods',
    decided: 'templates follow the spec; PodsOutdated names pods that started with another one',
    shown: ['reconciler/efc.test.ts', 'an edit of the spec reaches the templates'],
  },
  'efc: late workers': {
    fluid: 'masters and clients learn of workers with the next check and the kubelet’s next sync, and keep those that have gone till then',
    decided: 'the list follows ready workers, and running pods read it at once',
    shown: ['reconciler/efc.test.ts', 'the list of workers follows'],
  },
};

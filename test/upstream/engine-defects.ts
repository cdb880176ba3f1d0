import type { Decision } from './runtime-defects.ts';

const ALLUXIO = 'runtimes/alluxio/defects.test.ts';

/** Defects of what all runtimes of Fluid share, and of Alluxio, by short names. */
export const engineDefects: Readonly<Record<string, Decision>> = {
  'engine: bound without a volume': {
    fluid: 'a Dataset whose volume could not be created becomes Bound without one',
    decided: 'a step that is not complete holds the next one',
    shown: ['reconciler/failures.test.ts', 'that a claim is completed: nothing is promised until it is'],
  },
  'engine: taken name': {
    fluid: 'an object of the same name counts as its own',
    decided: 'the runtime reports `NameTaken`, and the object stays as it is',
    shown: ['reconciler/trouble.test.ts', "reason: 'NameTaken'"],
  },
  'engine: names': {
    fluid: 'Datasets `a-b/c` and `a/b-c` share a volume and labels, and work on the data of each other',
    decided: 'the second one has its UID in its names',
    shown: ['reconciler/trouble.test.ts', 'a-b/c and a/b-c are both bound, and share neither volume nor label'],
  },
  'engine: two runtimes': {
    fluid: 'two runtimes of one Dataset both work on it',
    decided: 'the first one serves it; the other one has the condition `DatasetTaken`',
    shown: ['reconciler/set-up.test.ts', 'two runtimes of one name'],
  },
  'engine: ports': {
    fluid: 'a full range of ports ends the process, again and again',
    decided: 'the one runtime without a port reports `PortsExhausted`',
    shown: ['reconciler/example.test.ts', "reason: 'PortsExhausted'"],
  },
  'engine: back-off': {
    fluid: 'a failing set-up is retried without back-off, and leaves a file each time',
    decided: 'the controller retries with back-off, for that key alone',
    shown: ['kube/turns/queue.test.ts', 'is retried after its back-off without an event (Q7)'],
  },
  'engine: one that fails': {
    fluid: 'a failing set-up occupies a worker of the controller that others need',
    decided: 'others are bound meanwhile',
    shown: ['reconciler/many.test.ts', '60 runtimes at once are bound although one is always refused'],
  },
  'alluxio: one argument': {
    fluid: 'over HTTP the second of `fuse.args` is read, also if there is one only',
    decided: 'one is passed on',
    shown: [ALLUXIO, 'arguments of a client without options, over HTTP'],
  },
  'alluxio: journal': {
    fluid: 'one line has two types of journal, and with several masters two lists of addresses',
    decided: 'each property is there once',
    shown: [ALLUXIO, 'the journal of %d masters is said once'],
  },
  'alluxio: resources': {
    fluid: '`resources` of the gateway, and of a client without a memory limit, have no effect',
    decided: 'they have',
    shown: [ALLUXIO, 'resources of a client without a memory limit'],
  },
  'alluxio: network': {
    fluid: 'ContainerNetwork of the client has no effect',
    decided: 'it has',
    shown: [ALLUXIO, 'ContainerNetwork of a client'],
  },
  'alluxio: service': {
    fluid: 'the StatefulSet of workers names a Service that does not exist',
    decided: 'the same: the name cannot change, and nothing resolves it',
    shown: [ALLUXIO, 'the Service that a StatefulSet of workers names does not exist'],
  },
};
